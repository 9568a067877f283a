import type { StepStatus } from '../../k8s/model/machine-deployment.ts';
import { isToStop, type RolloutFailures } from './failures.ts';
import { currentOf, failureSightOf, oldSetsOf } from './found-rollout.ts';
import type { FoundRollout } from './machine-deployment-activities.ts';
import { sum } from './rollout.ts';
import { isStepPassed } from './steps.ts';

/**
 * Which step of the rollout is to be on record; undefined: none. It is on record before anything follows from it, so that whoever looks
 * next, also one who knows nothing else, holds to the same step; and a step ends at the time that its beginning on record says.
 *
 * @param now milliseconds since the epoch
 */
export function stepAfter(
  survey: FoundRollout,
  failures: RolloutFailures | undefined,
  now: number,
): StepStatus | undefined {
  const { step, templateHash, rollout } = survey;
  const current = currentOf(survey);
  if (step === undefined || current === undefined) return undefined;
  const since = new Date(now).toISOString();
  const known = step.known ?? { templateHash, revision: current.revision, passed: 0, since };
  const isMoving = !survey.paused && survey.hold?.reason !== 'DeploymentPaused';
  const stops = failures !== undefined && isToStop(failures, failureSightOf(survey));
  const machines = {
    replicas: rollout.replicas,
    newWanted: Math.max(current.active, current.replicas),
    newAvailable: current.available,
    oldExisting: sum(oldSetsOf(survey), ({ existing }) => existing),
  };
  return isMoving && !stops && isStepPassed(step, machines, now)
    ? { ...known, passed: known.passed + 1, since }
    : known;
}
