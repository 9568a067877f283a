import type { SetFailure } from '../../k8s/model/set-failure.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { countOf } from '../../k8s/model/count.ts';
import { adviceOn, type ConditionReason } from '../../k8s/model/reasons/reasons.ts';
import { asCode, asDetails, asFacts, asMoment, asText } from '../markdown.ts';
import { describeFailures } from './failures.ts';
import { describeHeldUp } from './held-up.ts';
import { currentOf, isComplete, oldSetsOf } from './found-rollout.ts';
import type { FoundRollout } from './machine-deployment-activities.ts';
import { refusalsOf, type RolloutMemory, type RolloutRefusals } from './rollout-memory.ts';
import { failedCondition } from './rollout-status.ts';
import type { RolloutSight } from './see-rollout.ts';
import { describePausedSet } from './paused-set.ts';
import { describeStep } from './steps.ts';
import { leastAvailable, mostMachines, sum, type RolloutSet } from './rollout.ts';

/** What follows from a look, and who else holds the deployment. */
export type RolloutView = RolloutSight & Pick<FoundRollout, 'deleting' | 'paused' | 'pausedBy'>;

/** What a deployment waits for: a sentence, the same in the details, with the timer and at the command line. */
export function whyRolloutWaits(survey: RolloutView, refusals: RolloutRefusals): string {
  const { rollout, steps } = survey;
  if (survey.deleting) return 'its deletion: the garbage collector deletes its MachineSets and their Machines';
  if (survey.paused)
    return `the pause${survey.pausedBy === undefined ? '' : ` of ${survey.pausedBy}`} to be taken off: nothing is done`;
  const [refused] = refusalsOf(refusals);
  if (refused !== undefined) return `the next try to ${refused.words}: ${refused.message}`;
  if (steps.taken !== undefined) return `MachineSet ${steps.taken} to go, which has the name of the one to make`;
  const { hold } = survey;
  if (hold?.reason === 'DeploymentPaused')
    return 'spec.paused to be false: no machine is made or taken for another template';
  if (hold !== undefined) return hold.message;
  const current = currentOf(survey);
  if (current === undefined) return 'the MachineSet of its template, which it just made, to show';
  if (isComplete(survey)) return survey.failure === undefined ? 'nothing' : nextTryOf(survey.failure);
  const unanswered = rollout.sets.find(({ hasAnswered, isDeleting }) => !hasAnswered && !isDeleting);
  if (unanswered !== undefined) return `MachineSet ${unanswered.name} to answer to what it was told last`;
  if (survey.pausedSet !== undefined) return describePausedSet(survey.pausedSet);
  if (survey.coming.lacksCapacity !== undefined) return `the cloud to have room: ${survey.coming.lacksCapacity}`;
  if (survey.coming.lost !== undefined)
    return `somebody, or a health check, to delete a machine: ${survey.coming.lost}`;
  const coming = current.replicas - current.available;
  const { failed, unusable } = survey.coming;
  const trouble = describeFailures({ failed }) ?? unusable;
  const why = trouble === undefined ? '' : `: ${trouble}`;
  const held = survey.heldUp && describeHeldUp(survey.heldUp);
  if (coming > 0) {
    const inTheWay = held === undefined || trouble !== undefined ? '' : `; ${held}`;
    return `${countOf(coming, 'machine', 'machines')} of revision ${current.revision} to become available${why}${inTheWay}`;
  }
  const going = sum(oldSetsOf(survey), ({ existing, active }) => existing - active);
  if (going > 0) {
    const words = held ?? 'they are drained and deleted';
    return `${countOf(going, 'machine', 'machines')} of earlier revisions to be gone: ${words}`;
  }
  if (rollout.type === 'OnDelete') return 'somebody to delete machines of earlier revisions';
  if (survey.failure !== undefined) return nextTryOf(survey.failure);
  return `${oldSetsOf(survey).length === 0 ? 'its machines' : 'enough machines'} to be available`;
}

