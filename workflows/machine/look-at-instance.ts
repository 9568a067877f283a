import type { Instance } from '../../providers/provider.ts';
import { planAbsenceProof, withLook } from './absence-proof.ts';
import { DONE, waitMeanwhile, type Answer } from './answer.ts';
import { isGone } from './instance-facts.ts';
import type { CloudFailure } from './launch-record.ts';
import type { Asked, InstanceLook } from './instance-activities.ts';
import type { InstanceLooks } from './memory.ts';
import type { Pass } from './pass.ts';
import { local } from './ports.ts';
import { isProvedOwn } from './proved-instance.ts';
import { failedAgain, waitOf } from './step-retry.ts';
import { causeOfLook, describeAbsence, isNoNews, tellNodeGone, type LookCause } from './tell-look.ts';
import { given } from '../../providers/given.ts';

/** Between two looks of a proof at least, in milliseconds. */
const LOOK_AGAIN_MS = 1000;

/** Name of the step in what a machine says it waits for. */
const STEP = 'InspectInstance';

/**
 * Looks at the instance in the cloud. Gone means terminated, or absent from three looks over the window; and when most
 * instances of these credentials are absent at once, that is a condition to show, not a fact to act on.
 * @param slot keeps the looks
 */
export async function lookAtInstance(pass: Pass, slot: InstanceLooks, id: string): Promise<Answer> {
  const { goneWindowSeconds } = pass.settings;
  const askedAt = pass.nowMs;
  const look = await askAfterInstance(pass, id);
  if (look.outcome !== 'failed') delete slot.retry;
  switch (look.outcome) {
    case 'found': {
      delete slot.absentLooks;
      pass.memory.judged = { id, isOwn: true };
      if (isGone(look.instance.state)) {
        pass.set({ instance: { id, state: look.instance.state } });
        if (look.instance.takenBack === true) return declareTaken(pass, look.instance);
        return declareGone(pass, id, `the cloud reports it as ${look.instance.state}`, look.instance);
      }
      pass.see({ instance: look.instance, isNew: false }, look.cloud);
      // What it would be looked at for, once its Node is Ready, is known by this look.
      pass.memory.isSeenReady = pass.isNodeReady;
      return DONE;
    }
    case 'absent': {
      const proof = proveAbsence(pass, slot, id, look, askedAt);
      if (!('proved' in proof)) return keepLooking(pass, { reason: 'InstanceMissing' }, proof.message, proof.until);
      return declareGone(pass, id, `the cloud did not know it in ${proof.proved} looks over ${goneWindowSeconds} s`);
    }
    case 'foreign': {
      pass.memory.judged = { id, isOwn: false };
      const message = `${look.message}: it is neither adopted nor touched`;
      return keepLooking(pass, { reason: 'InstanceOfAnother' }, message, pass.nowMs + goneWindowSeconds * 1000);
    }
    case 'untrusted':
      delete slot.absentLooks;
      return keepLooking(pass, { reason: 'ManyInstancesMissing' }, look.message, pass.nowMs + goneWindowSeconds * 1000);
    case 'failed':
      return tryAgain(pass, slot, look.failure);
  }
}

function tryAgain(pass: Pass, slot: InstanceLooks, failure: CloudFailure): Answer {
  slot.retry = failedAgain(pass, STEP, failure, slot.retry);
  if (isNoNews(failure)) return waitMeanwhile(waitOf(slot.retry));
  return keepLooking(pass, causeOfLook(failure), failure.message, slot.retry.until);
}

/** What the cloud tells of it now. */
export function askAfterInstance(pass: Pass, id: string): Promise<InstanceLook> {
  return local.lookAtInstance({ ...pass.target, id, ...frozenParameters(pass) });
}

/** Parameters of the launch, where there was one: they say where to ask when the spec no longer does. */
export function frozenParameters(pass: Pass): { parameters?: NonNullable<Pass['status']['launch']>['parameters'] } {
  const parameters = pass.status.launch?.parameters;
  return given({ parameters });
}

/**
 * One more look that did not show the instance: how many prove by now that it is gone, or what to say and when to look again.
 * @param slot keeps the looks
 * @param askedAt when this look was asked for
 */
export function proveAbsence(
  pass: Pass,
  slot: Pick<InstanceLooks, 'absentLooks'>,
  id: string,
  look: Asked,
  askedAt: number,
): { readonly proved: number } | { readonly message: string; readonly until: number } {
  const windowMs = pass.settings.goneWindowSeconds * 1000;
  const lookedAt = lookTimeOf(pass, look, askedAt);
  const looks = withLook(slot.absentLooks ?? [], lookedAt, windowMs);
  slot.absentLooks = looks;
  const due = planAbsenceProof(looks, looks[0] ?? lookedAt, windowMs);
  if (due === 'proved') return { proved: looks.length };
  const message = describeAbsence(id);
  // An answer that came late may be older than the next look is due.
  return { message, until: Math.max(due, pass.nowMs + LOOK_AGAIN_MS) };
}

/** When a look was made, in milliseconds: when it was asked for, or before, where its answer came of an earlier question. */
export function lookTimeOf(pass: Pass, { agoMs }: Asked, askedAt: number): number {
  return agoMs === undefined ? askedAt : Math.min(askedAt, pass.nowMs - agoMs);
}

function keepLooking(pass: Pass, cause: LookCause, message: string, until: number): Answer {
  pass.setCondition({ type: 'InstanceExists', status: 'Unknown', ...cause, message });
  return waitMeanwhile({ step: STEP, ...cause, message, until });
}

/** One that had no Node yet says of its template only that the cloud has no room for it now. */
function declareTaken(pass: Pass, instance: Instance): Answer {
  const { id, interruptible } = instance;
  const how =
    interruptible === true
      ? 'the cloud took it back, as it may with an interruptible one'
      : 'the cloud had accepted its launch, and has no room for it';
  const gone = declareGone(pass, id, how, instance, 'InstanceTakenBack');
  return pass.status.nodeRef !== undefined || gone.outcome !== 'failed'
    ? gone
    : { ...gone, reason: 'InsufficientResources' };
}

/** @param shown by the cloud, which still knows it */
function declareGone(
  pass: Pass,
  id: string,
  how: string,
  shown?: Instance,
  reason: 'InstanceMissing' | 'InstanceTakenBack' = 'InstanceMissing',
): Answer {
  const { memory } = pass;
  if (isProvedOwn(memory, id)) memory.judged = { id, isOwn: true };
  recordEnd(pass, id, shown);
  delete memory.instanceId;
  delete memory.instance;
  pass.setCondition({
    type: 'InstanceExists',
    status: 'False',
    reason,
    message: `instance ${id} is gone: ${how}`,
  });
  tellNodeGone(pass, id, reason);
  const message = `instance ${id} is gone: ${how}. No other one is launched for this Machine: delete it, and a set that controls it makes another.`;
  return { outcome: 'failed', reason: 'UpdateError', message };
}

/** Also an annotation of the Machine tells how its instance is: it is written with the rest of what was recorded of it, or not at all. */
function recordEnd(pass: Pass, id: string, shown: Instance | undefined): void {
  const { memory, seen } = pass;
  const known = memory.instance?.id === id ? memory.instance : shown;
  const isOnRecord = seen.machine.status.instance?.id === id && seen.machine.providerID === known?.providerID;
  if (known === undefined || !isOnRecord) return;
  pass.sighting = { instance: { ...known, state: shown?.state ?? 'terminated' }, isNew: false };
}
