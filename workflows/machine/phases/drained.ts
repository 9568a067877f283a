import { DEFAULT_DRAIN } from '../../../k8s/model/drain.ts';
import { asSummary } from '../../summary.ts';
import { given } from '../../../providers/given.ts';
import { DONE, waitFor, type Answer } from '../answer.ts';
import { retryDeletion } from '../deletion-waits.ts';
import { isDrainOver, reach, reachedAt } from '../deletion-points.ts';
import { describeDrain, namePods } from '../describe-drain.ts';
import type { DrainReport, ForceTimes } from '../drain-activities.ts';
import { wasProvedGone } from '../instance-facts.ts';
import { lookWhetherEnded } from '../look-whether-ended.ts';
import type { Pass } from '../pass.ts';
import { local } from '../ports.ts';
import { notDue } from '../step-retry.ts';

const STEP = 'Drain';

/** A pass that comes so much later than it was due could not run before, in milliseconds. */
const LATE_MS = 5000;

/**
 * Empties the Node before its instance ends: each pass evicts what may be evicted, and looks what is left. That comes once: what
 * is done is not looked at again.
 */
export async function drained(pass: Pass): Promise<Answer> {
  const { drained: slot } = pass.memory;
  if (slot.isDone === true || isDrainOver(pass)) return DONE;
  // An instance that the Machine only names is looked at first: this comes when it is known to be the Machine's.
  if (pass.instanceId !== undefined && pass.status.instance === undefined) return DONE;
  const skipped = whySkipped(pass);
  if (skipped !== undefined) return skip(pass, skipped);
  const wait = notDue(slot.retry, pass.nowMs) ?? slot.wait;
  if (wait?.until !== undefined && wait.until > pass.nowMs) return waitFor(wait);
  const lostMs = (slot.lostMs ?? 0) + lateMs(pass);
  const answer = await drainNode(pass, lostMs);
  if (answer.outcome === 'failed') {
    const failure = { code: 'KubernetesUnavailable', retryClass: 'soon', message: answer.message } as const;
    return retryDeletion(pass, STEP, slot, failure);
  }
  delete slot.retry;
  slot.lostMs = lostMs;
  if (answer.outcome === 'noNode') {
    slot.isDone = true;
    pass.clearCondition('Drained');
    return DONE;
  }
  const isNew = reach(pass, 'drainStartTime');
  if (answer.outcome === 'expired') {
    const message = `the time for the drain is over, and the deletion goes on: ${namePods(answer.abandoned)} were left`;
    return end(pass, 'DrainTimedOut', message);
  }
  if (answer.outcome === 'drained') {
    pass.attached = answer.volumes;
    const { abandoned } = answer;
    const left = abandoned.count === 0 ? '' : `; ${namePods(abandoned)} end without being waited for`;
    return end(pass, 'DrainSucceeded', `the Node is drained${left}`);
  }
  return (await whyEnded(pass, answer)) ?? goOn(pass, answer, isNew);
}

function drainNode(pass: Pass, lostMs: number) {
  const { target, nowMs, memory, seen } = pass;
  const { cordonedAt, notes = {} } = memory.drained;
  const isForced = seen.machine.drain?.onTimeout === 'Force';
  const force = isForced ? timesOf(pass, lostMs) : undefined;
  const summary = asSummary(`drain Node ${pass.status.nodeRef?.name ?? ''}`);
  const request = { ...target, now: nowMs, notes, ...given({ cordonedAt, force }) };
  return local.drainNode.executeWithOptions({ summary }, [request]);
}

/** What was promised for some time, and comes later: no pass could run in between, which the deadline does not count. */
function lateMs({ memory: { drained: slot }, status, nowMs }: Pass): number {
  // Who takes over a drain does not know what its time was spent with.
  const begun = Date.parse(status.deletion?.drainStartTime ?? '');
  const since = slot.wait?.until ?? (slot.lostMs === undefined ? begun : nowMs);
  const ms = Number.isNaN(since) ? 0 : nowMs - since;
  return ms > LATE_MS ? ms : 0;
}

function timesOf(pass: Pass, lostMs: number): ForceTimes | undefined {
  const { timeoutMs } = pass.seen.machine.drain ?? DEFAULT_DRAIN;
  if (timeoutMs === undefined) return undefined;
  const start = reachedAt(pass, 'drainStartTime') + lostMs;
  return { from: start + timeoutMs / 2, deadline: start + timeoutMs };
}

function whySkipped({ seen, instanceId, status }: Pass): string | undefined {
  if (instanceId === undefined) return '';
  if (seen.machine.excludesDrain === true) return 'its annotation asks for no drain';
  const hasEnded = status.instance?.state === 'terminated' || wasProvedGone(status);
  return hasEnded ? `instance ${instanceId} has ended already` : undefined;
}

/** Nothing of the Node is waited for, its volumes neither. */
function skip(pass: Pass, why: string): Answer {
  if (why !== '' && pass.status.nodeRef !== undefined)
    return end(pass, 'DrainSkipped', `the Node is not drained: ${why}`);
  return over(pass, true);
}

async function whyEnded(pass: Pass, { isNodeDown }: DrainReport): Promise<Answer | undefined> {
  if (isNodeDown !== true && pass.memory.inspect !== true) return undefined;
  delete pass.memory.inspect;
  const why = await lookWhetherEnded(pass, pass.memory.drained);
  return why === undefined ? undefined : skip(pass, why);
}

function goOn(pass: Pass, report: DrainReport, isNew: boolean): Answer {
  const { drained: slot } = pass.memory;
  const { reason, message } = describeDrain(report, pass.status.nodeRef?.name ?? '');
  const { cordonedAt, notes, until } = report;
  Object.assign(slot, { cordonedAt, notes, wait: { step: STEP, reason, message, until } });
  pass.setCondition({ type: 'Drained', status: 'False', reason, message });
  if (isNew) pass.tell({ type: 'Normal', reason: 'DrainProceeds', message });
  if (report.trouble !== undefined && slot.told !== reason) {
    pass.tell({ type: 'Warning', reason: 'DrainRequeued', message });
  }
  slot.told = reason;
  tellOfTimeout(pass);
  return waitFor({ step: STEP, reason, message, until });
}

/** Where it waits on all the same. */
function tellOfTimeout(pass: Pass): void {
  const { drained: slot } = pass.memory;
  const times = timesOf(pass, slot.lostMs ?? 0);
  // With Force the next pass ends it.
  const { onTimeout } = pass.seen.machine.drain ?? DEFAULT_DRAIN;
  if (times === undefined || onTimeout === 'Force' || pass.nowMs < times.deadline) slot.isTimeoutTold = false;
  else if (slot.isTimeoutTold !== true) {
    slot.isTimeoutTold = true;
    const message = 'the time for the drain is over; it goes on, as onTimeout is Wait';
    pass.tell({ type: 'Warning', reason: 'DrainTimedOut', message });
  }
}

function end(pass: Pass, reason: 'DrainSucceeded' | 'DrainSkipped' | 'DrainTimedOut', message: string): Answer {
  const isTrouble = reason === 'DrainTimedOut';
  pass.setCondition({ type: 'Drained', status: 'True', reason, message });
  pass.tell({ type: isTrouble ? 'Warning' : 'Normal', reason, message });
  return over(pass, reason !== 'DrainSucceeded');
}

function over({ memory }: Pass, isCutShort: boolean): Answer {
  const { drained: slot } = memory;
  slot.isDone = true;
  if (isCutShort) slot.isCutShort = true;
  delete slot.notes;
  delete slot.wait;
  delete slot.retry;
  return DONE;
}
