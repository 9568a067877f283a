import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { adviceOn, type Reason } from '../../k8s/model/reasons/reasons.ts';
import { asDetails, asFacts, asMoment, asText, workflowsLink } from '../markdown.ts';
import { MACHINE_OWNER, MACHINE_PHASE, OBJECT_NAMESPACE } from '../search-attributes.ts';
import type { ReplicaSurvey } from './machine-set-activities.ts';
import { describeRefusal, TOLD, type Refusals } from './refusals.ts';

export type Survey = Extract<ReplicaSurvey, { found: true }>;

/** When a set looks again by itself, and what it was refused. */
export interface SetWait {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly refusals: Refusals;
  /** How many Machines may not go yet, as others of their deployment are not available, or that is paused. */
  readonly heldBack?: number;
}

/** What a set waits for: a sentence, the same in the details and with the timer. */
export function whySetWaits(survey: Survey, { refusals, heldBack = 0 }: SetWait): string {
  const { plan, replicas } = survey;
  const { readyReplicas, availableReplicas } = plan.counts;
  if (survey.deleting) return 'its deletion: the garbage collector deletes its Machines';
  if (survey.paused)
    return `the pause${survey.pausedBy === undefined ? '' : ` of ${survey.pausedBy}`} to be taken off: nothing is created or deleted`;
  const [refused] = refusedKinds(refusals);
  if (refused !== undefined) return `the next try to ${refused.words}: ${refused.message}`;
  if (heldBack > 0)
    return `other machines of its MachineDeployment to be available, or the pause of that to be taken off: ${heldBack} are to go, and may not yet`;
  const { update = [] } = plan;
  if (update.length > 0) return `${update.length} machines to have the settings of its template`;
  const changes = plan.create + plan.unseen.length + plan.remove.length + plan.adopt.length + plan.release.length;
  if (changes > 0) return `what it just did to show: ${changes} machines created, deleted, adopted or let go`;
  if (plan.held > 0) return `${plan.held} deleted machines, which fill their places still (spec.replaceAfter)`;
  if (readyReplicas < replicas) return `${replicas - readyReplicas} of its machines to become Ready`;
  if (availableReplicas < replicas) {
    const state = plan.unusable === undefined ? 'Ready for long enough' : `available: ${plan.unusable}`;
    return `${replicas - availableReplicas} of its machines to be ${state}`;
  }
  return 'nothing';
}

/** What the Temporal UI shows of a set: Markdown that answers "how many are there, and why not more or fewer". */
export function describeSet(ref: ObjectRef, survey: Survey, wait: SetWait): string {
  const { plan, replicas } = survey;
  const { counts, contested } = plan;
  const refused = refusedKinds(wait.refusals);
  const mine = `${MACHINE_OWNER.name} = "${ref.name}" AND ${OBJECT_NAMESPACE.name} = "${ref.namespace}" AND ExecutionStatus = "Running"`;
  return asDetails([
    `**${counts.replicas} of ${replicas}** machines, **${counts.readyReplicas}** Ready, **${counts.availableReplicas}** available`,
    asFacts({
      'Waits for': asText(whySetWaits(survey, wait)),
      'Last error': refused.length === 0 ? 'none' : asText(refused.map(({ message }) => message).join('; ')),
      'Next try': refused.length === 0 ? undefined : asMoment(Math.min(...refused.map(({ until }) => until))),
      'Next look': `when something changes, at the latest ${asMoment(wait.at)}`,
      'Left alone':
        contested === undefined
          ? undefined
          : `Machine ${asText(contested)}, which the selector matches and another controller has`,
    }),
    `**What to do:** ${adviceOnSet(survey, wait)}`,
    `**Where to look:** ${workflowsLink('its machines', mine)} · ${workflowsLink('those that are not Running', `${mine} AND ${MACHINE_PHASE.name} != "Running"`)} · \`kubectl describe machineset -n ${ref.namespace} ${ref.name}\``,
  ]);
}

function adviceOnSet({ paused, plan }: Survey, { refusals }: SetWait): string {
  return adviceOn([
    ...(paused ? (['Paused'] as const) : refusedKinds(refusals).map(({ reason }) => reason)),
    ...(plan.contested === undefined ? [] : (['SelectorOverlap'] as const)),
  ]);
}

/** What is refused, in the order in which a set does things; the status last. */
function refusedKinds(refusals: Refusals) {
  const kinds = (['adopt', 'release', 'update', 'delete', 'create'] as const).flatMap((asked) => {
    const refusal = refusals[asked];
    if (refusal === undefined) return [];
    const { until } = refusal;
    const { words, reason } = TOLD[asked];
    return [{ words: `${words} machines`, reason, message: describeRefusal(asked, refusal), until }];
  });
  const { writeStatus: status } = refusals;
  const reason: Reason = 'FailedStatusWrite';
  return status === undefined ? kinds : [...kinds, { ...status, reason, words: 'write the status' }];
}
