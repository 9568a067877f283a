import { setCurrentDetails } from '@temporalio/workflow';
import { isSameJson } from '../../k8s/json.ts';
import type { MachineDeploymentStatus } from '../../k8s/model/machine-deployment.ts';
import { failureMessage, isObjectChanged } from '../activity-failures.ts';
import { attempt, tellStatus, type Outcome } from '../attempt.ts';
import { liveEntity, type EntityInput, type Next, type Turn } from '../entity.ts';
import { keepCapacity } from '../keep-capacity.ts';
import { orSoon, UNSURE_LOOK_MS } from '../looks.ts';
import { tellMalformed } from '../malformed.ts';
import type { ObjectTarget } from '../object-target.ts';
import { tellScaled } from '../tell-scaled.ts';
import { resyncAt } from '../resync.ts';
import { missingAfter, retryAfter } from '../retry.ts';
import { fixTime, putOnRecord, reportEvent } from '../short-steps.ts';
import { describeRollout, whyRolloutWaits } from './describe-rollout.ts';
import type { FoundRollout } from './machine-deployment-activities.ts';
import { failuresAfter, isToStop, stuckAt, untoldOf, withTold, type FailureSight } from './failures.ts';
import { currentOf, failureSightOf } from './found-rollout.ts';
import { lookBeforeLate, nextAnswerAt } from './late-machines.ts';
import type { FailedMachine } from './new-machines.ts';
import { local } from './ports.ts';
import {
  areBudgetsDue,
  askAgainAt,
  isPreflightDue,
  isPreflightPassed,
  preflightStatus,
  withAnswer,
} from './preflight.ts';
import { ASKED, type Asked, type RolloutMemory } from './rollout-memory.ts';
import { failureEvent, reportOf } from './rollout-status.ts';
import { withLateLook } from './pauses.ts';
import { pauseEndOf } from './steps.ts';
import { chooseStop, mayBeToStop, type Stop } from './stop.ts';
import { hasStopped, untoldStopOf } from './untold-stop.ts';
import { given } from '../../providers/given.ts';

/** Who has the name of the set to make may go without a word. */
const TAKEN_LOOK_MS = 30_000;

/**
 * One deployment: has its machines replaced, step by step, when its template changes. It writes its MachineSets and nothing else;
 * these make and delete the Machines, and their changes wake it.
 */
export async function machineDeployment(input: EntityInput<RolloutMemory>): Promise<void> {
  const { ref, clusterUid, memory = { refusals: {} } } = input;
  await liveEntity(input, { memory, pass: (turn) => roll({ ref, clusterUid }, memory, turn) });
}

/** One pass over the deployment as it is now. */
async function roll(target: ObjectTarget, memory: RolloutMemory, turn: Turn): Promise<Next> {
  const startedAt = Date.now();
  const known = memory.pauses && withLateLook(memory.pauses, memory.lookAt, startedAt);
  delete memory.lookAt;
  const { scaleDown, scaleUp, replicas } = memory;
  const before = given({ pauses: known, scaleDown, scaleUp, replicasBefore: replicas });
  const survey = await local.surveyRollout({ ...target, ...turn.heard, ...before });
  turn.hear(survey);
  if (survey.found === false) return { end: undefined };
  if (survey.found === 'malformed') return tellMalformed(target, memory, survey, 'nothing is done');
  delete memory.malformed;
  memory.pauses = survey.pauses;
  if (survey.scaleDown === undefined) delete memory.scaleDown;
  else memory.scaleDown = survey.scaleDown;
  if (survey.scaleUp === undefined) delete memory.scaleUp;
  else memory.scaleUp = survey.scaleUp;
  if (survey.wasAway === true) {
    // In that time no machine may have come up: it is no machine's lateness.
    memory.pauses = withLateLook(survey.pauses, startedAt, Date.now());
    return 'again';
  }
  if (survey.deleting) {
    // Nothing is tried any more.
    memory.refusals = {};
    delete memory.failures;
    delete memory.told;
    delete memory.untold;
  } else {
    await tellScaled(target, memory, survey.rollout);
    // Half told, they would be shared out anew.
    if (isNews(survey.scaleUp, scaleUp) || isNews(survey.scaleDown, scaleDown))
      await putOnRecord('what the sets come to is recorded: they are about to be told');
    if (memory.untold !== undefined && hasStopped(survey, memory.untold)) await tellStop(target, memory);
    delete memory.untold;
    if (survey.hold?.reason !== 'DeploymentPaused') delete memory.pausedFor;
    if ((await step(target, memory, survey)) === 'changed') return 'again';
  }
  const isHeld = survey.deleting || survey.paused;
  const capacityAt = isHeld ? Infinity : await keepCapacity(target, memory, survey.capacityKey, survey.settings);
  const at = Math.min(nextLook(memory, survey, startedAt), capacityAt);
  memory.lookAt = at;
  setCurrentDetails(describeRollout(target.ref, survey, memory, at));
  return { at, why: whyRolloutWaits(survey, memory.refusals) };
}

