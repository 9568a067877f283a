import { countOf } from '../../k8s/model/count.ts';
import type { UnhealthyMachine } from '../../k8s/model/machine-health-check.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { adviceOn } from '../../k8s/model/reasons/reasons.ts';
import { asCode, asDetails, asFacts, asMoment, asText } from '../markdown.ts';
import type { Retry } from '../retry.ts';
import { RULES_MEANWHILE } from './broken-rules.ts';
import type { Decision } from './decision.ts';
import type { FoundCheck } from './health-activities.ts';

/** Most machines that the details name. */
const MOST_NAMED = 10;

/** What a check waits for: a sentence, the same in the details and with the timer. */
export function whyCheckWaits(seen: FoundCheck, decision: Decision, refused: Retry | undefined): string {
  const { brakes, inFlight, unhealthy } = decision;
  if (refused !== undefined) return `the next try to write the status: ${refused.message}`;
  if (seen.isDeleting === true) return 'others to let it go: it is being deleted, and remediates nothing';
  if (seen.paused) return 'the pause to be taken off: no machine is remediated';
  const held = brakes.find(({ reason }) => reason !== 'AtLimit');
  if (held !== undefined) return `what holds remediations up: ${held.message}`;
  if (inFlight.count > 0)
    return `${countOf(inFlight.count, 'remediation', 'remediations')}, of at most ${inFlight.limit} at a time`;
  if (unhealthy.length > 0)
    return `the next look at ${countOf(unhealthy.length, 'machine that is', 'machines that are')} not healthy`;
  return 'a machine to turn unhealthy';
}

/** What the Temporal UI shows of a check: Markdown that answers "who is unhealthy, and why is nobody replaced". */
export function describeCheck(
  ref: ObjectRef,
  seen: FoundCheck,
  decision: Decision,
  refused: Retry | undefined,
): string {
  const { expected, healthy } = seen;
  const { brakes, inFlight, allowed, unhealthy, lookAt } = decision;
  const { name, namespace } = ref;
  return asDetails([
    `**${healthy} of ${expected}** ${expected === 1 ? 'machine' : 'machines'} healthy, **${inFlight.count} of at most ${inFlight.limit}** ${inFlight.limit === 1 ? 'remediation' : 'remediations'} under way`,
    asFacts({
      'Waits for': asText(whyCheckWaits(seen, decision, refused)),
      'More that may turn unhealthy': String(allowed),
      Held: brakes.length === 0 ? undefined : brakes.map(({ message }) => asText(message)).join('; '),
      Rules: seen.rulesProblem === undefined ? undefined : `${asText(seen.rulesProblem)}: ${RULES_MEANWHILE}`,
      Template: seen.templateProblem === undefined ? undefined : asText(seen.templateProblem),
      'Last error': refused === undefined ? 'none' : `the status cannot be written: ${asText(refused.message)}`,
      'Next try': refused === undefined ? undefined : asMoment(refused.until),
      'Next look': `when something changes${Number.isFinite(lookAt) ? `, at the latest ${asMoment(lookAt)}` : ''}`,
    }),
    machinesOf(unhealthy),
    `**What to do:** ${adviceOnCheck(seen, decision, refused)}`,
    `**Where to look:** ${asCode(`millwright healthcheck explain ${name} -n ${namespace}`)} · ${asCode(`kubectl describe ${kubectlNameOf(ref)} -n ${namespace} ${name}`)}`,
  ]);
}

/** Of two kinds of this name kubectl takes the one whose group comes first, unless the group is said. */
function kubectlNameOf({ apiVersion, kind }: ObjectRef): string {
  const [group = ''] = apiVersion.split('/');
  return `${kind.toLowerCase()}.${group}`;
}

function machinesOf(unhealthy: readonly UnhealthyMachine[]): string | undefined {
  if (unhealthy.length === 0) return undefined;
  const named = unhealthy.slice(0, MOST_NAMED).map(({ name, cause, since, next, dueAt }) => {
    const due = dueAt === undefined ? '' : `, due ${asMoment(dueAt)}`;
    return `- **${asText(name)}:** ${asText(cause)} since ${asMoment(since)}${due}; ${asText(next)}`;
  });
  const more = unhealthy.length - named.length;
  return [...named, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n');
}

function adviceOnCheck(
  { paused, rulesProblem, templateProblem }: FoundCheck,
  { brakes, requestProblem, isLeftToPeople }: Decision,
  refused: Retry | undefined,
): string {
  return adviceOn([
    ...(paused ? (['Paused'] as const) : brakes.map(({ reason }) => reason)),
    ...(rulesProblem === undefined ? [] : (['BrokenRules'] as const)),
    ...(templateProblem === undefined ? [] : (['ExternalRemediationTemplateNotFound'] as const)),
    ...(requestProblem === undefined ? [] : (['ExternalRemediationRequestCreationFailed'] as const)),
    ...(isLeftToPeople === true ? (['SkippedNoController'] as const) : []),
    ...(refused === undefined ? [] : (['FailedStatusWrite'] as const)),
  ]);
}
