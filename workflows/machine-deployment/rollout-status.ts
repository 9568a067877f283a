import { isSameJson } from '../../k8s/json.ts';
import { conditionOf, saySame, sayOnly, type Condition, type NewCondition } from '../../k8s/model/condition.ts';
import type { MachineDeploymentStatus, PreflightStatus, StepStatus } from '../../k8s/model/machine-deployment.ts';
import { asClause } from '../../k8s/model/as-clause.ts';
import { countOf } from '../../k8s/model/count.ts';
import { isEventReason } from '../../k8s/model/reasons/reasons.ts';
import type { SetFailure } from '../../k8s/model/set-failure.ts';
import { isTroubled } from '../../k8s/model/trouble.ts';
import { given } from '../../providers/given.ts';
import { describePause, describeTakeOver } from '../describe-pause.ts';
import type { ObjectEvent } from '../event-activities.ts';
import { currentOf, isComplete, isToldComplete, oldSetsOf } from './found-rollout.ts';
import type { FoundRollout } from './machine-deployment-activities.ts';
import { countFailures, describeFailures, describeStop, type RolloutFailures } from './failures.ts';
import type { FailedMachine } from './new-machines.ts';
import { refusalsOf, type RolloutMemory, type RolloutRefusals } from './rollout-memory.ts';
import { leastAvailable, type Rollout } from './rollout.ts';
import { describeHeldUp } from './held-up.ts';
import { describePausedSet } from './paused-set.ts';
import { withAnswer } from './preflight.ts';
import { describeStep } from './steps.ts';
import { stepAfter } from './step-after.ts';

/** Where nothing stops it. */
const GOES_ON =
  '. The rollout goes on as far as maxSurge and maxUnavailable let it: a machine that failed keeps its place until somebody, or a health check, deletes it';
/** Where somebody has paused it besides. */
const PAUSED = '. The rollout is paused; when spec.paused is false it goes on, and is not stopped for that';
/** Where none can come any more. */
const STANDS =
  '. The rollout goes on when somebody, or a health check, deletes a machine that failed: mend the template first where it is to blame';
/** Of a type that takes none for new ones to be available. */
const NOT_STOPPED =
  '. A rollout of this type is not stopped for that: mend the template, and delete the machine, or have a health check do so';
/** Where it would be stopped. */
const NOTHING_TO_STOP =
  '. No machine of an earlier revision is left, so there is nothing to pause: mend the template, and delete the machine, or have a health check do so';
/** Of a template of which there are machines. */
const NOT_ASKED = 'not asked: there are machines of it';

/** The status to write, and what of it is news. */
export interface RolloutReport {
  readonly status: MachineDeploymentStatus;
  readonly events: readonly ObjectEvent[];
}

/**
 * What the deployment's status should say now; undefined: it says so already.
 *
 * @param now milliseconds since the epoch
 */
export function reportOf(
  survey: FoundRollout,
  { refusals, failures, preflight, preflightRetry, pausedFor }: Omit<RolloutMemory, 'replicas'>,
  now: number,
): RolloutReport | undefined {
  const { counts, generation } = survey;
  const stored = { ...survey.status, conditions: survey.status.conditions ?? [] };
  const paused = pausedCondition(survey, pausedFor);
  const said = [
    availableCondition(survey),
    progressCondition(survey, given({ failures, preflightRetry, paused })),
    ...failureCondition(survey, refusals),
    ...(paused === undefined ? [] : [paused]),
  ];
  const at = new Date(now).toISOString();
  const conditions = sayOnly(stored.conditions, said, at);
  const revision = currentOf(survey)?.revision;
  const status: MachineDeploymentStatus = {
    ...counts,
    ...given({ revision, completeTemplateHash: completeOf(survey) }),
    ...given({ preflight: preflightAfter(survey, preflight, at), step: stepAfter(survey, failures, now) }),
    observedGeneration: generation,
    conditions,
  };
  if (isSame(status, stored)) return undefined;
  const news = said.filter((c) => !stored.conditions.some((s) => s.type === c.type && isTroubled(s)));
  return {
    status,
    events: [
      ...news.flatMap(eventOf),
      ...preflightEvents(survey, status.preflight),
      ...stepEvents(survey, status.step),
    ],
  };
}