function nextTryOf({ message }: SetFailure): string {
  return `the next try of what was refused: ${message}`;
}

/** What the Temporal UI shows of a deployment: Markdown that answers "how far is the rollout, and why no farther". */
export function describeRollout(
  ref: ObjectRef,
  survey: FoundRollout,
  { refusals, failures }: Pick<RolloutMemory, 'refusals' | 'failures'>,
  at: number,
): string {
  const { rollout, counts, failure } = survey;
  const current = currentOf(survey);
  const refused = refusalsOf(refusals);
  const failed = failures && failedCondition(survey, failures);
  return asDetails([
    `**${counts.updatedReplicas} of ${rollout.replicas}** machines are of ${current === undefined ? 'the newest template, which has no revision yet' : `revision ${current.revision}`}, **${counts.availableReplicas}** of all are available`,
    asFacts({
      'Waits for': asText(whyRolloutWaits(survey, refusals)),
      Step: survey.step && `${survey.step.number} of ${survey.step.of}: ${asText(describeStep(survey.step))}`,
      'Rolled back':
        survey.rolledBack && `from revision ${survey.rolledBack.revision}: ${asText(survey.rolledBack.why)}`,
      Bounds: `at most ${mostMachines(rollout)} machines, those included that are being deleted; at least ${leastAvailable(rollout)} available`,
      'Last error':
        refused.length === 0
          ? asText(failed?.message ?? failure?.message ?? 'none')
          : asText(refused.map(({ message }) => message).join('; ')),
      'Next look': `when something changes, at the latest ${asMoment(at)}`,
    }),
    rollout.sets
      .filter(({ existing, isCurrent }) => existing > 0 || isCurrent)
      .map(describeSet)
      .join('\n'),
    // Who goes on in spite of them need not be told how.
    `**What to do:** ${adviceOnRollout(survey, refusals, failures?.isStopped === true ? failed?.reason : undefined)}`,
    `**Where to look:** \`kubectl describe machinedeployment -n ${ref.namespace} ${ref.name}\``,
  ]);
}

function describeSet({ name, isCurrent, revision, replicas, existing, active, available }: RolloutSet): string {
  const going = existing === active ? '' : `, ${existing - active} on their way out`;
  return `- ${asCode(name)}, revision ${revision}${isCurrent ? ' (the newest)' : ''}: ${active} of ${replicas} machines, ${available} available${going}`;
}

function adviceOnRollout(survey: FoundRollout, refusals: RolloutRefusals, failed: ConditionReason | undefined): string {
  const { paused, hold, failure, heldUp, pausedSet } = survey;
  const reasons = [
    paused ? ('Paused' as const) : undefined,
    // What it was paused for says more than that it is.
    failed ?? (paused ? undefined : hold?.reason),
    failure?.reason,
    heldUp?.reason,
    pausedSet === undefined || isComplete(survey) ? undefined : ('Paused' as const),
  ].filter((reason) => reason !== undefined);
  const deletes = failed === undefined && hold === undefined && !paused ? whatToDelete(survey) : undefined;
  if (deletes !== undefined) return deletes;
  return adviceOn([...reasons, ...(refusalsOf(refusals).length > 0 ? (['FailedCreate'] as const) : [])]);
}

/** What goes no farther before somebody deletes a machine, in words; undefined: nothing waits for that. */
function whatToDelete(survey: FoundRollout): string | undefined {
  const { coming, rollout, deleting } = survey;
  if (deleting || isComplete(survey)) return undefined;
  if (coming.lost !== undefined || coming.failed.length > 0) {
    return 'Delete the machine that is named, or have a health check do so: it keeps its place until then.';
  }
  if (rollout.type !== 'OnDelete' || oldSetsOf(survey).length === 0) return undefined;
  return 'Delete machines of earlier revisions, each when it suits: another one comes in its place.';
}
