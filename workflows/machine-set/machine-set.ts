import { setCurrentDetails } from '@temporalio/workflow';
import { given } from '../../providers/given.ts';
import { tellStatus } from '../attempt.ts';
import { liveEntity, type EntityInput, type Next, type Turn } from '../entity.ts';
import { keepCapacity } from '../keep-capacity.ts';
import { orSoon, UNSURE_LOOK_MS } from '../looks.ts';
import { tellMalformed } from '../malformed.ts';
import type { ObjectTarget } from '../object-target.ts';
import { resyncAt } from '../resync.ts';
import { tellScaled } from '../tell-scaled.ts';
import { adoptAndRelease, createMissing, deleteSurplus, updateBehind } from './change-replicas.ts';
import { dropStaleMarks } from './drop-stale-marks.ts';
import { describeSet, whySetWaits, type SetWait, type Survey } from './describe-set.ts';
import { heldLookAt } from './held-look.ts';
import { local } from './ports.ts';
import { rememberRefusal, type MachineSetMemory } from './set-memory.ts';
import { reportOf } from './set-status.ts';

/** Pause before the next look where something changed under a pass. */
const LOOK_AGAIN_MS = 500;
/** The Machines that hold places say when they let go; this is for when that was missed. */
const HELD_LOOK_MS = 10_000;

/** One set of machines: keeps as many as it is asked for. The only writer of the Machines it creates. */
export async function machineSet(input: EntityInput<MachineSetMemory>): Promise<void> {
  const { ref, clusterUid, memory = { issued: [], refusals: {} } } = input;
  await liveEntity(input, { memory, pass: (turn) => keep({ ref, clusterUid }, memory, turn) });
}

/** One pass over the set as it is now. */
async function keep(target: ObjectTarget, memory: MachineSetMemory, turn: Turn): Promise<Next> {
  const survey = await local.surveyReplicas({ ...target, ...turn.heard, issued: memory.issued });
  turn.hear(survey);
  if (survey.found === false) return { end: undefined };
  if (survey.found === 'malformed') return tellMalformed(target, memory, survey, 'no machine is created or deleted');
  delete memory.malformed;
  if (survey.isOfDeployment === true) delete memory.replicas;
  else if (!survey.deleting) await tellScaled(target, memory, survey);
  const at = await step(target, memory, survey);
  const wait: SetWait = { at, refusals: memory.refusals, ...given({ heldBack: memory.heldBack }) };
  setCurrentDetails(describeSet(target.ref, survey, wait));
  return { at, why: whySetWaits(survey, wait) };
}

/** One pass: adopt and let go, have them follow the template, delete or create, say so. Answers when the next look is due, in milliseconds. */
async function step(target: ObjectTarget, memory: MachineSetMemory, survey: Survey): Promise<number> {
  const resync = resyncAt(memory, survey.settings, Date.now());
  if (survey.deleting) return resync;
  const steps = survey.paused
    ? [writeStatus]
    : [adoptAndRelease, updateBehind, deleteSurplus, createMissing, writeStatus];
  let isLookDue = false;
  for (const run of steps) isLookDue = (await run(target, memory, survey)) || isLookDue;
  const capacityAt = survey.paused ? Infinity : await keepCapacity(target, memory, survey.capacityKey, survey.settings);
  const marksAt = survey.paused ? Infinity : await dropStaleMarks(target, memory, survey);
  const now = Date.now();
  if (isLookDue) return now + LOOK_AGAIN_MS;
  const refusals = survey.paused ? [memory.refusals.writeStatus] : Object.values(memory.refusals);
  const heldUntil = survey.plan.held > 0 ? now + HELD_LOOK_MS : Infinity;
  const heldBackUntil = memory.heldBackSince === undefined ? Infinity : heldLookAt(memory.heldBackSince, now);
  const unsureUntil = survey.isUnsure === true ? now + UNSURE_LOOK_MS : Infinity;
  const settles = settledAt(memory, survey);
  const tries = refusals.map((refusal) => refusal?.until ?? Infinity);
  return Math.min(
    resync,
    heldUntil,
    heldBackUntil,
    unsureUntil,
    capacityAt,
    marksAt,
    availableAt(survey, now),
    settles > now ? settles : Infinity,
    ...tries,
  );
}

/** When the next Machine is available. A worker whose clock is behind Temporal's does not count it yet when that has come. */
function availableAt({ plan }: Survey, now: number): number {
  const { availableAt: at = Infinity } = plan;
  return orSoon(at, now);
}

/** When no Machine can be made any more that it may not have: then its deployment may give the place to another set. */
function settledAt({ createsUntil = 0 }: MachineSetMemory, { isOfDeployment, plan }: Survey): number {
  return isOfDeployment === true && plan.spare !== undefined ? createsUntil : 0;
}

/** Says how it stands. */
async function writeStatus(target: ObjectTarget, memory: MachineSetMemory, survey: Survey): Promise<boolean> {
  const { settings, seen } = survey;
  const now = Date.now();
  const report = reportOf(survey, memory.refusals, now, settledAt(memory, survey) <= now);
  const on = { ...target, ...given({ seen }) };
  const act = report === undefined ? undefined : () => local.writeMachineSetStatus({ ...on, ...report });
  const told = await tellStatus({ target, known: memory.refusals.writeStatus, settings, act });
  if (told === 'changed') return true;
  rememberRefusal(memory, 'writeStatus', told === 'done' ? undefined : told);
  return false;
}
