import type { ApiRegistry } from '../../k8s/dialects/registry.ts';
import type { Taint } from '../../k8s/model/machine.ts';
import { DRAINED_FOR_ANNOTATION, isDrainOver, readinessOf, type Node } from '../../k8s/model/node.ts';
import { readMarks } from '../../k8s/model/node-marks.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { instanceIdOf } from '../../k8s/model/provider-id.ts';
import { hasTaint } from '../../k8s/model/taint.ts';
import { extendedResourcesOf, isStartupTaint } from '../../k8s/model/usable-node.ts';
import { NODES } from '../../k8s/resources.ts';
import { digest } from './fingerprint.ts';
import { addressesOf } from './machine-facts.ts';
import { objectKey } from './object-key.ts';

/** What the watcher keeps of a Node. */
export interface NodeFacts {
  readonly ref: ObjectRef;
  /** Changes with the providerID, the boot of its instance, and the beginning of its deletion. */
  readonly fingerprint: string;
  /** Status of its condition Ready; `Unknown` where it has none. */
  readonly ready: string;
  /** Changes with the status of any of its conditions, and the boot of its instance. */
  readonly conditions: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  /** An annotation that its machine's spec put there has another value, or is gone. */
  readonly hasLostAnnotation: boolean;
  /** Changes with what says that it can be used: taints of Nodes that are coming up, and resources that somebody announces. */
  readonly use: string;
  /** We cordoned it, and nothing says yet that the drain is over. */
  readonly isDraining: boolean;
  /** It says that we cordoned it, and somebody has uncordoned it since. */
  readonly isOpened: boolean;
  /** Last segment of spec.providerID; empty where it has none. */
  readonly instance: string;
  /** Keys of the Machines that it says it belongs to: one for each kind of Machine that has an annotation for it. */
  readonly claims: readonly string[];
  readonly addresses: readonly string[];
}

/** The Node is Kubernetes' own: what the API server answers is always well formed. */
export function nodeFacts({ metadata, spec = {}, status = {} }: Node, apis: ApiRegistry): NodeFacts {
  const { name, uid, labels = {}, annotations = {} } = metadata;
  const ready = readinessOf({ status });
  const bootID = status.nodeInfo?.bootID ?? '';
  const isOurs = annotations[DRAINED_FOR_ANNOTATION] !== undefined;
  return {
    ref: { apiVersion: NODES.apiVersion, kind: NODES.kind, namespace: '', name, uid },
    fingerprint: digest([spec.providerID, bootID, metadata.deletionTimestamp !== undefined]),
    ready: ready?.status ?? 'Unknown',
    conditions: digest([bootID, ...(status.conditions ?? []).map(({ type, status: says }) => [type, says])]),
    labels,
    taints: spec.taints ?? [],
    hasLostAnnotation: Object.entries(readMarks({ metadata }).annotations).some(
      ([key, value]) => annotations[key] !== value,
    ),
    use: digest([
      (spec.taints ?? []).filter(isStartupTaint).map(taintText).sort(),
      extendedResourcesOf(status.allocatable),
    ]),
    isDraining: isOurs && spec.unschedulable === true && !isDrainOver({ status }),
    isOpened: isOurs && spec.unschedulable !== true,
    instance: instanceIdOf(spec.providerID) ?? '',
    claims: apis.kinds('machine').flatMap(({ resource, nodeAnnotation }) => {
      const [namespace = '', ofMachine] = annotations[nodeAnnotation]?.split('/') ?? [];
      return ofMachine === undefined ? [] : [objectKey({ ...resource, namespace, name: ofMachine })];
    }),
    addresses: addressesOf(status.addresses ?? []),
  };
}

/** True where the Node has lost, or has otherwise than before, a label, an annotation or a taint that its machine's spec names. */
export function hasLostMarks(
  before: NodeFacts,
  after: NodeFacts,
  wanted: { readonly nodeLabels: Readonly<Record<string, string>>; readonly nodeTaints: readonly Taint[] },
): boolean {
  const isLabelLost = Object.entries(wanted.nodeLabels).some(
    ([key, value]) => after.labels[key] !== value && after.labels[key] !== before.labels[key],
  );
  if (isLabelLost || (!before.hasLostAnnotation && after.hasLostAnnotation)) return true;
  const has = new Set(after.taints.map(taintText));
  const had = new Set(before.taints.map(taintText));
  return wanted.nodeTaints.map(taintText).some((taint) => had.has(taint) && !has.has(taint));
}

/** True where a taint that the machine's Node gets when it joins came or went. */
export function hasStartedOtherwise(before: NodeFacts, after: NodeFacts, startupTaints: readonly Taint[]): boolean {
  return startupTaints.some((taint) => hasTaint(before.taints, taint) !== hasTaint(after.taints, taint));
}

function taintText({ key, value = '', effect }: Taint): string {
  return `${key}=${value}:${effect}`;
}
