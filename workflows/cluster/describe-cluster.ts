import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { asCount, asDetails, asFacts, asMoment, asText, workflowsLink } from '../markdown.ts';
import type { Retry } from '../retry.ts';
import { MACHINE_CLUSTER, MACHINE_PHASE, OBJECT_NAMESPACE } from '../search-attributes.ts';
import type { FoundCluster } from './cluster-activities.ts';

/** What a Cluster waits for: a sentence, shown with the timer. */
export function whyClusterWaits(refused: Retry | undefined): string {
  return refused === undefined ? 'a slow look at everything' : `the next try to write the status: ${refused.message}`;
}

/** What the Temporal UI shows of a Cluster: Markdown that answers "how many machines, and is anything held". */
export function describeCluster(ref: ObjectRef, seen: FoundCluster, refused: Retry | undefined): string {
  const { machines, readyMachines, paused, malformed } = seen;
  const { name, namespace } = ref;
  const mine = `${MACHINE_CLUSTER.name} = "${name}" AND ${OBJECT_NAMESPACE.name} = "${namespace}" AND ExecutionStatus = "Running"`;
  const notRunning = `${mine} AND ${MACHINE_PHASE.name} != "Running"`;
  return asDetails([
    `${asCount(machines, 'machine', 'machines')}, **${readyMachines}** Ready`,
    asFacts({
      Paused: paused
        ? `nothing is done to its machines and sets${malformed === undefined ? '' : `: ${asText(malformed)}`}`
        : 'no',
      'Last error': refused === undefined ? 'none' : `the status cannot be written: ${asText(refused.message)}`,
      'Next try': refused === undefined ? undefined : asMoment(refused.until),
    }),
    `**Where to look:** ${workflowsLink('its machines and sets', mine)} · ${workflowsLink('those that are not Running', notRunning)} · \`kubectl describe cluster -n ${namespace} ${name}\``,
  ]);
}
