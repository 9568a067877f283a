import { log, setCurrentDetails } from '@temporalio/workflow';
import { isPrepared } from '../../k8s/model/drain.ts';
import { liveEntity, type EntityInput, type Next, type Turn } from '../entity.ts';
import { isObjectChanged, isRefused } from '../activity-failures.ts';
import { asDetails, asText } from '../markdown.ts';
import { inspectSignal, recountSignal } from '../signals.ts';
import { followAbandoned } from './abandoned.ts';
import type { Phase } from './answer.ts';
import { withCalmNoted } from './calm.ts';
import { toldByDeleting } from './deletion-waits.ts';
import { describeEnd } from './describe-life.ts';
import { withNodeClosed, withRestTold } from './keep-closed.ts';
import { isOutcomeUnknown } from './launch-record.ts';
import { lookAtLeftover } from './leftover.ts';
import { noteOpenCall, openAfterSilence } from './load-balancers.ts';
import type { MachineTarget } from './machine-activities.ts';
import { newMemory, type MachineMemory } from './memory.ts';
import { Pass } from './pass.ts';
import { mayHavePast } from './past.ts';
import { adopted } from './phases/adopted.ts';
import { alone } from './phases/alone.ts';
import { balanced } from './phases/balanced.ts';
import { deleting, whereDeleted } from './phases/deleting.ts';
import { detached } from './phases/detached.ts';
import { drained } from './phases/drained.ts';
import { evictedLast } from './phases/evicted-last.ts';
import { failed, whereFailed } from './phases/failed.ts';
import { forced, unlessForcedLater } from './phases/forced.ts';
import { handedOver } from './phases/handed-over.ts';
import { held } from './phases/held.ts';
import { inTurn, stillInTurn } from './phases/in-turn.ts';
import { inspected } from './phases/inspected.ts';
import { joined } from './phases/joined.ts';
import { launched } from './phases/launched.ts';
import { leaving, whileAbortable } from './phases/leaving.ts';
import { linked } from './phases/linked.ts';
import { maintained } from './phases/maintained.ts';
import { outOfService } from './phases/out-of-service.ts';
import { paused } from './phases/paused.ts';
import { preDrainHooks } from './phases/pre-drain-hooks.ts';
import { preTerminateHooks } from './phases/pre-terminate-hooks.ts';
import { rebootWithdrawn } from './phases/reboot-withdrawn.ts';
import { rebooted } from './phases/rebooted.ts';
import { recallRecord, recorded } from './phases/recorded.ts';
import { released } from './phases/released.ts';
import { returned } from './phases/returned.ts';
import { rested } from './phases/rested.ts';
import { settled } from './phases/settled.ts';
import { single } from './phases/single.ts';
import { terminated } from './phases/terminated.ts';
import { unbalanced } from './phases/unbalanced.ts';
import { upToDate } from './phases/up-to-date.ts';
import { usable } from './phases/usable.ts';
import { vacated } from './phases/vacated.ts';
import { local } from './ports.ts';
import { missingAgain, waitOf } from './step-retry.ts';
import { runPhases, type PassEnd } from './run-phases.ts';
import { show, showEnd } from './show-life.ts';
import { tellDrained, withNodeTold, withNodeToldInTrouble } from './tell-drained.ts';
import { writePass, writeStatus } from './write-pass.ts';

/** Pause before the next look where an object changed under a pass. */
const LOOK_AGAIN_MS = 1000;

export type MachineInput = EntityInput<MachineMemory>;

export interface MachineResult {
  /** `deleted`: taken down step by step; `vanished`: the object went without that. */
  readonly outcome: 'deleted' | 'vanished';
  /** The instance that a forced deletion went without. */
  readonly abandonedInstance?: string;
  /** Set where an instance may have been left behind. */
  readonly suspectedOrphan?: string;
}

/** On the way up, and while it is there. A phase finds in the status and the memory what the phases before it came to. */
const UP: readonly Phase[] = [
  held,
  paused,
  recorded,
  returned,
  whereFailed(rebootWithdrawn),
  whereFailed(single),
  failed,
  launched,
  upToDate,
  adopted,
  linked,
  inspected,
  joined,
  usable,
  balanced,
  single,
  maintained,
  rebooted,
  rested,
];

/**
 * On the way out: each phase is proved before the next one begins. While the Machine is only prepared for its end, which can be aborted, it
 * comes no further than to the phase that deletes it.
 */
const DOWN: readonly Phase[] = [
  held,
  paused,
  recorded,
  whileAbortable(leaving),
  whereDeleted(deleting),
  whereDeleted(forced),
  unlessForcedLater(settled),
  withCalmNoted(withNodeClosed(withRestTold(preDrainHooks))),
  withCalmNoted(toldByDeleting(inTurn)),
  drained,
  whereDeleted(outOfService),
  withNodeTold(toldByDeleting(detached)),
  toldByDeleting(evictedLast),
  withCalmNoted(withNodeClosed(withNodeTold(preTerminateHooks))),
  withNodeClosed(withNodeTold(toldByDeleting(stillInTurn))),
  whileAbortable(handedOver),
  withNodeToldInTrouble(unbalanced),
  withNodeToldInTrouble(terminated),
  alone,
  toldByDeleting(vacated),
  released,
];

/**
 * The life of one machine, from the object's creation to its end. Each pass looks at the live object, takes the machine one
 * step on, writes its status, and sleeps until something changes or a deadline comes.
 */