/** Of a deployment of no machines nobody knows whether its template is any good. */
function completeOf(survey: FoundRollout): string | undefined {
  const isProved = survey.rollout.replicas > 0 && isComplete(survey);
  return isProved ? survey.templateHash : survey.status.completeTemplateHash;
}

function availableCondition({ rollout, counts }: FoundRollout): NewCondition {
  // As of Kubernetes' Deployments: that all are missing for a while is the way of Recreate, and no state to be well in.
  const least = rollout.type === 'Recreate' ? rollout.replicas : leastAvailable(rollout);
  const available = countOf(counts.availableReplicas, 'machine is', 'machines are');
  const message = `${available} available; of ${rollout.replicas} at least ${least} have to be`;
  return counts.availableReplicas >= least
    ? { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable', message }
    : { type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable', message };
}

function progressCondition(
  survey: FoundRollout,
  {
    failures,
    preflightRetry,
    paused,
  }: Pick<RolloutMemory, 'failures' | 'preflightRetry'> & { readonly paused?: NewCondition },
): NewCondition {
  const type = 'Progressing';
  const { rollout, counts, steps, status, rolledBack, hold, step } = survey;
  const since =
    rolledBack === undefined ? '' : `; it was rolled back from revision ${rolledBack.revision}: ${rolledBack.why}`;
  const current = currentOf(survey);
  const failed = failures && failedCondition(survey, failures);
  if (failed !== undefined) return failed;
  if (steps.taken !== undefined) {
    // Whatever else is waited for comes only then.
    const message = `the MachineSet of the template cannot be made: another one has its name, ${steps.taken}`;
    return { type, status: 'True', reason: 'ReplicaSetUpdated', message };
  }
  const known = status.conditions?.find((condition) => condition.type === type);
  const old = oldSetsOf(survey);
  const isOver = isComplete(survey) || (old.length === 0 && isToldComplete(status, current?.revision));
  if (survey.paused && !isOver) {
    return { type, status: 'Unknown', reason: 'Paused', message: describeWhoPauses(survey) };
  }
  const forgotten = known && stopOnRecord(survey, known, failures);
  if (forgotten !== undefined) return forgotten;
  if (hold !== undefined) {
    if (paused?.reason === 'PausedToAdopt') return { type, ...hold, message: paused.message };
    const tried =
      hold.reason === 'PreflightPending' && preflightRetry !== undefined ? `: ${preflightRetry.message}` : '';
    return { type, ...hold, message: hold.message + tried };
  }
  if (current === undefined) {
    return { type, status: 'True', reason: 'ReplicaSetUpdated', message: 'the MachineSet of the template is made' };
  }
  if (isOver) {
    const { pausedSet, coming } = survey;
    const stopped = isComplete(survey) ? undefined : pausedSet && describePausedSet(pausedSet);
    const troubles = [coming.unusable, stopped].map((words) => (words === undefined ? '' : `. ${words}`)).join('');
    const message = `all machines are of MachineSet ${current.name}, revision ${current.revision}${since}${troubles}`;
    return { type, status: 'True', reason: 'NewReplicaSetAvailable', message };
  }
  const { lacksCapacity, lost } = survey.coming;
  if (lacksCapacity !== undefined) {
    const message = `${asClause(lacksCapacity)}. The rollout goes on when the cloud launches it`;
    return { type, status: 'True', reason: 'WaitingForCapacity', message };
  }
  if (lost !== undefined) {
    const message = `${asClause(lost)}. It is replaced when somebody, or a health check, deletes it`;
    return { type, status: 'True', reason: 'WaitingForCapacity', message };
  }
  const left = old.reduce((sum, { existing }) => sum + existing, 0);
  const message =
    `${counts.updatedReplicas} of ${rollout.replicas} machines are of revision ${current.revision}, of which ${current.available} are available` +
    (left === 0
      ? ''
      : `; ${countOf(left, 'of earlier ones is', 'of earlier ones are')} left${rollout.type === 'OnDelete' ? ', each until somebody deletes it' : ''}`) +
    (step?.step === undefined ? '' : `; step ${step.number} of ${step.of}: ${describeStep(step)}`) +
    describeStrays(rollout) +
    since +
    describeTrouble(survey);
  return { type, status: 'True', reason: 'ReplicaSetUpdated', message };
}

/**
 * It stands still for what failed, and who knew of that was lost with its memory: the status tells it still. A machine that was late is so no
 * more by the times that count from now. Undefined: it is not so.
 */
function stopOnRecord(
  survey: FoundRollout,
  { status, reason, message }: Pick<Condition, 'status' | 'reason' | 'message'>,
  failures: RolloutFailures | undefined,
): FailedCondition | undefined {
  if (status !== 'False' || (reason !== 'NewMachinesFailed' && reason !== 'ProgressDeadlineExceeded')) return undefined;
  const isOfThis = survey.status.revision !== undefined && survey.status.revision === currentOf(survey)?.revision;
  const isForgotten = failures === undefined || failures.failed.length === 0;
  const isStill = survey.hold?.reason === 'DeploymentPaused' && isOfThis && isForgotten && !isComplete(survey);
  return isStill ? { type: 'Progressing', status, reason, message } : undefined;
}

/** What keeps it from getting on, those new machines included that may fail. */
function describeTrouble({ coming: { failed, unusable }, pausedSet, heldUp }: FoundRollout): string {
  const stopped = pausedSet && describePausedSet(pausedSet);
  const troubles = [
    describeFailures({ failed }),
    unusable,
    stopped,
    heldUp && capitalized(describeHeldUp(heldUp)),
  ].filter((words) => words !== undefined);
  return troubles.map((words) => `. ${words}`).join('');
}

function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** They count among the machines that there may be. */
function describeStrays({ strays }: Rollout): string {
  if (strays === 0) return '';
  const words = strays === 1 ? 'one machine that it selects belongs' : `${strays} machines that it selects belong`;
  return `; ${words} to no MachineSet, and ${strays === 1 ? 'counts' : 'count'} among those that there may be`;
}

interface FailedCondition extends Omit<NewCondition, 'reason'> {
  readonly reason: 'NewMachinesFailed' | 'ProgressDeadlineExceeded';
}

/** New machines failed or were too late, and as many are not there: whether it stands still for that or not. */
export function failedCondition(survey: FoundRollout, failures: RolloutFailures): FailedCondition | undefined {
  const words = describeFailures(failures);
  const isUnder = countFailures(failures) < (survey.failureThreshold ?? 1) && failures.isStuck !== true;
  if (words === undefined || isUnder || isComplete(survey)) return undefined;
  const isLate = failures.failed.every((machine) => machine.isLate);
  const reason = isLate ? 'ProgressDeadlineExceeded' : 'NewMachinesFailed';
  const first = failures.isStuck === true ? 'delete what failed, which keeps the place of others, and ' : '';
  const message = failures.isStopped
    ? `${asClause(describeStop({ why: words, ...given({ barred: failures.barred }) }))}. The rollout is paused: undo it, change the template, or ${first}set spec.paused to false to go on in spite of that`
    : asClause(words) + (survey.hold?.reason === 'DeploymentPaused' ? PAUSED : goesOn(survey, failures));
  return { type: 'Progressing', status: 'False', reason, message };
}

/** What becomes of it where nothing stops it, and what somebody can do; nothing where it is about to stop. */
function goesOn(survey: FoundRollout, { isStuck }: RolloutFailures): string {
  if (survey.failureThreshold !== undefined) {
    const isNothingLeft = oldSetsOf(survey).length === 0 && survey.wayBack?.to === undefined;
    return isNothingLeft ? NOTHING_TO_STOP : '';
  }
  return isStuck === true && survey.rollout.type === 'RollingUpdate' ? STANDS : goesOnWords(survey);
}

function goesOnWords({ rollout }: FoundRollout): string {
  return rollout.type === 'RollingUpdate' ? GOES_ON : NOT_STOPPED;
}

/** What an event tells of a machine that failed, and for which nothing stops the rollout. */
export function failureEvent(survey: FoundRollout, { name, why, isLate }: FailedMachine): ObjectEvent {
  const reason = isLate ? 'ProgressDeadlineExceeded' : 'NewMachinesFailed';
  return { type: 'Warning', reason, message: `Machine ${name}: ${asClause(why)}${goesOnWords(survey)}` };
}

function failureCondition({ failure }: FoundRollout, refusals: RolloutRefusals): NewCondition[] {
  const [refused] = refusalsOf(refusals);
  const told: SetFailure | undefined = refused
    ? { reason: 'FailedCreate', message: `cannot ${refused.words}: ${refused.message}` }
    : failure;
  return told === undefined ? [] : [{ type: 'ReplicaFailure', status: 'True', ...told }];
}

/** @param pausedFor what spec.paused was set for, where that is remembered */
function pausedCondition(survey: FoundRollout, pausedFor: string | undefined): NewCondition | undefined {
  const is = { type: 'Paused', status: 'True' } as const;
  if (survey.paused) return { ...is, reason: 'Paused', message: describeWhoPauses(survey) };
  if (survey.hold?.reason !== 'DeploymentPaused') return undefined;
  // Of who has lost his memory the status tells it still.
  const known = conditionOf(survey.status.conditions, is.type);
  const toAdopt = pausedFor ?? (known?.reason === 'PausedToAdopt' ? known.message : undefined);
  if (toAdopt !== undefined) return { ...is, reason: 'PausedToAdopt', message: toAdopt };
  const message = 'spec.paused is true: no machine is made or taken for another template until it is false';
  return { ...is, reason: 'DeploymentPaused', message };
}

function describeWhoPauses({ pausedBy, pausedByTakeOver }: FoundRollout): string {
  const held = 'nothing is done';
  return pausedByTakeOver === true ? describeTakeOver(held) : describePause(held, pausedBy);
}

function eventOf({ type, reason, message }: NewCondition): ObjectEvent[] {
  return type === 'ReplicaFailure' && isEventReason(reason) ? [{ type: 'Warning', reason, message }] : [];
}

/** What is to be on record of a launch of the template; undefined: nothing. */
function preflightAfter(
  survey: FoundRollout,
  answer: PreflightStatus | undefined,
  checkedAt: string,
): PreflightStatus | undefined {
  const { preflight: sight, templateHash, generation } = survey;
  const revision = currentOf(survey)?.revision;
  if (sight === undefined || revision === undefined) return undefined;
  const { known, hasNew } = withAnswer(sight, answer, { templateHash, revision });
  if (known !== undefined || !hasNew) return known;
  return { templateHash, revision, generation, passed: true, message: NOT_ASKED, checkedAt };
}

function preflightEvents({ status }: FoundRollout, next: PreflightStatus | undefined): ObjectEvent[] {
  if (next?.message === undefined || next.message === status.preflight?.message) return [];
  if (!next.passed) return [{ type: 'Warning', reason: 'PreflightFailed', message: next.message }];
  return next.message === NOT_ASKED ? [] : [{ type: 'Warning', reason: 'BudgetsBlockDrains', message: next.message }];
}

/** That it came to another step. */
function stepEvents({ status, step }: FoundRollout, next: StepStatus | undefined): ObjectEvent[] {
  const before = status.step;
  const isSame = before?.passed === next?.passed && before?.revision === next?.revision;
  if (next === undefined || step === undefined || isSame) return [];
  const by = step.word === undefined ? '' : `, by the word of ${step.word.by ?? 'somebody'}`;
  const message =
    next.passed === 0
      ? `revision ${next.revision} is rolled out in ${step.of} steps`
      : `revision ${next.revision} has passed step ${next.passed} of ${step.of}${by}`;
  return [{ type: 'Normal', reason: 'RolloutStep', message }];
}

function isSame(a: MachineDeploymentStatus, b: Partial<MachineDeploymentStatus>): boolean {
  const facts = (s: Partial<MachineDeploymentStatus>) => [
    s.replicas,
    s.updatedReplicas,
    s.readyReplicas,
    s.availableReplicas,
    s.unavailableReplicas,
    s.revision,
    s.completeTemplateHash,
    s.preflight,
    s.step,
    s.observedGeneration,
    s.labelSelector,
  ];
  return isSameJson(facts(a), facts(b)) && saySame(a.conditions, b.conditions ?? []);
}
