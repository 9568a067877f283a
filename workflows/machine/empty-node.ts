import { conditionOf } from '../../k8s/model/condition.ts';
import { isMissed } from '../../k8s/model/cause.ts';
import { DRAIN_CONDITIONS, type DrainPurpose } from '../../k8s/model/drain.ts';
import { unknownSince } from '../../k8s/model/node.ts';
import { putOnRecord } from '../short-steps.ts';
import { asSummary } from '../summary.ts';
import { doubled } from '../../providers/doubling.ts';
import { given } from '../../providers/given.ts';
import { AGAIN, DONE, waitFor, type Answer, type Wait } from './answer.ts';
import { endCalm } from './calm.ts';
import { retryDeletion } from './deletion-waits.ts';
import { describeDrain, namePods, type Silence } from './describe-drain.ts';
import { drainFor, lastDrain, leaveNode, noteTold } from './emptying.ts';
import type { DrainReport, DrainStage } from './drain-activities.ts';
import { noteStart, startOf } from './drain-start.ts';
import { followHurry, followLimit, lostBy, tellOfTimeout, timeoutToTellAt, timesForPass } from './drain-times.ts';
import { lookWhetherEnded, type Standstill } from './look-whether-ended.ts';
import type { DrainMemory, EndOfDrain } from './memory.ts';
import type { Pass } from './pass.ts';
import { local } from './ports.ts';
import { nodeTarget } from './proved-instance.ts';
import { failedAgain, kubernetesFailure, notDue, waitOf, type StepFailure } from './step-retry.ts';

const STEP = 'Drain';

/** Between two looks at a Node that another Machine claims, in milliseconds. */
const CLAIM_LOOK_MS = 30_000;

/** Least time between two looks, where something wakes the machine before the next one is due, in milliseconds: pods may come and go all the time. */
const REST_MS = 2000;

/** A look that comes so soon, where every pod that has to leave is on its way, most likely finds none: nothing is told before. Milliseconds. */
const MOMENT_MS = 1500;

interface Drain {
  readonly pass: Pass;
  readonly purpose: DrainPurpose;
  readonly stage: DrainStage;
  readonly slot: DrainMemory;
}

/** Empties the machine's Node, in passes: each evicts what may be evicted, and looks what is left. An empty Node is not looked at again. */
export async function emptyNode(pass: Pass, purpose: DrainPurpose, stage: DrainStage = 'pods'): Promise<Answer> {
  const slot = stage === 'pods' ? drainFor(pass, purpose) : lastDrain(pass);
  const drain: Drain = { pass, purpose, stage, slot };
  if (slot.isDone === true) return tellEndAgain(drain);
  const lostMs = lostBy(pass, slot, purpose);
  followLimit(pass, slot, lostMs);
  const isHurriedNow = followHurry(pass, purpose, slot, lostMs);
  const retry = notDue(slot.retry, pass.nowMs);
  if (retry !== undefined) return waitFor(retry);
  const rest = isHurriedNow ? undefined : restWoken(slot, pass);
  if (rest !== undefined) return rest;
  slot.startedAt ??= startOf(pass, purpose);
  if (endCalm(pass)) await putOnRecord('an abort has to wait from here on: the drain begins');
  const { nodeRef } = pass.status;
  if (slot.nodeUid === undefined && nodeRef !== undefined) slot.nodeUid = nodeRef.uid;
  const answer = await drainNode(drain, lostMs);
  if (answer.outcome === 'unfinished') return goOnSoon(drain, lostMs, answer.cordonedAt);
  delete slot.unfinished;
  if (answer.outcome === 'failed') return tryAgain(drain, kubernetesFailure(answer.message));
  delete slot.retry;
  slot.lostMs = lostMs;
  if (answer.outcome === 'noNode') {
    if (answer.leftTo !== undefined) return leave(drain, answer.leftTo);
    if (answer.ambiguous !== undefined) return waitForNode(drain, answer.ambiguous);
    slot.isDone = true;
    if (stage === 'pods') pass.clearCondition(DRAIN_CONDITIONS[purpose]);
    return DONE;
  }
  const isNew = noteStart(pass, purpose, slot.startedAt) && slot.told === undefined;
  if (answer.outcome === 'expired') {
    pass.attached = answer.volumes;
    noteTold(pass, 'cutShort', answer.isUntold !== true);
    slot.isTimedOut = true;
    const message = `the time for the drain is over, and the deletion goes on, with ${namePods(answer.abandoned)} left`;
    return end(drain, 'DrainTimedOut', message);
  }
  if (answer.outcome === 'drained') {
    pass.attached = answer.volumes;
    noteTold(pass, 'drained', answer.isUntold !== true);
    const { abandoned } = answer;
    const left = abandoned.count === 0 ? '' : `; nothing waits for the end of ${namePods(abandoned)}`;
    const whom = stage === 'pods' ? 'the Node is drained' : 'the pods of DaemonSets have left the Node';
    return end(drain, 'DrainSucceeded', `${whom}${left}`);
  }
  const ended = purpose === 'deletion' ? await whyEnded(drain, answer) : undefined;
  return ended ?? goOn(drain, answer, isNew);
}

