import { createHash } from 'node:crypto';
import type { MachineObject } from '../api/machine.ts';
import type { MachineSetObject } from '../api/machine-set.ts';
import {
  CLUSTER_LABEL,
  DELETE_MACHINE_ANNOTATION,
  FINALIZER,
  MACHINE_SET_LABEL,
  OLD_DELETE_MACHINE_ANNOTATION,
  PAUSED_ANNOTATION,
} from '../model/labels.ts';
import type { Machine, MachineSpec, MachineStatus } from '../model/machine.ts';
import type { MachineSet, MachineSetStatus, Replica } from '../model/machine-set.ts';
import { MACHINES, MACHINE_SETS } from '../resources.ts';
import type { Dialect, StoredObject } from './dialect.ts';

/** `machine.openshift.io/v1beta1`: Machine and MachineSet of the Machine API. */
export const openshift: Dialect = {
  machines: MACHINES,
  machineSets: MACHINE_SETS,

  readMachine(object) {
    // The API server has checked the object against the schema that this type is generated from.
    const stored = object as MachineObject;
    return { machine: machineOf(stored), spec: specOf(stored) };
  },

  writeMachineStatus: statusObjectOf,

  readMachineSet(object): MachineSet {
    const { apiVersion, kind, metadata, spec } = object as MachineSetObject;
    const { template } = spec;
    return {
      ref: { apiVersion, kind, namespace: metadata.namespace, name: metadata.name, uid: metadata.uid },
      generation: metadata.generation,
      ...(metadata.deletionTimestamp === undefined ? {} : { deletedAt: metadata.deletionTimestamp }),
      paused: metadata.annotations?.[PAUSED_ANNOTATION] !== undefined,
      replicas: spec.replicas ?? 1,
      minReadySeconds: spec.minReadySeconds ?? 0,
      deletePolicy: spec.deletePolicy ?? 'Random',
      selector: spec.selector,
      template: {
        labels: template?.metadata?.labels ?? {},
        annotations: template?.metadata?.annotations ?? {},
        spec: { ...template?.spec },
      },
    };
  },

  writeMachineSetStatus(status: MachineSetStatus) {
    const { error, ...rest } = status;
    return { ...rest, ...(error === undefined ? {} : { errorReason: error.reason, errorMessage: error.message }) };
  },

  readReplica,

  newMachine(set, name) {
    const { ref, template } = set;
    const owner = { apiVersion: ref.apiVersion, kind: ref.kind, name: ref.name, uid: ref.uid };
    return {
      apiVersion: MACHINES.apiVersion,
      kind: MACHINES.kind,
      metadata: {
        name,
        namespace: ref.namespace,
        labels: { [MACHINE_SET_LABEL]: ref.name, ...template.labels },
        annotations: template.annotations,
        finalizers: [FINALIZER],
        ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
      },
      spec: template.spec,
    };
  },
};

function machineOf(object: MachineObject): Machine {
  const { apiVersion, kind, metadata, spec, status } = object;
  const owner = metadata.ownerReferences?.find((o) => o.controller === true);
  return {
    ref: { apiVersion, kind, namespace: metadata.namespace, name: metadata.name, uid: metadata.uid },
    generation: metadata.generation,
    createdAt: metadata.creationTimestamp,
    ...(metadata.deletionTimestamp === undefined ? {} : { deletedAt: metadata.deletionTimestamp }),
    hasFinalizer: metadata.finalizers?.includes(FINALIZER) ?? false,
    paused: metadata.annotations?.[PAUSED_ANNOTATION] !== undefined,
    cluster: metadata.labels?.[CLUSTER_LABEL] ?? '',
    ...(owner === undefined ? {} : { owner: owner.name }),
    ...(spec?.providerID === undefined || spec.providerID === '' ? {} : { providerID: spec.providerID }),
    specHash: hashOf(spec?.providerSpec?.value ?? null),
    ...(spec?.creationTimeoutSeconds === undefined ? {} : { creationTimeoutSeconds: spec.creationTimeoutSeconds }),
    status: statusOf(status),
  };
}

function specOf({ spec }: MachineObject): MachineSpec {
  return {
    providerSpec: spec?.providerSpec?.value,
    nodeLabels: spec?.metadata?.labels ?? {},
    nodeAnnotations: spec?.metadata?.annotations ?? {},
    nodeTaints: spec?.taints ?? [],
  };
}

