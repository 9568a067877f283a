import {
  ActivityFailure,
  condition,
  continueAsNew,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { MachineEvent, MachineTarget } from '../machine/machine-activities.ts';
import type { MachineSetActivities } from './machine-set-activities.ts';
import { withCondition, type Condition } from '../../k8s/model/condition.ts';
import { PAUSED_ANNOTATION } from '../../k8s/model/labels.ts';
import type { MachineSetStatus } from '../../k8s/model/machine-set.ts';
import { Alarm } from '../alarm.ts';
import { asDetails, asText } from '../markdown.ts';
import { reporting } from '../machine/ports.ts';
import { backoffMs } from '../machine/settings.ts';
import { isObjectChanged } from '../activity-failures.ts';
import { FOREIGN_CLUSTER } from '../failure-types.ts';
import { changedSignal } from '../signals.ts';
import { describeSet, whySetWaits, type SetWait, type Survey } from './describe-set.ts';
import { issueNames } from './issue-names.ts';

/** A set's short steps, each in the words that the Temporal UI shows for it. */
const local = {
  surveyReplicas: called('count the machines and plan what to do').surveyReplicas,
  adoptAndRelease: called('adopt machines that match, let go those that do not').adoptAndRelease,
  writeMachineSetStatus: called('write the status').writeMachineSetStatus,
};
const calls = proxyActivities<Pick<MachineSetActivities, 'createMachines' | 'deleteMachines'>>({
  startToCloseTimeout: '2m',
  heartbeatTimeout: '15s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '10s' },
});

function called(summary: string) {
  return proxyLocalActivities<MachineSetActivities>({
    summary,
    startToCloseTimeout: '30s',
    localRetryThreshold: '5s',
    retry: {
      initialInterval: '200ms',
      backoffCoefficient: 2,
      maximumInterval: '10s',
      // It would be repeated on the same worker: the task goes to another one.
      nonRetryableErrorTypes: [FOREIGN_CLUSTER],
    },
  });
}

/** Pause before the next look where something changed under a pass. */
const LOOK_AGAIN_MS = 500;
/** The Machines that hold places say when they let go; this is for when that was missed. */
const HELD_LOOK_MS = 10_000;

export interface MachineSetInput extends MachineTarget {
  readonly v: 1;
  readonly memory?: MachineSetMemory;
}

/** What the set's workflow must not forget between two looks. */
export interface MachineSetMemory {
  /** Names given out, and not yet known to exist. Recorded before anything is created. */
  issued: readonly string[];
  /** Refused creations in a row, what the last refusal said, and when the next try is due, in milliseconds. */
  refusals: number;
  refusal?: string;
  waitUntil?: number;
  resyncAt?: number;
  /** What is wrong with the object, once it was said. */
  malformed?: string;
}

/** One set of machines: keeps as many as it is asked for. The only writer of the Machines it creates. */
export async function machineSet(input: MachineSetInput): Promise<void> {
  const target: MachineTarget = { ref: input.ref, cluster: input.cluster };
  const memory: MachineSetMemory = input.memory ?? { issued: [], refusals: 0 };
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
    const wait: SetWait = { ...memory, at };
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

/** One pass: create or delete, adopt and release, say so. Answers when the next look is due. */
async function step(target: MachineTarget, memory: MachineSetMemory, survey: Survey): Promise<number> {
  const now = Date.now();
  if (memory.resyncAt === undefined || memory.resyncAt <= now) {
    memory.resyncAt = now + survey.settings.resyncSeconds * 1000;
  }
  try {
    if (survey.deleting) return memory.resyncAt;
    if (survey.paused) {
      await writeStatus(target, survey, pausedCondition());
      return memory.resyncAt;
    }
    const { plan } = survey;
    if (plan.adopt.length + plan.release.length > 0) {
      await local.adoptAndRelease({ ...target, adopt: plan.adopt, release: plan.release });
    }
    if (plan.remove.length > 0) {
      await calls.deleteMachines.executeWithOptions(
        { summary: `delete ${plan.remove.length} machines, to have ${survey.replicas}` },
        [{ ...target, victims: plan.remove, replicas: survey.replicas }],
      );
    }
    const refusal = await create(target, memory, survey);
    await writeStatus(target, survey, refusal === undefined ? createdCondition() : refusedCondition(refusal));
    if (refusal === undefined && plan.create + plan.unseen.length > 0) return now + LOOK_AGAIN_MS;
    const heldUntil = plan.held > 0 ? now + HELD_LOOK_MS : Infinity;
    return Math.min(memory.resyncAt, heldUntil, plan.availableAt ?? Infinity, memory.waitUntil ?? Infinity);
  } catch (error) {
    if (!isObjectChanged(error) && !(error instanceof ActivityFailure)) throw error;
    return now + LOOK_AGAIN_MS;
  }
}

/** Creates what is missing. Names go into the history, with the call, before the first of them exists. */
async function create(target: MachineTarget, memory: MachineSetMemory, survey: Survey): Promise<string | undefined> {
  const { plan, replicas, settings } = survey;
  memory.issued = plan.unseen;
  if (plan.create + plan.unseen.length === 0) {
    forgetRefusals(memory);
    return undefined;
  }
  if (memory.waitUntil !== undefined && memory.waitUntil > Date.now()) return memory.refusal ?? lastRefusal(survey);
  memory.issued = [...plan.unseen, ...issueNames(target.ref.name, plan.create)];
  const answer = await calls.createMachines.executeWithOptions(
    { summary: `create ${memory.issued.length} machines, to have ${replicas}` },
    [{ ...target, names: memory.issued, replicas }],
  );
  // Answered: every name exists by now, or will never be created. The next look tells which.
  memory.issued = [];
  if (answer.outcome === 'refused') {
    memory.refusals += 1;
    memory.waitUntil = Date.now() + backoffMs(settings, 'missing', memory.refusals, 0);
    memory.refusal = `${answer.reason}: ${answer.message}`;
    return memory.refusal;
  }
  forgetRefusals(memory);
  return undefined;
}

function forgetRefusals(memory: MachineSetMemory): void {
  memory.refusals = 0;
  delete memory.refusal;
  delete memory.waitUntil;
}

function lastRefusal({ status }: Survey): string {
  return status.conditions?.find((c) => c.type === 'MachinesCreated')?.message ?? 'the API server refused a Machine';
}

type NewCondition = Omit<Condition, 'lastTransitionTime'>;

function createdCondition(): NewCondition {
  return { type: 'MachinesCreated', status: 'True', reason: 'MachinesCreated', message: 'no Machine was refused' };
}

function refusedCondition(message: string): NewCondition {
  return { type: 'MachinesCreated', status: 'False', reason: 'FailedCreate', message };
}

function pausedCondition(): NewCondition {
  const message = `annotation ${PAUSED_ANNOTATION} is set: nothing is created or deleted until it is removed`;
  return { type: 'Paused', status: 'True', reason: 'Paused', message };
}

/** Two sets that select the same Machines: neither takes the other's, and what a person meant has to be asked. */
function overlapCondition(contested: string | undefined): NewCondition | undefined {
  if (contested === undefined) return undefined;
  const message = `spec.selector matches Machine ${contested}, which another controller has: it is left to that, and no Machine without a controller is safe from either`;
  return { type: 'SelectorConflict', status: 'True', reason: 'SelectorOverlap', message };
}

/** What of it is worth an event, because it was not so before. */
function newsOf(failure: NewCondition | undefined, overlap: NewCondition | undefined): MachineEvent | undefined {
  const news = failure ?? overlap;
  return news === undefined ? undefined : { type: 'Warning', reason: news.reason, message: news.message };
}

async function writeStatus(target: MachineTarget, survey: Survey, now: NewCondition): Promise<void> {
  const { plan, generation, status: stored } = survey;
  const others = (stored.conditions ?? []).filter((c) => c.type === 'MachinesCreated' && now.type === 'Paused');
  const known = [...others, ...(stored.conditions ?? []).filter((c) => c.type === now.type)];
  const at = new Date(Date.now()).toISOString();
  const overlap = overlapCondition(plan.contested);
  const knownOverlap = (stored.conditions ?? []).filter((c) => c.type === 'SelectorConflict');
  const conditions = [
    ...withCondition(known, now, at),
    ...(overlap === undefined ? [] : withCondition(knownOverlap, overlap, at)),
  ];
  const failed = now.type === 'MachinesCreated' && now.status === 'False';
  const status: MachineSetStatus = {
    ...plan.counts,
    observedGeneration: generation,
    conditions,
    ...(failed ? { error: { reason: 'CreateError', message: now.message } } : {}),
  };
  if (isSame(status, stored)) return;
  const event = newsOf(
    failed && stored.error === undefined ? now : undefined,
    knownOverlap.length > 0 ? undefined : overlap,
  );
  await local.writeMachineSetStatus({ ...target, status, ...(event === undefined ? {} : { event }) });
}

function isSame(a: MachineSetStatus, b: Partial<MachineSetStatus>): boolean {
  const facts = (s: Partial<MachineSetStatus>) => [
    s.replicas,
    s.fullyLabeledReplicas,
    s.readyReplicas,
    s.availableReplicas,
    s.observedGeneration,
    s.labelSelector,
    s.error?.message,
    (s.conditions ?? []).map((c) => [c.type, c.status, c.reason, c.message]),
  ];
  return JSON.stringify(facts(a)) === JSON.stringify(facts(b));
}