/**
 * What woke it may end the wait: pods may have ended, or somebody uncordoned the Node. So it looks, but for a short rest. That is not told:
 * Nodes whose pods come and go would have their machines' status written twice for each.
 */
function restWoken({ wait, restsUntil = Infinity }: DrainMemory, { nowMs, rests }: Pass): Answer | undefined {
  if (wait?.until === undefined) return undefined;
  // The first pass of a run comes of the end of the one before it: nothing woke the machine.
  const lookAt = rests === 0 ? wait.until : Math.min(wait.until, restsUntil);
  return lookAt > nowMs ? { outcome: 'wait', wait, lookAt } : undefined;
}

/** Before the machine goes, neither pods nor volumes of its Node are waited for. */
export function skipDrain(pass: Pass, why: string): Answer {
  const drain = deletionOf(pass);
  if (why !== '' && pass.status.nodeRef !== undefined)
    return end(drain, 'DrainSkipped', `the Node is not drained: ${why}`);
  return over(drain, true);
}

/** Nothing runs on the Node: it is not drained, and Kubernetes takes away what is on it before the Node goes. */
export function leaveToKubernetes(pass: Pass, { is, why }: Standstill): Answer {
  if (pass.status.nodeRef === undefined) return skipDrain(pass, why);
  leaveNode(pass, { is });
  if (is === 'ended') return skipDrain(pass, why);
  const message = `the Node is not drained: ${why}; Kubernetes takes away its pods, and detaches their volumes`;
  return end(deletionOf(pass), 'InstanceStopped', message);
}

function deletionOf(pass: Pass): Drain {
  return { pass, purpose: 'deletion', stage: 'pods', slot: drainFor(pass, 'deletion') };
}

/** The Node is another Machine's: the instance ends without it, and a maintenance waits until that is settled. */
function leave(drain: Drain, leftTo: string): Answer {
  const { purpose } = drain;
  const message = `the Node is not drained: the Machine ${leftTo} claims it`;
  return purpose === 'deletion' ? end(drain, 'DrainSkipped', message) : waitForNode(drain, message);
}

/** Pods may run on any of several Nodes, and one may be a stranger's: somebody has to tell which is the machine's. */
function waitForNode({ pass, purpose, slot }: Drain, message: string): Answer {
  const reason = 'NodeAmbiguous';
  pass.setCondition({ type: DRAIN_CONDITIONS[purpose], status: 'False', reason, message });
  // It is never given up: there is no time to tell.
  const wait = { step: STEP, reason, message } as const;
  slot.wait = wait;
  return { outcome: 'wait', wait, lookAt: pass.nowMs + CLAIM_LOOK_MS };
}

function tryAgain({ pass, purpose, slot }: Drain, failure: StepFailure): Answer {
  if (purpose === 'deletion') return retryDeletion(pass, STEP, slot, failure);
  slot.retry = failedAgain(pass, STEP, failure, slot.retry);
  return waitFor(waitOf(slot.retry));
}

