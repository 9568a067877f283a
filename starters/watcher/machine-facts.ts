import type { MachineObject } from '../../k8s/api/machine.ts';
import { definitionOf } from '../../k8s/dialects/openshift/definition.ts';
import { createWellFormedCheck } from '../../k8s/dialects/well-formed.ts';
import {
  CLUSTER_LABEL,
  DELETE_MACHINE_ANNOTATION,
  FINALIZER,
  OLD_DELETE_MACHINE_ANNOTATION,
} from '../../k8s/model/labels.ts';
import { MACHINE_FIELD_MANAGER } from '../../k8s/model/field-managers.ts';
import type { Taint } from '../../k8s/model/machine.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { MACHINE_SETS, MACHINES } from '../../k8s/resources.ts';
import { digest, fingerprintOf, foreignLabels, unreadableOf } from './fingerprint.ts';
import { addressesOf, fieldAt, listAt, taintsAt, textAt, textsAt } from './loose-fields.ts';

/** What the watcher keeps of a Machine: enough to tell whom a change concerns, and what its metrics show. */
export interface MachineFacts {
  readonly ref: ObjectRef;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Changes with what concerns its own workflow. */
  readonly fingerprint: string;
  readonly hasFinalizer: boolean;
  /** Changes with what concerns its MachineSet. */
  readonly ownerFingerprint: string;
  /** The MachineSet that controls it. */
  readonly controller?: ObjectRef;
  /** True where something controls it that is no MachineSet of ours. */
  readonly isForeign: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly phase?: string;
  /** What it waits for, in the words for programs. */
  readonly waiting?: { readonly step: string; readonly reason: string };
  /** Value of the cluster label; empty where it is missing. */
  readonly cluster: string;
  /** Name of the MachineClass it refers to. */
  readonly machineClass?: string;
  /** What was launched for it is on record: a change of its class or of its Cluster's defaults does not concern it. */
  readonly hasInstance: boolean;
  /** Its status has a launch or an instance on record. */
  readonly hasRecord: boolean;
  /** spec.providerID; empty where it has none. */
  readonly providerID: string;
  /** The same where it was not our own workflow that wrote it; else empty. */
  readonly foreignProviderID: string;
  /** Last segment of it. */
  readonly instance: string;
  readonly addresses: readonly string[];
  /** Name in status.nodeRef. */
  readonly nodeName?: string;
  /** Status of its condition NodeReady. */
  readonly nodeReady?: string;
  readonly isDeleting: boolean;
  /** Labels and taints that Millwright puts on its Node. */
  readonly nodeLabels: Readonly<Record<string, string>>;
  readonly nodeTaints: readonly Taint[];
}

const problemsOf = createWellFormedCheck(definitionOf(MACHINES));

/**
 * Reads a Machine, also one that no schema has checked: whatever is missing, or of another kind, is taken as empty. Then its
 * workflow says what is wrong with it, and is woken again when that is mended.
 */
export function machineFacts(object: MachineObject): MachineFacts {
  const { metadata, spec, status } = object;
  const problems = problemsOf(object);
  const providerID = textAt(spec, 'providerID') ?? '';
  const { labels = {}, annotations = {}, namespace, name, uid } = metadata;
  const isDeleting = metadata.deletionTimestamp !== undefined;
  const owner = metadata.ownerReferences?.find((o) => o.controller === true);
  const isOwnerOurs = owner?.apiVersion === MACHINE_SETS.apiVersion && owner.kind === MACHINE_SETS.kind;
  const nodeName = textAt(status, 'nodeRef', 'name');
  const phase = textAt(status, 'phase');
  const step = textAt(status, 'waiting', 'step');
  const machineClass = textAt(spec, 'providerSpec', 'valueFrom', 'machineClass', 'name');
  const nodeCondition = listAt(status, 'conditions').find((condition) => textAt(condition, 'type') === 'NodeReady');
  const nodeReady = textAt(nodeCondition, 'status');
  return {
    ref: { apiVersion: MACHINES.apiVersion, kind: MACHINES.kind, namespace, name, uid },
    createdAt: Date.parse(metadata.creationTimestamp),
    fingerprint:
      fingerprintOf(metadata, problems.spec === undefined ? withoutProviderID(spec) : spec) +
      unreadableOf(problems, status),
    hasFinalizer: metadata.finalizers?.includes(FINALIZER) ?? false,
    ownerFingerprint: digest([
      phase,
      nodeReady,
      nodeName,
      textAt(status, 'nodeRef', 'uid'),
      isDeleting,
      Object.entries(foreignLabels(labels)),
      annotations[DELETE_MACHINE_ANNOTATION],
      annotations[OLD_DELETE_MACHINE_ANNOTATION],
      isDeleting ? textAt(status, 'providerStatus', 'instanceState') : undefined,
      owner?.uid,
    ]),
    ...(owner !== undefined && isOwnerOurs
      ? { controller: { apiVersion: owner.apiVersion, kind: owner.kind, namespace, name: owner.name, uid: owner.uid } }
      : {}),
    isForeign: owner !== undefined && !isOwnerOurs,
    labels,
    ...(phase === undefined ? {} : { phase }),
    ...(step === undefined ? {} : { waiting: { step, reason: textAt(status, 'waiting', 'reason') ?? '' } }),
    cluster: labels[CLUSTER_LABEL] ?? '',
    ...(machineClass === undefined ? {} : { machineClass }),
    hasInstance: providerID !== '' || fieldAt(status, 'providerStatus', 'instanceId') !== undefined,
    hasRecord: ['launch', 'instanceId'].some((field) => fieldAt(status, 'providerStatus', field) !== undefined),
    providerID,
    foreignProviderID: isProviderIDOurs(metadata) ? '' : providerID,
    instance: lastSegment(providerID),
    addresses: addressesOf(status),
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(nodeReady === undefined ? {} : { nodeReady }),
    isDeleting,
    nodeLabels: textsAt(spec, 'metadata', 'labels'),
    nodeTaints: taintsAt(spec, 'taints'),
  };
}

/** As the API server keeps it: who wrote the field's value last, or the same value as well. */
function isProviderIDOurs({ managedFields = [] }: MachineObject['metadata']): boolean {
  return managedFields.some(
    ({ manager, fieldsV1 }) =>
      manager === MACHINE_FIELD_MANAGER && fieldAt(fieldsV1, 'f:spec', 'f:providerID') !== undefined,
  );
}

/** Our own write of the providerID is no news; that of somebody else is told apart. */
function withoutProviderID(spec: MachineObject['spec']): object {
  const { providerID: _ours, ...wanted } = { ...spec };
  return wanted;
}

export function lastSegment(providerID: string): string {
  return providerID.split('/').at(-1) ?? '';
}