function isNews<T extends object>(seen: T | undefined, known: T | undefined): boolean {
  return seen !== undefined && !isSameJson(seen, known);
}

/** One pass: adopt, make the set of the template, tell sets how many machines to have, say so. */
async function step(target: ObjectTarget, memory: RolloutMemory, survey: FoundRollout): Promise<'done' | 'changed'> {
  const { steps, generation, paused, settings } = survey;
  const { adopt, create, orders, remove } = steps;
  const on = { ...target, generation };
  const sight = { ...failureSightOf(survey), failed: await failedFor(target, memory, survey) };
  memory.failures = failuresAfter(memory.failures, sight, Date.now());
  if (!paused) await tellFailures(target, memory, survey, sight);
  const stop = isToStop(memory.failures, sight) ? chooseStop(survey, memory) : undefined;
  if (stop?.how === 'pause') memory.failures = { ...memory.failures, ...given({ barred: stop.barred }) };
  const goesBack = stop?.how === 'back';
  const pauses = steps.pauseFirst || stop?.how === 'pause';
  // What is made or taken, or adopted, before that is done would roll; and maybe it is to stop as soon as late machines have answered.
  const isHeldUp = pauses || goesBack || mayBeToStop(survey, memory, Date.now());
  // Another worker that goes on from there has to know what an event is to tell, whether it was done or not.
  const stopping = (of: Stop | undefined, act: () => Promise<void>) => async (): Promise<void> => {
    const untold = untoldStopOf(survey, of);
    if (untold !== undefined) memory.untold = untold;
    await putOnRecord('what an event is to tell is recorded: the rollout is about to be paused, or to go back');
    await act();
  };
  // What it did itself need not come back by the watcher.
  let isLookDue = false;
  if (paused) {
    memory.refusals = given({ writeStatus: memory.refusals.writeStatus });
  } else {
    const acts: readonly (readonly [Asked, (() => Promise<void>) | undefined])[] = [
      ['rollBack', goesBack ? stopping(stop, () => local.rollBack({ ...on, ...stop })) : undefined],
      ['pause', pauses ? stopping(goesBack ? undefined : stop, () => local.pauseRollout(on)) : undefined],
      ['adopt', adopt.length > 0 && !isHeldUp ? () => local.adoptSets({ ...on, sets: adopt }) : undefined],
      ['create', create && !isHeldUp ? () => local.createSet({ ...on, ...create }) : undefined],
      ['order', orders.length > 0 && !isHeldUp ? () => local.orderSets({ ...on, orders }) : undefined],
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
      const isStop = asked === 'rollBack' || asked === 'pause';
      if (outcome === 'done' && act !== undefined && isStop) await tellStop(target, memory);
      // Where it may not go back, it pauses.
      isLookDue ||=
        act !== undefined && (outcome === 'done' ? asked !== 'order' && asked !== 'remove' : asked === 'rollBack');
    }
  }
  if (stop === undefined && (await askBefore(target, memory, survey)) === 'changed') return 'changed';
  const report = reportOf(survey, memory, Date.now());
  const seen = given({ seen: survey.seen });
  const act = report && (() => local.writeMachineDeploymentStatus({ ...target, ...seen, ...report }));
  const told = await tellStatus({ target, known: memory.refusals.writeStatus, settings, act });
  if (remember(memory, 'writeStatus', told) === 'changed') return 'changed';
  // What it may do now follows from what is on record.
  const isAnother = told === 'done' && report !== undefined && isOtherRecord(report.status, survey.status);
  return isLookDue || isAnother ? 'changed' : 'done';
}

/** What has failed for all that is known: a late Machine looks at its instance first. */
async function failedFor(
  target: ObjectTarget,
  memory: RolloutMemory,
  { coming }: FoundRollout,
): Promise<readonly FailedMachine[]> {
  const { tell, failed, told } = lookBeforeLate(coming, memory.told ?? {}, Date.now());
  memory.told = told;
  if (Object.keys(told).length === 0) delete memory.told;
  if (tell.length === 0) return failed;
  try {
    await local.inspectMachines({ ...target, machines: tell.map(({ name, uid }) => ({ name, uid })) });
  } catch {
    // Without its look it counts as late in its time.
  }
  await fixTime();
  return failed;
}