/** So many passes that did not come to their end follow one another at once; before later ones the machine sleeps, and holds up no others. */
const MOST_AT_ONCE = 4;
/** How long it sleeps then, in milliseconds: an API server that has too much to do gets ever less of it. */
const UNFINISHED_PAUSE_MS = { first: 2000, most: 16_000 };

/**
 * The API server was too slow for one pass, which is no failure: the next pass goes on. It is said once: at first where nothing is known of
 * the drain, else when it lasts.
 */
function goOnSoon({ pass, slot }: Drain, lostMs: number, cordonedAt: number | undefined): Answer {
  const unfinished = (slot.unfinished ?? 0) + 1;
  const isNews = unfinished === (slot.wait === undefined ? 1 : MOST_AT_ONCE);
  const pauseMs = unfinished < MOST_AT_ONCE ? 0 : doubled(UNFINISHED_PAUSE_MS, unfinished - MOST_AT_ONCE + 1);
  const node = pass.status.nodeRef === undefined ? 'the Node' : `Node ${pass.status.nodeRef.name}`;
  const message = `the API server takes long to cordon ${node}, or to tell what is on it`;
  const slow = { step: STEP, reason: 'Draining', message } as const;
  const wait: Wait = { ...(isNews ? slow : (slot.wait ?? slow)), until: pass.nowMs + pauseMs };
  Object.assign(slot, { lostMs, unfinished, wait }, given({ cordonedAt }));
  if (isNews) return waitFor(wait);
  return pauseMs === 0 ? AGAIN : { outcome: 'wait', wait, untold: true };
}

function drainNode({ pass, purpose, stage, slot }: Drain, lostMs: number) {
  const { nowMs: now, status } = pass;
  const { nodeRef } = status;
  const { cordonedAt, notes = {}, rolls, startedAt = now } = slot;
  const times = timesForPass(pass, purpose, slot, lostMs);
  const summary = asSummary(`drain ${nodeRef === undefined ? 'the Node' : `Node ${nodeRef.name}`}`);
  const request = {
    ...nodeTarget(pass),
    now,
    purpose,
    stage,
    startedAt,
    notes,
    ...given({ cordonedAt, rolls }),
    ...times,
    ...given({ tellsBeginning: (purpose === 'deletion' && isWaitedFor(pass)) || undefined }),
  };
  return local.drainNode.executeWithOptions({ summary }, [request]);
}

async function whyEnded(drain: Drain, { isNodeDown }: DrainReport): Promise<Answer | undefined> {
  const { pass, stage } = drain;
  if (isNodeDown !== true && pass.memory.inspect !== true) return undefined;
  const why = await lookWhetherEnded(pass, drainFor(pass, 'deletion'));
  if (why === undefined || stage === 'pods') return why && leaveToKubernetes(pass, why);
  leaveNode(pass, { is: why.is });
  return over(drain, true);
}

function goOn(drain: Drain, report: DrainReport, isNew: boolean): Answer {
  const { pass, purpose, stage, slot } = drain;
  const { reason, message } = describeDrain(report, silenceOf(pass));
  const { cordonedAt, notes, rolls, news = [], hurriedUntil } = report;
  const until = Math.min(report.until, timeoutToTellAt(pass, slot) ?? Infinity);
  if (slot.hurry !== undefined && hurriedUntil !== undefined) slot.hurry.until ??= hurriedUntil;
  const restsUntil = pass.nowMs + REST_MS;
  delete slot.restTold;
  const isBrief = isNotTold(drain) && isOverInAMoment(drain, report);
  Object.assign(slot, {
    cordonedAt,
    notes,
    ...given({ rolls }),
    wait: { step: STEP, reason, message, until },
    restsUntil,
  });
  if (isBrief) return { outcome: 'wait', wait: { step: STEP, reason, message, until }, untold: true };
  const condition = overdueOf(drain, report, message) ?? { reason, message };
  // Pods of DaemonSets leave after all that the condition tells of.
  if (stage === 'pods') pass.setCondition({ type: DRAIN_CONDITIONS[purpose], status: 'False', ...condition });
  if (report.trouble !== undefined && slot.told !== reason) {
    pass.tellOnce({ type: 'Warning', reason: 'DrainRequeued', message });
  } else if (isNew) {
    pass.tellOnce({ type: 'Normal', reason: 'DrainProceeds', message });
  }
  slot.told = reason;
  for (const event of news) pass.tellOnce(event);
  tellOfTimeout(pass, slot);
  return waitFor({ step: STEP, reason, message, until });
}

