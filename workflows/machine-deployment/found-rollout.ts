import { conditionOf } from '../../k8s/model/condition.ts';
import type { MachineDeploymentStatus } from '../../k8s/model/machine-deployment.ts';
import { given } from '../../providers/given.ts';
import type { FailureSight } from './failures.ts';
import type { FoundRollout } from './machine-deployment-activities.ts';
import type { RolloutSet } from './rollout.ts';

/** The set of the template as it is now. */
export function currentOf({ rollout }: Pick<FoundRollout, 'rollout'>): RolloutSet | undefined {
  return rollout.sets.find(({ isCurrent }) => isCurrent);
}

/** The sets of earlier templates that have Machines. */
export function oldSetsOf({ rollout }: Pick<FoundRollout, 'rollout'>): readonly RolloutSet[] {
  return rollout.sets.filter(({ isCurrent, existing }) => !isCurrent && existing > 0);
}

/** As many as are wanted are there, all of the template as it is now, and available. */
export function isComplete(survey: Pick<FoundRollout, 'rollout' | 'counts'>): boolean {
  const { rollout, counts } = survey;
  const { updatedReplicas, availableReplicas } = counts;
  const isFull = updatedReplicas === rollout.replicas && availableReplicas === updatedReplicas;
  return isFull && currentOf(survey) !== undefined && oldSetsOf(survey).length === 0;
}

/**
 * Whether the status tells that this revision is rolled out. As in Kubernetes' Deployments that stays so, whatever becomes of its machines,
 * until something else is rolled out.
 */
export function isToldComplete(
  { conditions, revision: told }: Pick<Partial<MachineDeploymentStatus>, 'conditions' | 'revision'>,
  revision: number | undefined,
): boolean {
  return revision === told && conditionOf(conditions, 'Progressing')?.reason === 'NewReplicaSetAvailable';
}

/** What it tells of failures. What a step waits for holds no stop up. */
export function failureSightOf(survey: FoundRollout): FailureSight {
  const { templateHash: hash, coming, hold, deadlineMs, pauses, failureThreshold } = survey;
  const isHeld = hold?.reason === 'DeploymentPaused';
  const state = { isHeld, isComplete: isComplete(survey), isAtStandstill: isAtStandstill(survey) };
  return { hash, failed: coming.failed, ...state, deadlineMs, pauses, ...given({ failureThreshold }) };
}

/** Nothing moves or will by itself: each new Machine that is not available has failed, and there is no place for another one. */
function isAtStandstill(survey: FoundRollout): boolean {
  const { rollout, steps, coming, hold, step, paused } = survey;
  const current = currentOf(survey);
  // A pause among the steps that is over waits for machines.
  const isHeld = hold !== undefined && !(hold.reason === 'StepPaused' && step?.isOver === true);
  if (paused || isHeld || current === undefined || steps.orders.length > 0) return false;
  const isQuiet = rollout.sets.every(
    ({ hasAnswered, existing, active, replicas }) => hasAnswered && existing === active && active === replicas,
  );
  const missing = current.active - current.available;
  return isQuiet && missing > 0 && coming.failed.length >= missing;
}
