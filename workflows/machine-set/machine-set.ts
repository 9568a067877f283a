import { setCurrentDetails } from '@temporalio/workflow';
import { toDoAbout, type Reason } from '../../k8s/model/reasons/reasons.ts';
import { failureMessage, isObjectChanged } from '../activity-failures.ts';
import { liveEntity, type EntityInput, type Next } from '../entity.ts';
import { asDetails, asText } from '../markdown.ts';
import type { ObjectTarget } from '../object-target.ts';
import { refusedAgain } from '../refusal.ts';
import { reportEvent } from '../short-steps.ts';
import { adoptAndRelease, createMissing, deleteSurplus } from './change-replicas.ts';
import { describeSet, whySetWaits, type SetWait, type Survey } from './describe-set.ts';
import { local } from './ports.ts';
import { rememberRefusal, type MachineSetMemory } from './set-memory.ts';
import { reportOf } from './set-status.ts';

/** Pause before the next look where something changed under a pass. */
const LOOK_AGAIN_MS = 500;
/** The Machines that hold places say when they let go; this is for when that was missed. */
const HELD_LOOK_MS = 10_000;

/** One set of machines: keeps as many as it is asked for. The only writer of the Machines it creates. */
export async function machineSet(input: EntityInput<MachineSetMemory>): Promise<void> {
  const { ref, cluster, memory = { issued: [], refusals: {} } } = input;
  await liveEntity(input, { memory, pass: () => keep({ ref, cluster }, memory) });
}

/** One pass over the set as it is now. */
async function keep(target: ObjectTarget, memory: MachineSetMemory): Promise<Next> {
  const survey = await local.surveyReplicas({ ...target, issued: memory.issued });
  if (survey.found === false) return { end: undefined };
  if (survey.found === 'malformed') {
    await tellMalformed(target, memory, survey.message);
    const at = Date.now() + survey.resyncSeconds * 1000;
    return { at, why: `the object to be mended: ${survey.message}` };
  }
  delete memory.malformed;
  const at = await step(target, memory, survey);
  const wait: SetWait = { at, refusals: memory.refusals };
  setCurrentDetails(describeSet(target.ref, survey, wait));
  return { at, why: whySetWaits(survey, wait) };
}

/** An object that is not what its schema allows is left alone: what it asks for is anybody's guess. */
async function tellMalformed(target: ObjectTarget, memory: MachineSetMemory, problem: string): Promise<void> {
  const message = `${problem}: no machine is created or deleted until the object is mended`;
  const toDo = toDoAbout({ reason: 'MalformedObject' satisfies Reason });
  setCurrentDetails(asDetails([`**Held**: ${asText(message)}.`, `**What to do:** ${toDo}`]));
  if (memory.malformed === message) return;
  await reportEvent({ ...target, event: { type: 'Warning', reason: 'FailedValidate', message } });
  memory.malformed = message;
}

/** One pass: adopt and let go, delete or create, say so. Answers when the next look is due, in milliseconds. */
async function step(target: ObjectTarget, memory: MachineSetMemory, survey: Survey): Promise<number> {
  if (memory.resyncAt === undefined || memory.resyncAt <= Date.now()) {
    memory.resyncAt = Date.now() + survey.settings.resyncSeconds * 1000;
  }
  if (survey.deleting) return memory.resyncAt;
  const steps = survey.paused ? [writeStatus] : [adoptAndRelease, deleteSurplus, createMissing, writeStatus];
  let isLookDue = false;
  for (const run of steps) isLookDue = (await run(target, memory, survey)) || isLookDue;
  const now = Date.now();
  if (isLookDue) return now + LOOK_AGAIN_MS;
  const refusals = survey.paused ? [memory.refusals.writeStatus] : Object.values(memory.refusals);
  const heldUntil = survey.plan.held > 0 ? now + HELD_LOOK_MS : Infinity;
  const tries = refusals.map((refusal) => refusal?.waitUntil ?? Infinity);
  return Math.min(memory.resyncAt, heldUntil, survey.plan.availableAt ?? Infinity, ...tries);
}

/** Says how it stands. Where that is refused, an event says so, once. */
async function writeStatus(target: ObjectTarget, memory: MachineSetMemory, survey: Survey): Promise<boolean> {
  const known = memory.refusals.writeStatus;
  if (known !== undefined && known.waitUntil > Date.now()) return false;
  const report = reportOf(survey, memory.refusals, Date.now());
  try {
    if (report !== undefined) await local.writeMachineSetStatus({ ...target, ...report });
    rememberRefusal(memory, 'writeStatus', undefined);
    return false;
  } catch (error) {
    if (isObjectChanged(error)) return true;
    const refusal = refusedAgain(known, failureMessage(error), survey.settings, Date.now());
    rememberRefusal(memory, 'writeStatus', refusal);
    if (refusal.times > 1) return false;
    const message = `the status cannot be written, and is not what it says: ${refusal.message}`;
    await reportEvent({ ...target, event: { type: 'Warning', reason: 'FailedStatusWrite', message } });
    return false;
  }
}