export async function machine(input: MachineInput): Promise<MachineResult> {
  const target: MachineTarget = { ref: input.ref, clusterUid: input.clusterUid };
  const memory = input.memory ?? newMemory();
  // Each of the two holds the number of sleeps after which this run learned of it, and a run counts its sleeps from 0. What an earlier run
  // learned came with the input of this one, before any sleep: -1.
  if (memory.cloud !== undefined) memory.cloud = { ...memory.cloud, notedAt: -1 };
  if (memory.provedGoneAt !== undefined) memory.provedGoneAt = -1;
  return await liveEntity(input, {
    memory,
    notes: [
      [inspectSignal, () => (memory.inspect = true)],
      [recountSignal, () => (memory.recount = true)],
    ],
    pass: (turn) => look(target, memory, turn),
  });
}

/** One pass over the machine as it is now. */
async function look(target: MachineTarget, memory: MachineMemory, turn: Turn): Promise<Next<MachineResult>> {
  const isFirst = memory.pastOpen === undefined ? { isFirst: true as const } : {};
  const isEnding = memory.isEndAskedFor === true ? { isEnding: true as const } : {};
  const seen = await local.observeMachine({ ...target, ...turn.heard, ...isFirst, ...isEnding });
  turn.hear(seen);
  if (!seen.found) return vanish(target, memory);
  if (seen.machine.malformed === undefined) memory.pastOpen ??= mayHavePast(seen);
  // A workflow before this one may have asked for it, and nobody saw the answer.
  if (isFirst.isFirst === true && seen.machine.status.instance !== undefined)
    noteOpenCall(memory, openAfterSilence(seen.settings, Date.now()));
  const pass = new Pass(target, memory, seen, Date.now, turn.rests);
  recallRecord(pass);
  const next = await step(pass);
  if (next === 'end') return { end: endDeleted(target, pass.status.instance?.id) };
  if (!isUntold(next)) show(pass, next);
  return next;
}

/** One pass, and the status it leads to. An object that changed underneath is looked at again. */
async function step(pass: Pass): Promise<PassEnd> {
  try {
    const next = await runPhases(pass, phasesOf(pass));
    if (next !== 'end' && !isUntold(next)) await writePass(pass);
    delete pass.memory.refused;
    return next;
  } catch (error) {
    if (isRefused(error)) return waitForPermission(pass, error.cause?.message ?? error.message);
    if (!isObjectChanged(error)) throw error;
    const why = `the object changed meanwhile: ${error.cause?.message ?? ''}`;
    log.info('looking again', { why });
    return { at: pass.nowMs + LOOK_AGAIN_MS, why };
  }
}

function isUntold(next: PassEnd): boolean {
  return typeof next === 'object' && 'isUntold' in next;
}

function phasesOf({ seen: { machine } }: Pass): readonly Phase[] {
  return machine.deletedAt !== undefined || machine.delete === true ? DOWN : UP;
}

/** The Kubernetes API refuses something: permissions, a webhook, a limit. Said where it can be said, and tried again. */
async function waitForPermission(pass: Pass, message: string): Promise<PassEnd> {
  const { memory } = pass;
  if (isPreparing(pass)) pass.set({ preparation: 'failed' });
  memory.refused = missingAgain(pass, { step: 'Kubernetes', reason: 'KubernetesRefused', message }, memory.refused);
  pass.wait(waitOf(memory.refused));
  let at = memory.refused.until;
  try {
    await writeStatus(pass);
    at = await tellDrained(pass, at);
  } catch (error) {
    if (!isRefused(error) && !isObjectChanged(error)) throw error;
    log.warn('the status cannot be written either', { refusal: message });
  }
  return { at, why: message };
}

/** What comes after its deletionTimestamp is no preparation, nor is what comes after it was taken back. */
function isPreparing({ seen: { machine }, status }: Pass): boolean {
  return machine.deletedAt === undefined && isPrepared(status) && status.preparation !== 'aborting';
}

function endDeleted({ ref }: MachineTarget, instanceId: string | undefined): MachineResult {
  setCurrentDetails(describeEnd(ref, instanceId));
  showEnd();
  return { outcome: 'deleted' };
}

/** The object is gone. Where it went without our last step, an instance may be left: that is reported, never acted on. */
async function vanish(target: MachineTarget, memory: MachineMemory): Promise<Next<MachineResult>> {
  const { abandoned } = memory;
  if (abandoned !== undefined) {
    const end = { outcome: 'deleted', abandonedInstance: abandoned.instance } as const;
    return followAbandoned<MachineResult>(target, abandoned, Date.now(), end);
  }
  return { end: await outcomeOfVanished(target, memory) };
}

async function outcomeOfVanished(target: MachineTarget, memory: MachineMemory): Promise<MachineResult> {
  const { attempt, cloud, status } = memory;
  // A run that began while the Machine was paused noted nothing but what its status said.
  const told = status?.instance?.state === 'terminated' ? undefined : status?.instance?.id;
  const instanceId = memory.instanceId ?? told;
  // Ours was the last step: a worker died right after it.
  if (memory.provedGoneAt !== undefined) return endDeleted(target, instanceId);
  const unseen = attempt !== undefined && isOutcomeUnknown(attempt) ? `of token ${attempt.prepared.token}` : undefined;
  const instance = instanceId ?? unseen;
  // Nothing held what was never launched: it was gone when it had been deleted.
  if (instance === undefined)
    return memory.isHandedOver === true ? endDeleted(target, undefined) : { outcome: 'vanished' };
  if (instanceId !== undefined && cloud !== undefined) {
    // A worker may have died right after the last step.
    const { outcome } = await lookAtLeftover({ ...target, id: instanceId, cloud });
    if (outcome === 'gone') return endDeleted(target, instanceId);
  }
  const message = `the Machine object is gone without its finalizer's step: instance ${instance} may still run; it is not touched`;
  setCurrentDetails(asDetails([`**Gone**: ${asText(message)}.`]));
  await local.reportSuspectedOrphan({ ...target, message });
  return { outcome: 'vanished', suspectedOrphan: message };
}