function statusOf(status: MachineObject['status']): MachineStatus {
  if (status === undefined) return { addresses: [], conditions: [] };
  const {
    phase,
    nodeRef,
    errorReason,
    errorMessage,
    addresses,
    conditions,
    providerStatus,
    waiting,
    lastUpdated,
    observedGeneration,
  } = status;
  const { instanceId, instanceState, launch } = providerStatus ?? {};
  return {
    ...(phase === undefined ? {} : { phase }),
    ...(nodeRef?.name === undefined ? {} : { nodeRef: { name: nodeRef.name, uid: nodeRef.uid ?? '' } }),
    ...(errorReason === undefined
      ? {}
      : {
          error: { reason: errorReason as NonNullable<MachineStatus['error']>['reason'], message: errorMessage ?? '' },
        }),
    addresses: (addresses ?? []) as MachineStatus['addresses'],
    conditions: (conditions ?? [])
      .map(({ type, status: value, reason, message, lastTransitionTime }) => ({
        type,
        status: value,
        reason: reason ?? '',
        message: message ?? '',
        lastTransitionTime: lastTransitionTime ?? '',
      }))
      .filter((c) => OWN_CONDITIONS.has(c.type))
      .sort((a, b) => (a.type < b.type ? -1 : 1)),
    ...(instanceId === undefined
      ? {}
      : {
          instance: {
            id: instanceId,
            state: (instanceState ?? 'pending') as NonNullable<MachineStatus['instance']>['state'],
          },
        }),
    ...(launch === undefined ? {} : { launch: launch as unknown as NonNullable<MachineStatus['launch']> }),
    ...(waiting === undefined ? {} : { waiting }),
    ...(lastUpdated === undefined ? {} : { updatedAt: lastUpdated }),
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
  };
}

/** Conditions that are ours to write; others' on the same object are left alone. */
const OWN_CONDITIONS: ReadonlySet<string> = new Set([
  'InstanceExists',
  'LoadBalancersAttached',
  'MachineCreation',
  'NodeReady',
  'Paused',
  'UpToDate',
]);

function statusObjectOf(status: MachineStatus): object {
  const { phase, nodeRef, error, addresses, conditions, instance, launch, waiting, updatedAt, observedGeneration } =
    status;
  const generation = observedGeneration === undefined ? {} : { observedGeneration };
  const failure =
    error === undefined
      ? {}
      : {
          errorReason: error.reason,
          errorMessage: error.message,
          // cluster-autoscaler knows a failed machine by this field.
          failureReason: error.reason,
          failureMessage: error.message,
        };
  return {
    ...(phase === undefined ? {} : { phase }),
    ...(nodeRef === undefined ? {} : { nodeRef: { apiVersion: 'v1', kind: 'Node', ...nodeRef } }),
    ...failure,
    addresses,
    conditions: conditions.map((c) => ({ ...c, ...generation })),
    providerStatus: {
      ...(instance === undefined ? {} : { instanceId: instance.id, instanceState: instance.state }),
      ...(launch === undefined ? {} : { launch }),
    },
    ...(waiting === undefined ? {} : { waiting }),
    ...generation,
    ...(updatedAt === undefined ? {} : { lastUpdated: updatedAt }),
  };
}

function readReplica(object: StoredObject): Replica {
  const { metadata, status } = object as MachineObject;
  const { annotations = {}, labels = {} } = metadata;
  const controller = metadata.ownerReferences?.find((o) => o.controller === true)?.uid;
  const ready = status?.conditions?.find((c) => c.type === 'NodeReady');
  const deleting = metadata.deletionTimestamp !== undefined;
  const state = status?.providerStatus?.instanceState;
  const mayRun =
    (status?.providerStatus?.launch !== undefined || status?.providerStatus?.instanceId !== undefined) &&
    state !== 'shutting-down' &&
    state !== 'terminated';
  return {
    name: metadata.name,
    uid: metadata.uid,
    labels,
    ...(controller === undefined ? {} : { controller }),
    createdAt: metadata.creationTimestamp,
    deleting,
    ...(status?.phase === undefined ? {} : { phase: status.phase }),
    hasNode: status?.nodeRef !== undefined,
    ...(ready?.status === 'True' ? { readySince: ready.lastTransitionTime ?? metadata.creationTimestamp } : {}),
    markedForDeletion:
      annotations[DELETE_MACHINE_ANNOTATION] !== undefined || annotations[OLD_DELETE_MACHINE_ANNOTATION] !== undefined,
    holdsPlace: deleting && mayRun,
  };
}

/** Hash of JSON whatever the order of its keys. */
function hashOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, 16);
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
