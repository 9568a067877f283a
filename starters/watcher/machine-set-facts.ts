import type { MachineSetObject } from '../../k8s/api/machine-set.ts';
import { definitionOf } from '../../k8s/dialects/openshift/definition.ts';
import { createWellFormedCheck } from '../../k8s/dialects/well-formed.ts';
import { CLUSTER_LABEL } from '../../k8s/model/labels.ts';
import type { LabelSelector } from '../../k8s/model/machine-set.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { MACHINE_SETS } from '../../k8s/resources.ts';
import { fingerprintOf, unreadableOf } from './fingerprint.ts';
import { numberAt, selectorAt, textAt } from './loose-fields.ts';

/** What the watcher keeps of a MachineSet. */
export interface MachineSetFacts {
  readonly ref: ObjectRef;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** How many Machines it wants, and how many its status says there are, for the metrics. */
  readonly replicas: Readonly<Record<'wanted' | 'total' | 'ready' | 'available', number>>;
  /** Changes with what concerns its own workflow. */
  readonly fingerprint: string;
  readonly selector: LabelSelector;
  /** Value of the cluster label, of the set or of its template; empty where both lack it. */
  readonly cluster: string;
  /** Name of the MachineClass that its template refers to. */
  readonly machineClass?: string;
}

const problemsOf = createWellFormedCheck(definitionOf(MACHINE_SETS));

/** Reads a MachineSet, also one that no schema has checked: whatever is missing, or of another kind, is taken as empty. */
export function machineSetFacts(object: MachineSetObject): MachineSetFacts {
  const { metadata, spec, status } = object;
  const { namespace, name, uid, labels = {} } = metadata;
  const machineClass = textAt(spec, 'template', 'spec', 'providerSpec', 'valueFrom', 'machineClass', 'name');
  return {
    ref: { apiVersion: MACHINE_SETS.apiVersion, kind: MACHINE_SETS.kind, namespace, name, uid },
    createdAt: Date.parse(metadata.creationTimestamp),
    replicas: {
      // As the schema fills it in.
      wanted: numberAt(spec, 'replicas') ?? 1,
      total: numberAt(status, 'replicas') ?? 0,
      ready: numberAt(status, 'readyReplicas') ?? 0,
      available: numberAt(status, 'availableReplicas') ?? 0,
    },
    fingerprint: fingerprintOf(metadata, spec) + unreadableOf(problemsOf(object), status),
    selector: selectorAt(spec, 'selector'),
    cluster: labels[CLUSTER_LABEL] ?? textAt(spec, 'template', 'metadata', 'labels', CLUSTER_LABEL) ?? '',
    ...(machineClass === undefined ? {} : { machineClass }),
  };
}
