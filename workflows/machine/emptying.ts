import type { DrainPurpose } from '../../k8s/model/drain.ts';
import { given } from '../../providers/given.ts';
import { isPastDrain } from './deletion-points.ts';
import type { DrainEnd } from './drain-activities.ts';
import { newEmptying, type DrainMemory, type Emptying, type EndOfDrain, type LeftToKubernetes } from './memory.ts';
import type { Pass } from './pass.ts';

/** How far a machine's Node is emptied. Several phases have a part in that: what they know of one another, they know from here. */

/** The drain for this purpose. Where one for another purpose is remembered, that is forgotten, and this one begins. */
export function drainFor(pass: Pass, purpose: DrainPurpose): DrainMemory {
  const { emptying } = pass.memory;
  if (emptying.pods.purpose !== purpose) drainAnew(pass, purpose);
  return emptying.pods;
}

/** The drain for this purpose begins, whatever came of one before. */
export function drainAnew({ memory: { emptying } }: Pass, purpose: DrainPurpose): void {
  emptying.pods = { purpose };
}

/** The drain of the pods of DaemonSets, which goes on with the time of the one before. */
export function lastDrain({ memory: { emptying } }: Pass): DrainMemory {
  const { startedAt, cordonedAt, lostMs, hurry } = emptying.pods;
  emptying.daemonSets ??= { purpose: 'deletion', ...given({ startedAt, cordonedAt, lostMs, hurry }) };
  return emptying.daemonSets;
}

/** A drain was begun, and not taken back. */
export function isDrainBegun({ memory: { emptying } }: Pass): boolean {
  return emptying.pods.purpose !== undefined;
}

/** Its Node may have been written to, and its pods asked to go. */
export function isNodeAsked({ memory: { emptying } }: Pass): boolean {
  return emptying.pods.startedAt !== undefined;
}

/** A drain for this purpose was begun, and not taken back. */
export function isDrainBegunFor({ memory: { emptying } }: Pass, purpose: DrainPurpose): boolean {
  return emptying.pods.purpose === purpose;
}

/** Nobody waits for pods any more. */
export function isDrainDone({ memory: { emptying } }: Pass): boolean {
  return emptying.pods.isDone === true;
}

/** Undefined: it is not done, it was for another purpose, or there was no Node. */
export function endOfDrain({ memory: { emptying } }: Pass, purpose: DrainPurpose): EndOfDrain | undefined {
  const { pods } = emptying;
  return pods.purpose === purpose ? pods.end : undefined;
}

/** The Node was emptied for the deletion, or the time for that was over: nothing else comes to that end. */
export function isEmptied(pass: Pass): boolean {
  return meansEmptied(endOfDrain(pass, 'deletion')?.reason);
}

/** @param reason of the condition Drained */
export function meansEmptied(reason: string | undefined): boolean {
  return reason === 'DrainSucceeded' || reason === 'DrainTimedOut';
}

/** The Node that was drained is gone: the one on record by now is another. */
export function isOfEarlierNode({ memory: { emptying }, status: { nodeRef } }: Pass): boolean {
  const { nodeUid } = emptying.pods;
  return nodeUid !== undefined && nodeRef !== undefined && nodeRef.uid !== nodeUid;
}

/** Its time was over before all pods had left. */
export function isDrainTimedOut({ memory: { emptying } }: Pass): boolean {
  return emptying.pods.isTimedOut === true;
}

/** The pods that had to leave have left, or their time was over, and what comes after that may still be waited for. */
export function isDrained(pass: Pass): boolean {
  const { pods } = pass.memory.emptying;
  return pods.isDone === true && pods.isCutShort !== true && !isPastDrain(pass);
}

/** How the wait for the volumes of pods that left stands. */
export function detachmentOf({ memory: { emptying } }: Pass): Emptying['volumes'] {
  return emptying.volumes;
}

/** The pods of DaemonSets leave next. From a Node that is left to Kubernetes, Kubernetes takes them. */
export function areDaemonSetsNext(pass: Pass): boolean {
  const { volumes, left } = pass.memory.emptying;
  return isDrained(pass) && !isDrainTimedOut(pass) && volumes.isDone === true && left === undefined;
}

/** Where the Node does not tell how its drain ended: how that was, and when it had begun, in milliseconds since the epoch. */
export function untoldEnd({ memory: { emptying } }: Pass): { end: DrainEnd; since: number } | undefined {
  const { untold, startedAt = -Infinity } = emptying.pods;
  return untold === undefined ? undefined : { end: untold, since: startedAt };
}

/** Notes whether the Node tells how its drain ended. */
export function noteTold({ memory: { emptying } }: Pass, end: DrainEnd, isTold: boolean): void {
  if (isTold) delete emptying.pods.untold;
  else emptying.pods.untold = end;
}

/** Why the drain rests, as its Node tells it; undefined: it does not. */
export function restTold({ memory: { emptying } }: Pass): string | undefined {
  return emptying.pods.restTold;
}

/** The Node tells this. */
export function noteRestTold({ memory: { emptying } }: Pass, rests: string): void {
  emptying.pods.restTold = rests;
}

/** Somebody had opened the Node: pods may have come, and how long it is closed is not known any more. */
export function noteClosedAgain({ memory: { emptying } }: Pass): void {
  delete emptying.pods.cordonedAt;
}

/** When the drain last looked at the instance, in milliseconds since the epoch. */
export function instanceLookedAt({ memory: { emptying } }: Pass): number {
  return emptying.pods.lookedAt ?? -Infinity;
}

/** Undefined: the Node is emptied by its machine. */
export function leftToKubernetes({ memory: { emptying } }: Pass): LeftToKubernetes | undefined {
  return emptying.left;
}

/** From here on Kubernetes empties the Node. */
export function leaveNode({ memory: { emptying } }: Pass, how: LeftToKubernetes): void {
  emptying.left = how;
}

/** The same for a Node that was drained before: nothing of it is waited for any more. */
export function leaveDrainedNode(pass: Pass, how: LeftToKubernetes): void {
  leaveNode(pass, how);
  pass.memory.emptying.pods.isCutShort = true;
}

/** A Node that could not answer does so again. */
export function keepNode({ memory: { emptying } }: Pass): void {
  delete emptying.left;
}

/** Somebody has opened the Node: what has come since has to leave in the time of the drain before, but gets some notice. */
export function drainOpened({ memory, nowMs }: Pass): void {
  const { startedAt, nodeUid, hurry, limit, lostMs = 0 } = memory.emptying.pods;
  const known = given({ startedAt, nodeUid, hurry });
  const pods = { purpose: 'deletion', ...known, lostMs, limit: { ...limit, lostMs, since: nowMs } } as const;
  memory.emptying = { ...newEmptying(), pods };
}

/** The Node is emptied anew, as if nothing had been done. */
export function emptyAnew({ memory }: Pass): void {
  memory.emptying = newEmptying();
}

/** Forgets what came after the drain, and a drain for a deletion: a later deletion begins with it anew. A maintenance's drain stays. */
export function forgetEmptyingOfDeletion({ memory }: Pass): void {
  const { pods } = memory.emptying;
  memory.emptying = { ...newEmptying(), ...given({ pods: pods.purpose === 'deletion' ? undefined : pods }) };
}
