import { condition, continueAsNew, setCurrentDetails, setHandler, workflowInfo } from '@temporalio/workflow';
import type { MachineTarget } from '../machine/machine-activities.ts';
import { failureMessage, isObjectChanged } from '../activity-failures.ts';
import { Alarm } from '../alarm.ts';
import { asDetails, asText } from '../markdown.ts';
import { reporting } from '../machine/ports.ts';
import { changedSignal } from '../signals.ts';
import { adoptAndRelease, createMissing, deleteSurplus } from './change-replicas.ts';
import { describeSet, whySetWaits, type SetWait, type Survey } from './describe-set.ts';
import { local } from './ports.ts';
import { refusedAgain } from './refusals.ts';
import { rememberRefusal, type MachineSetMemory } from './set-memory.ts';
import { reportOf } from './set-status.ts';

/** Pause before the next look where something changed under a pass. */
const LOOK_AGAIN_MS = 500;
/** The Machines that hold places say when they let go; this is for when that was missed. */
const HELD_LOOK_MS = 10_000;

export interface MachineSetInput extends MachineTarget {
  readonly v: 1;
  readonly memory?: MachineSetMemory;
}

/** One set of machines: keeps as many as it is asked for. The only writer of the Machines it creates. */
export async function machineSet(input: MachineSetInput): Promise<void> {
  const target: MachineTarget = { ref: input.ref, cluster: input.cluster };
  const memory: MachineSetMemory = input.memory ?? { issued: [], refusals: {} };
  const alarm = new Alarm();
  let dirty = true;
  setHandler(changedSignal, () => {
    dirty = true;
  });

  for (;;) {
    await condition(() => dirty || alarm.hasRung || workflowInfo().continueAsNewSuggested);
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof machineSet>({ v: 1, ...target, memory });
    dirty = false;
    alarm.hasRung = false;

    const survey = await local.surveyReplicas({ ...target, issued: memory.issued });
    if (survey.found === false) return;
    if (survey.found === 'malformed') {
      await tellMalformed(target, memory, survey.message);
      alarm.set(Date.now() + survey.resyncSeconds * 1000, `the object to be mended: ${survey.message}`);
      continue;
    }
    delete memory.malformed;
    const at = await step(target, memory, survey);
    const wait: SetWait = { at, refusals: memory.refusals };
    setCurrentDetails(describeSet(target.ref, survey, wait));
    alarm.set(at, whySetWaits(survey, wait));
  }
}

/** An object that is not what its schema allows is left alone: what it asks for is anybody's guess. */
async function tellMalformed(target: MachineTarget, memory: MachineSetMemory, problem: string): Promise<void> {
  const message = `${problem}: no machine is created or deleted until the object is mended`;
  setCurrentDetails(asDetails([`**Held**: ${asText(message)}.`]));
  if (memory.malformed === message) return;
  await reporting.reportEvent({ ...target, event: { type: 'Warning', reason: 'FailedValidate', message } });
  memory.malformed = message;
}

/** One pass: adopt and let go, delete or create, say so. Answers when the next look is due, in milliseconds. */
async function step(target: MachineTarget, memory: MachineSetMemory, survey: Survey): Promise<number> {
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
async function writeStatus(target: MachineTarget, memory: MachineSetMemory, survey: Survey): Promise<boolean> {
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
    await reporting.reportEvent({ ...target, event: { type: 'Warning', reason: 'FailedStatusWrite', message } });
    return false;
  }
}
