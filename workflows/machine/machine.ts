import { condition, continueAsNew, log, setCurrentDetails, setHandler, workflowInfo } from '@temporalio/workflow';
import type { MachineTarget } from './machine-activities.ts';
import { PAUSED_ANNOTATION } from '../../k8s/model/labels.ts';
import { Alarm } from '../alarm.ts';
import { isObjectChanged, isRefused } from '../activity-failures.ts';
import { asDetails, asText } from '../markdown.ts';
import { changedSignal, inspectSignal, recountSignal } from '../signals.ts';
import { deleteMachine } from './delete.ts';
import { describeEnd, describeLife } from './describe-life.ts';
import { clearHookConditions } from './hooks.ts';
import { inspectInstance } from './instance.ts';
import { joinCluster } from './join-cluster.ts';
import { putBack, recallRecord } from './keep-record.ts';
import { isOutcomeUnknown } from './launch-record.ts';
import { launch, settleBeforeAdoption } from './launch.ts';
import { attachLoadBalancers } from './load-balancers.ts';
import { lookAtLeftover } from './leftover.ts';
import { Life, newMemory, type MachineMemory, type Next } from './life.ts';
import { holdMalformed } from './malformed.ts';
import { mayHavePast } from './past.ts';
import { local } from './ports.ts';
import { backoffMs } from './settings.ts';
import { show, showEnd } from './show-life.ts';
import { endSurplus } from './surplus.ts';
import { writeStatus } from './write-status.ts';

/** Pause before the next look where an object changed under a pass. */
const LOOK_AGAIN_MS = 1000;

export interface MachineInput extends MachineTarget {
  /** Version of this input. */
  readonly v: 1;
  /** What the run before this one knew. */
  readonly memory?: MachineMemory;
}

export interface MachineResult {
  /** `deleted`: taken down step by step; `vanished`: the object went without that. */
  readonly outcome: 'deleted' | 'vanished';
  /** Set where an instance may have been left behind. */
  readonly suspectedOrphan?: string;
}

/**
 * The life of one machine, from the object's creation to its end. A signal only says "look again"; each pass looks at
 * the live object, takes the machine one step on, writes its status, and sleeps until something changes or a deadline
 * comes.
 */
export async function machine(input: MachineInput): Promise<MachineResult> {
  const target: MachineTarget = { ref: input.ref, cluster: input.cluster };
  const memory = input.memory ?? newMemory();
  // What an earlier run knew stands in this one's input.
  if (memory.cloud !== undefined) memory.cloud = { ...memory.cloud, notedAt: 0 };
  if (memory.endedAt !== undefined) memory.endedAt = 0;
  const alarm = new Alarm();
  let dirty = true;

  setHandler(changedSignal, () => {
    dirty = true;
  });
  setHandler(inspectSignal, () => {
    memory.inspect = true;
    dirty = true;
  });
  setHandler(recountSignal, () => {
    memory.recount = true;
    dirty = true;
  });

  for (;;) {
    await condition(() => dirty || alarm.hasRung || workflowInfo().continueAsNewSuggested);
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof machine>({ v: 1, ...target, memory });
    }
    dirty = false;
    alarm.hasRung = false;

    const isFirst = memory.pastOpen === undefined ? { isFirst: true as const } : {};
    const seen = await local.observeMachine({ ...target, ...isFirst });
    if (!seen.found) return vanish(target, memory);
    if (seen.machine.malformed === undefined) memory.pastOpen ??= mayHavePast(seen, Date.now());
    const life = new Life(target, memory, seen, Date.now);
    recallRecord(life);
    const next = await step(life);
    if (next === 'end') {
      setCurrentDetails(describeLife(life, next));
      showEnd();
      return { outcome: 'deleted' };
    }
    show(life, next);
    if (next === 'again') dirty = true;
    else alarm.set(next.at, next.why);
  }
}

/** One pass, and the status it leads to. An object that changed underneath is looked at again. */
async function step(life: Life): Promise<Next> {
  try {
    const next = await live(life);
    if (next !== 'end' && life.isUnwritten) await writeStatus(life);
    return next;
  } catch (error) {
    if (isRefused(error)) return waitForPermission(life, error.cause?.message ?? error.message);
    if (!isObjectChanged(error)) throw error;
    const why = `the object changed meanwhile: ${error.cause?.message ?? ''}`;
    log.info('looking again', { why });
    return { at: life.nowMs + LOOK_AGAIN_MS, why };
  }
}

/** The Kubernetes API refuses something: permissions, a webhook, a limit. Said where it can be said, and tried again. */
async function waitForPermission(life: Life, refusal: string): Promise<Next> {
  const { memory } = life;
  memory.failures += 1;
  const at = life.nowMs + backoffMs(life.settings, 'missing', memory.failures, Math.random());
  life.wait('Kubernetes', 'KubernetesRefused', refusal, at);
  try {
    await writeStatus(life);
  } catch (error) {
    if (!isRefused(error) && !isObjectChanged(error)) throw error;
    log.warn('the status cannot be written either', { refusal });
  }
  return { at, why: refusal };
}