function silenceOf({ seen: { node, machine } }: Pass): Silence | undefined {
  const since = unknownSince(node?.ready, node?.readySince) === undefined ? undefined : node?.readySince;
  return since === undefined ? undefined : { since, isForGood: machine.deletedAt !== undefined };
}

/** Its status says nothing of this drain yet: after each pass so far it was most likely over in a moment. */
function isNotTold({ pass, slot }: Drain): boolean {
  return slot.wait === undefined || (slot.told === undefined && pass.seen.machine.status.waiting === undefined);
}

/** What can be aborted is told of at once, and so is what its set waits for. */
function isOverInAMoment({ pass, stage }: Drain, { counts, until, news = [] }: DrainReport): boolean {
  const { held, waiting } = counts;
  const isLeaving = held === 0 && waiting === 0 && news.length === 0;
  const concernsNobody = pass.seen.machine.deletedAt !== undefined && !isWaitedFor(pass);
  return isLeaving && stage === 'pods' && concernsNobody && until <= pass.nowMs + MOMENT_MS;
}

/** The set of the Machine makes another when it hears that the drain has begun. */
function isWaitedFor({ seen }: Pass): boolean {
  return seen.machine.deletedAt !== undefined && isMissed(seen.machine);
}

/** Where the time for a maintenance's drain is over: what the condition tells; an event tells it, too. Undefined: there is time left. */
function overdueOf({ pass, slot }: Drain, { overdue }: DrainReport, how: string) {
  const isNews = slot.isTimedOut !== true;
  slot.isTimedOut = overdue !== undefined;
  if (overdue === undefined) return undefined;
  const message = `the time for the drain is over, and it goes on, with ${namePods(overdue)} left; ${how}`;
  const reason = 'DrainTimedOut' as const;
  if (isNews) pass.tellOnce({ type: 'Warning', reason, message });
  return { reason, message };
}

function end(drain: Drain, reason: EndOfDrain['reason'], message: string): Answer {
  const { stage, slot } = drain;
  slot.end = { reason, message };
  // There was no pod of a DaemonSet that had to leave: that is no news.
  const isNoNews = stage === 'daemonSets' && reason !== 'DrainTimedOut' && slot.wait === undefined;
  if (!isNoNews) tellEnd(drain, slot.end);
  return over(drain, reason === 'DrainSkipped' || reason === 'InstanceStopped');
}

function tellEnd({ pass, purpose, stage }: Drain, { reason, message }: EndOfDrain): void {
  // What comes of a reboot when its Node is empty, its own phase tells.
  const status = purpose === 'reboot' ? 'False' : 'True';
  if (stage === 'pods') pass.setCondition({ type: DRAIN_CONDITIONS[purpose], status, reason, message });
  pass.tell({ type: reason === 'DrainTimedOut' ? 'Warning' : 'Normal', reason, message });
}

/** The write that was to tell it met another one. */
function tellEndAgain(drain: Drain): Answer {
  const { pass, purpose, stage, slot } = drain;
  const told = conditionOf(pass.status.conditions, DRAIN_CONDITIONS[purpose]);
  const isOwn = stage === 'pods' && purpose !== 'reboot';
  if (isOwn && slot.end !== undefined && told?.reason !== slot.end.reason) tellEnd(drain, slot.end);
  return DONE;
}

function over({ pass, stage, slot }: Drain, isCutShort: boolean): Answer {
  // The Node may still say that it is being drained.
  if (isCutShort && stage === 'pods' && slot.startedAt !== undefined) noteTold(pass, 'cutShort', false);
  slot.isDone = true;
  if (isCutShort) slot.isCutShort = true;
  delete slot.notes;
  delete slot.rolls;
  delete slot.wait;
  delete slot.restsUntil;
  delete slot.retry;
  return DONE;
}
