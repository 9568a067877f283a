import { setCurrentDetails } from '@temporalio/workflow';
import { attempt, tellStatus, type Outcome } from '../attempt.ts';
import { liveEntity, type EntityInput, type Next } from '../entity.ts';
import { tellMalformed } from '../malformed.ts';
import type { ObjectTarget } from '../object-target.ts';
import { resyncAt } from '../resync.ts';
import { reportEvent } from '../short-steps.ts';
import { describeRollout, whyRolloutWaits } from './describe-rollout.ts';
import type { FoundRollout } from './machine-deployment-activities.ts';
import { describeFailures, failuresAfter, isToStop, type FailureSight } from './failures.ts';
import { local } from './ports.ts';
import { ASKED, type Asked, type RolloutMemory } from './rollout-memory.ts';
import { oldSetsOf, reportOf } from './rollout-status.ts';
import { given } from '../../providers/given.ts';

/** Least time between two looks, in milliseconds: many machines change at once. */
const REST_MS = 1000;
/** Nothing tells when the Cluster can be read again. */
const UNSURE_LOOK_MS = 300_000;
/** Who has the name of the set to make may go without a word. */
const TAKEN_LOOK_MS = 30_000;
/** What is due by Temporal's clock is not yet by the worker's. */
const SLOW_CLOCK_LOOK_MS = 5000;

/**
 * One deployment: has its machines replaced, step by step, when its template changes. It writes its MachineSets and nothing else;
 * these make and delete the Machines, and their changes wake it.
 */
export async function machineDeployment(input: EntityInput<RolloutMemory>): Promise<void> {
  const { ref, clusterUid, memory = { refusals: {} } } = input;
  await liveEntity(input, { memory, restMs: REST_MS, pass: () => roll({ ref, clusterUid }, memory) });
}

/** One pass over the deployment as it is now. */
async function roll(target: ObjectTarget, memory: RolloutMemory): Promise<Next> {
  const survey = await local.surveyRollout(target);
  if (survey.found === false) return { end: undefined };
  if (survey.found === 'malformed') {
    await tellMalformed(target, memory, `${survey.message}: nothing is done until the object is mended`);
    const at = Date.now() + survey.resyncSeconds * 1000;
    return { at, why: `the object to be mended: ${survey.message}` };
  }
  delete memory.malformed;
  if (!survey.deleting) {
    await tellScaled(target, memory, survey);
    if ((await step(target, memory, survey)) === 'changed') return 'again';
  }
  const at = nextLook(memory, survey);
  setCurrentDetails(describeRollout(target.ref, survey, memory.refusals, at));
  return { at, why: whyRolloutWaits(survey, memory.refusals) };
}

/** One pass: adopt, make the set of the template, tell sets how many machines to have, say so. */
async function step(target: ObjectTarget, memory: RolloutMemory, survey: FoundRollout): Promise<'done' | 'changed'> {
  const { steps, generation, paused, settings } = survey;
  const { adopt, create, orders, remove } = steps;
  const on = { ...target, generation };
  memory.failures = failuresAfter(memory.failures, sightOf(survey));
  // What is taken of the old ones from now on would be taken for nothing.
  const stops = isToStop(memory.failures, sightOf(survey)) && oldSetsOf(survey).length > 0;
  const pauseFirst = steps.pauseFirst || stops;
  // What it did itself need not come back by the watcher.
  let isLookDue = false;
  if (!paused) {
    const acts: readonly (readonly [Asked, (() => Promise<void>) | undefined])[] = [
      ['pause', pauseFirst ? () => local.pauseRollout(on) : undefined],
      // What is adopted before the pause is seen would roll.
      ['adopt', adopt.length > 0 && !pauseFirst ? () => local.adoptSets({ ...on, sets: adopt }) : undefined],
      ['create', create && !pauseFirst ? () => local.createSet({ ...on, revision: create.revision }) : undefined],
      ['order', orders.length > 0 && !pauseFirst ? () => local.orderSets({ ...on, orders }) : undefined],
      ['remove', remove.length > 0 ? () => local.removeSets({ ...on, sets: remove }) : undefined],
    ];
    for (const [asked, act] of acts) {
      const outcome = await attempt({
        target,
        known: memory.refusals[asked],
        settings,
        act,
        reason: 'FailedCreate',
        words: `cannot ${ASKED[asked]}`,
      });
      if (remember(memory, asked, outcome) === 'changed') return 'changed';
      if (asked === 'pause' && stops && outcome === 'done') await tellStopped(target, memory);
      isLookDue ||= act !== undefined && outcome === 'done' && asked !== 'order' && asked !== 'remove';
    }
  }
  const report = reportOf(survey, memory, Date.now());
  const act = report === undefined ? undefined : () => local.writeMachineDeploymentStatus({ ...target, ...report });
  const told = await tellStatus({ target, known: memory.refusals.writeStatus, settings, act });
  if (remember(memory, 'writeStatus', told) === 'changed') return 'changed';
  return isLookDue ? 'changed' : 'done';
}

function sightOf({ templateHash: hash, coming, rollout, failureThreshold }: FoundRollout): FailureSight {
  const { failed } = coming;
  return { hash, failed, isHeld: rollout.isHeld, ...given({ failureThreshold }) };
}

async function tellStopped(target: ObjectTarget, { failures }: RolloutMemory): Promise<void> {
  const why = failures && describeFailures(failures);
  const message = `the rollout is paused before it takes more old machines: ${why}`;
  await reportEvent({ ...target, event: { type: 'Warning', reason: 'RolloutStopped', message } });
}

function remember(memory: RolloutMemory, asked: keyof RolloutMemory['refusals'], outcome: Outcome): Outcome {
  if (outcome === 'done') delete memory.refusals[asked];
  else if (outcome !== 'changed') memory.refusals[asked] = outcome;
  return outcome;
}

/** Two may write how many machines there should be, e.g. an autoscaler and a pipeline: the last one wins, and it is told from which number. */
async function tellScaled(target: ObjectTarget, memory: RolloutMemory, { rollout }: FoundRollout): Promise<void> {
  const { replicas: before } = memory;
  memory.replicas = rollout.replicas;
  if (before === undefined || before === rollout.replicas) return;
  const message = `spec.replicas went from ${before} to ${rollout.replicas}`;
  await reportEvent({ ...target, event: { type: 'Normal', reason: 'ReplicasChanged', message } });
}

function nextLook(memory: RolloutMemory, survey: FoundRollout): number {
  const now = Date.now();
  const { availableAt = Infinity, isUnsure, steps, settings, coming } = survey;
  const { lateAt = Infinity } = coming;
  const tries = Object.values(memory.refusals).map(({ until }) => until);
  return Math.min(
    resyncAt(memory, settings, now),
    isUnsure === true ? now + UNSURE_LOOK_MS : Infinity,
    steps.taken === undefined ? Infinity : now + TAKEN_LOOK_MS,
    availableAt > now ? availableAt : now + SLOW_CLOCK_LOOK_MS,
    lateAt > now ? lateAt : now + SLOW_CLOCK_LOOK_MS,
    ...tries,
  );
}