/** One event for each machine that failed, where the rollout goes on in spite of it. */
async function tellFailures(
  target: ObjectTarget,
  memory: RolloutMemory,
  survey: FoundRollout,
  sight: FailureSight,
): Promise<void> {
  const { failures } = memory;
  const untold = failures === undefined ? [] : untoldOf(failures, sight);
  if (failures === undefined || untold.length === 0) return;
  for (const machine of untold) {
    await reportEvent({ ...target, event: failureEvent(survey, machine), which: machine.uid });
  }
  memory.failures = withTold(failures, untold);
}

function isOtherRecord(a: Partial<MachineDeploymentStatus>, b: Partial<MachineDeploymentStatus>): boolean {
  return !isSameJson([a.step, a.preflight], [b.step, b.preflight]);
}

/** Asks the cloud, before anything is made or taken for a template, whether a launch of it would work; and looks for what holds up drains. */
async function askBefore(
  target: ObjectTarget,
  memory: RolloutMemory,
  survey: FoundRollout,
): Promise<'done' | 'changed'> {
  const { paused, hold, preflight: sight, generation, templateHash, settings } = survey;
  const revision = currentOf(survey)?.revision;
  const isHeld = hold?.reason === 'DeploymentPaused' || hold?.reason === 'ReplaceNotAllowed';
  if (sight === undefined || isPreflightPassed(sight)) delete memory.preflightRetry;
  if (paused || isHeld || revision === undefined) return 'done';
  const known = sight && withAnswer(sight, memory.preflight, { templateHash, revision });
  const isDue = isPreflightDue({ sight: known, generation, retry: memory.preflightRetry }, Date.now());
  const hasNew = areBudgetsDue(known);
  if (!isDue && !hasNew) return 'done';
  try {
    const answer = await local.preflight({
      ...target,
      generation,
      revision,
      ...given({ hasNew: hasNew || undefined }),
    });
    await fixTime();
    if (answer.outcome === 'later') {
      memory.preflightRetry = retryAfter(answer.failure, memory.preflightRetry, settings, Date.now(), Math.random());
    } else if (!hasNew || answer.message !== undefined) {
      delete memory.preflightRetry;
      memory.preflight = preflightStatus(answer, { templateHash, revision, generation }, Date.now());
    }
    return 'done';
  } catch (error) {
    if (isObjectChanged(error)) return 'changed';
    await fixTime();
    memory.preflightRetry = missingAfter(failureMessage(error), memory.preflightRetry, settings, Date.now());
    return 'done';
  }
}

/** Says what was noted before it was done. */
async function tellStop(target: ObjectTarget, memory: RolloutMemory): Promise<void> {
  const { untold } = memory;
  if (untold === undefined) return;
  await reportEvent({ ...target, event: untold.event, which: String(untold.generation) });
  if (untold.pausedFor !== undefined) memory.pausedFor = untold.pausedFor;
  delete memory.untold;
}

function remember(memory: RolloutMemory, asked: keyof RolloutMemory['refusals'], outcome: Outcome): Outcome {
  if (outcome === 'done') delete memory.refusals[asked];
  else if (outcome !== 'changed') memory.refusals[asked] = outcome;
  return outcome;
}

/**
 * @param startedAt when the pass began: what has come since, while something of it took its time, it may not have seen. In milliseconds, as
 *   the answer
 */
function nextLook(memory: RolloutMemory, survey: FoundRollout, startedAt: number): number {
  const now = Date.now();
  const { availableAt = Infinity, isUnsure, steps, settings, coming } = survey;
  const { lateAt = Infinity } = coming;
  const pauseEnd = survey.step === undefined ? Infinity : pauseEndOf(survey.step);
  const tries = Object.values(memory.refusals).map(({ until }) => until);
  return Math.min(
    resyncAt(memory, settings, now),
    isUnsure === true ? now + UNSURE_LOOK_MS : Infinity,
    steps.taken === undefined ? Infinity : now + TAKEN_LOOK_MS,
    orSoon(availableAt, now),
    orSoon(lateAt, now),
    nextAnswerAt(memory.told ?? {}, now),
    memory.failures === undefined || survey.paused ? Infinity : orSoon(stuckAt(memory.failures, survey), now),
    // One that was over waits for machines, which wake it.
    pauseEnd > startedAt ? pauseEnd : Infinity,
    // What was over and was not asked for is held up by something else.
    ...[survey.preflight && askAgainAt(survey.preflight), memory.preflightRetry?.until].map((at = Infinity) =>
      at > startedAt ? at : Infinity,
    ),
    ...tries,
  );
}
