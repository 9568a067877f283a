import { saySame, withCondition, type NewCondition } from '../../k8s/model/condition.ts';
import type { MachineDeploymentStatus } from '../../k8s/model/machine-deployment.ts';
import { PAUSED_ANNOTATION } from '../../k8s/model/paused-annotation.ts';
import { isEventReason } from '../../k8s/model/reasons/reasons.ts';
import { isTroubled } from '../../k8s/model/trouble.ts';
import { given } from '../../providers/given.ts';
import type { ObjectEvent } from '../event-activities.ts';
import type { FoundRollout } from './machine-deployment-activities.ts';
import { countFailures, describeFailures, type RolloutFailures } from './failures.ts';
import { refusalsOf, type RolloutMemory, type RolloutRefusals } from './rollout-memory.ts';
import { leastAvailable, type RolloutSet } from './rollout.ts';

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
  { refusals, failures }: Pick<RolloutMemory, 'refusals' | 'failures'>,
  now: number,
): RolloutReport | undefined {
  const { counts, generation } = survey;
  const stored = { ...survey.status, conditions: survey.status.conditions ?? [] };
  const said = [
    availableCondition(survey),
    progressCondition(survey, failures),
    ...failureCondition(survey, refusals),
    ...pausedCondition(survey),
  ];
  const at = new Date(now).toISOString();
  const known = stored.conditions.filter((condition) => said.some(({ type }) => type === condition.type));
  const conditions = said.reduce((all, condition) => withCondition(all, condition, at), known);
  const revision = currentOf(survey)?.revision;
  const status: MachineDeploymentStatus = {
    ...counts,
    ...given({ revision }),
    observedGeneration: generation,
    conditions,
  };
  if (isSame(status, stored)) return undefined;
  const news = said.filter((c) => !stored.conditions.some((s) => s.type === c.type && isTroubled(s)));
  return { status, events: news.flatMap(eventOf) };
}

/** The set of the template as it is now. */
export function currentOf({ rollout }: FoundRollout): RolloutSet | undefined {
  return rollout.sets.find(({ isCurrent }) => isCurrent);
}

/** The sets of earlier templates that have Machines. */
export function oldSetsOf({ rollout }: FoundRollout): readonly RolloutSet[] {
  return rollout.sets.filter(({ isCurrent, existing }) => !isCurrent && existing > 0);
}

/** As many as are wanted are there, all of the template as it is now, and available. */
export function isComplete(survey: FoundRollout): boolean {
  const { rollout, counts } = survey;
  const { updatedReplicas, availableReplicas, replicas } = counts;
  const isFull = updatedReplicas === rollout.replicas && replicas === updatedReplicas && availableReplicas === replicas;
  return isFull && currentOf(survey) !== undefined && oldSetsOf(survey).length === 0;
}

function availableCondition({ rollout, counts }: FoundRollout): NewCondition {
  const least = leastAvailable(rollout);
  const message = `${counts.availableReplicas} of ${rollout.replicas} machines are available, and ${least} have to be`;
  return counts.availableReplicas >= least
    ? { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable', message }
    : { type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable', message };
}

function progressCondition(survey: FoundRollout, failures: RolloutFailures | undefined): NewCondition {
  const type = 'Progressing';
  const { rollout, counts, steps, status } = survey;
  const current = currentOf(survey);
  const failed = failures && failedCondition(survey, failures);
  if (failed !== undefined) return failed;
  if (rollout.isHeld) {
    return {
      type,
      status: 'Unknown',
      reason: 'DeploymentPaused',
      message: 'spec.paused is true: the rollout stands still',
    };
  }
  if (current === undefined) {
    const message =
      steps.taken === undefined
        ? 'the MachineSet of the template is made'
        : `the MachineSet of the template cannot be made: another one has its name, ${steps.taken}`;
    return { type, status: 'True', reason: 'ReplicaSetUpdated', message };
  }
  const known = status.conditions?.find((condition) => condition.type === type);
  const old = oldSetsOf(survey);
  const isOver = isComplete(survey) || (old.length === 0 && known?.reason === 'NewReplicaSetAvailable');
  if (isOver) {
    const message = `all machines are of MachineSet ${current.name}, revision ${current.revision}`;
    return { type, status: 'True', reason: 'NewReplicaSetAvailable', message };
  }
  const { lacksCapacity } = survey.coming;
  if (lacksCapacity !== undefined) {
    const message = `${lacksCapacity}. The rollout goes on when there is room`;
    return { type, status: 'True', reason: 'WaitingForCapacity', message };
  }
  const left = old.reduce((sum, { existing }) => sum + existing, 0);
  const message =
    `${counts.updatedReplicas} of ${rollout.replicas} machines are of revision ${current.revision}, of which ${current.available} are available` +
    (left === 0 ? '' : `; ${left} of earlier ones are left`);
  return { type, status: 'True', reason: 'ReplicaSetUpdated', message };
}

/** New machines failed or were too late, and as many are not there: whether it stands still for that or not. */
function failedCondition(survey: FoundRollout, failures: RolloutFailures): NewCondition | undefined {
  const words = describeFailures(failures);
  const isUnder = countFailures(failures) < (survey.failureThreshold ?? 1);
  if (words === undefined || isUnder || isComplete(survey)) return undefined;
  const isLate = failures.failed.every((machine) => machine.isLate);
  const reason = isLate ? 'ProgressDeadlineExceeded' : 'NewMachinesFailed';
  const message = failures.isStopped
    ? `${words}. The rollout is paused: undo it, change the template, or set spec.paused to false to go on in spite of that`
    : words;
  return { type: 'Progressing', status: 'False', reason, message };
}

function failureCondition({ failure }: FoundRollout, refusals: RolloutRefusals): NewCondition[] {
  const [refused] = refusalsOf(refusals);
  const message = refused === undefined ? failure : `cannot ${refused.words}: ${refused.message}`;
  return message === undefined ? [] : [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message }];
}

function pausedCondition({ paused, pausedBy, rollout }: FoundRollout): NewCondition[] {
  if (paused) {
    const message =
      pausedBy === undefined
        ? `annotation ${PAUSED_ANNOTATION} is set: nothing is done until it is removed`
        : `${pausedBy} is paused: nothing is done until it is not any more`;
    return [{ type: 'Paused', status: 'True', reason: 'Paused', message }];
  }
  if (!rollout.isHeld) return [];
  const message = 'spec.paused is true: no machine is made or taken for another template until it is false';
  return [{ type: 'Paused', status: 'True', reason: 'DeploymentPaused', message }];
}

function eventOf({ type, reason, message }: NewCondition): ObjectEvent[] {
  return type === 'ReplicaFailure' && isEventReason(reason) ? [{ type: 'Warning', reason, message }] : [];
}

function isSame(a: MachineDeploymentStatus, b: Partial<MachineDeploymentStatus>): boolean {
  const facts = (s: Partial<MachineDeploymentStatus>) => [
    s.replicas,
    s.updatedReplicas,
    s.readyReplicas,
    s.availableReplicas,
    s.unavailableReplicas,
    s.revision,
    s.observedGeneration,
    s.labelSelector,
  ];
  return JSON.stringify(facts(a)) === JSON.stringify(facts(b)) && saySame(a.conditions, b.conditions ?? []);
}