/** The phases of a machine's life, in order. */
async function live(life: Life): Promise<Next> {
  const { machine: object } = life.seen;
  if (object.malformed !== undefined) return holdMalformed(life, object.malformed);
  delete life.memory.malformed;
  if (object.paused) return pause(life);
  life.clearCondition('Paused');
  if (['Paused', 'Kubernetes', 'ReadObject'].includes(life.status.waiting?.step ?? '')) life.proceed();
  await putBack(life);
  if (object.deletedAt !== undefined) return deleteMachine(life);
  clearHookConditions(life);
  if (life.status.phase === 'Failed') return { why: life.status.error?.message ?? 'it failed' };

  const id = life.instanceId;
  if (id === undefined) return launch(life);
  const unsettled = await settleBeforeAdoption(life, id);
  if (unsettled !== undefined) return unsettled;
  life.noteInstance(id);
  noteSpecChange(life);
  noteResync(life);
  const next =
    (await adopt(life, id)) ?? (await watchOver(life, id)) ?? (await attachLoadBalancers(life, id)) ?? rest(life);
  if (!life.hasFailed && life.status.instance?.id === id) await endSurplus(life, id);
  return withDeadlines(life, next);
}

/** What is looked at again in its own time, whatever the phases wait for. */
function withDeadlines(life: Life, next: Next): Next {
  if (typeof next === 'string' || life.hasFailed) return next;
  const at = Math.min(next.at ?? rest(life).at, life.memory.recountAt ?? Infinity);
  return at === next.at ? next : { at, why: next.why };
}

/**
 * A Machine that came with an instance, by its providerID or by the status of the controller before us, never launches: the
 * instance is looked at, proved to be the Machine's, and recorded.
 */
async function adopt(life: Life, id: string): Promise<Next | undefined> {
  const { instance, launch, nodeRef } = life.status;
  // A status may be a copy: what it names was launched by us, or was looked at and found to be the machine's by this workflow.
  if (instance !== undefined && (launch !== undefined || life.memory.instance?.id === id)) return undefined;
  if (nodeRef === undefined) life.set({ phase: 'Provisioned' });
  life.memory.inspect = true;
  return inspectInstance(life, id);
}

/** Its Node, and, where something gave a reason to, its instance. */
async function watchOver(life: Life, id: string): Promise<Next | undefined> {
  const joining = await joinCluster(life);
  const { memory } = life;
  if ((memory.settleAt ?? Infinity) <= life.nowMs) memory.inspect = true;
  if (life.hasFailed || !memory.inspect) return joining;
  // That it runs is told at once; anything else goes with what the look brings.
  if (life.status.phase !== life.seen.machine.status.phase) await writeStatus(life);
  return (await inspectInstance(life, id)) ?? joining;
}

/** Once in a long while everything is looked at, whatever was or was not signalled. */
function noteResync(life: Life): void {
  const { memory } = life;
  if (memory.resyncAt === undefined || memory.resyncAt > life.nowMs) return;
  delete memory.resyncAt;
  memory.inspect = true;
  delete memory.attached;
}

function rest(life: Life): { readonly at: number; readonly why: string } {
  const { memory } = life;
  memory.resyncAt ??= life.nowMs + life.settings.resyncSeconds * 1000;
  if (memory.settleAt !== undefined)
    return { at: memory.settleAt, why: "a look at the instance's state and addresses" };
  return { at: memory.resyncAt, why: 'a slow look at everything' };
}

function pause(life: Life): Next {
  const { pausedBy } = life.seen.machine;
  const message =
    pausedBy === undefined
      ? `annotation ${PAUSED_ANNOTATION} is set: nothing is done to this machine until it is removed`
      : `${pausedBy} is paused: nothing is done to this machine until it is not any more`;
  life.setCondition({ type: 'Paused', status: 'True', reason: 'Paused', message });
  life.wait('Paused', 'Paused', message);
  return { why: message };
}

/** A launched instance is never changed to follow its spec: that is said, and nothing is done. */
function noteSpecChange(life: Life): void {
  const launched = life.status.launch?.specHash;
  if (launched === undefined || launched === life.seen.machine.specHash) {
    life.clearCondition('UpToDate');
    return;
  }
  const message =
    'providerSpec, its MachineClass or its Cluster changed after the launch. The running instance is left as it is; a new machine has the new spec.';
  const known = life.status.conditions.some((c) => c.type === 'UpToDate');
  if (!known) life.event = { type: 'Warning', reason: 'UnsupportedChange', message };
  life.setCondition({ type: 'UpToDate', status: 'False', reason: 'UnsupportedChange', message });
}

function endDeleted({ ref }: MachineTarget, instanceId: string | undefined): MachineResult {
  setCurrentDetails(describeEnd(ref, instanceId));
  showEnd();
  return { outcome: 'deleted' };
}

/** The object is gone. Where it went without our last step, an instance may be left: that is reported, never acted on. */
async function vanish(target: MachineTarget, memory: MachineMemory): Promise<MachineResult> {
  const { launch: attempt, instanceId, cloud, endedAt } = memory;
  // Ours was the last step: a worker died right after it.
  if (endedAt !== undefined) return endDeleted(target, instanceId);
  const unseen = attempt !== undefined && isOutcomeUnknown(attempt) ? `of token ${attempt.prepared.token}` : undefined;
  const instance = instanceId ?? unseen;
  if (instance === undefined) return { outcome: 'vanished' };
  if (instanceId !== undefined && cloud !== undefined) {
    // A worker may have died right after the last step.
    const outcome = await lookAtLeftover({ ...target, id: instanceId, cloud });
    if (outcome === 'gone') return endDeleted(target, instanceId);
  }
  const message = `the Machine object is gone without its finalizer's step: instance ${instance} may still run; it is not touched`;
  setCurrentDetails(asDetails([`**Gone**: ${asText(message)}.`]));
  await local.reportSuspectedOrphan({ ...target, message });
  return { outcome: 'vanished', suspectedOrphan: message };
}
