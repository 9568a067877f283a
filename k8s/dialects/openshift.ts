import type { ClusterObject } from '../api/cluster.ts';
import type { MachineClassObject } from '../api/machine-class.ts';
import type { MachineObject, MachineObjectStatusProviderStatusLaunch as StoredLaunch } from '../api/machine.ts';
import type { MachineSetObject } from '../api/machine-set.ts';
import {
  CLUSTER_LABEL,
  DELETE_MACHINE_ANNOTATION,
  FINALIZER,
  MACHINE_CLASS_FINALIZER,
  MACHINE_SET_LABEL,
  OLD_DELETE_MACHINE_ANNOTATION,
  PAUSED_ANNOTATION,
} from '../model/labels.ts';
import type { Cluster } from '../model/cluster.ts';
import { SET_FIELD_MANAGER } from '../model/field-managers.ts';
import type { MachineClass } from '../model/machine-class.ts';
import type { LifecycleHook, Machine, MachineSpec, MachineStatus, PreparedLaunch } from '../model/machine.ts';
import type { MachineSet, MachineSetStatus, Replica } from '../model/machine-set.ts';
import { CLUSTERS, MACHINE_CLASSES, MACHINES, MACHINE_SETS } from '../resources.ts';
import { tokenOf } from '../launch-token.ts';
import { specHashOf } from '../spec-hash.ts';
import type { Dialect, StoredObject } from './dialect.ts';
import { createWellFormedCheck, type Problems } from './well-formed.ts';

/** `machine.openshift.io/v1beta1`: the Machine API's kinds, and MachineClass after Gardener's. */
export const openshift: Dialect = {
  machines: MACHINES,
  machineSets: MACHINE_SETS,
  machineClasses: MACHINE_CLASSES,
  clusters: CLUSTERS,

  readMachine(object) {
    const problems = problemsOfMachine(object);
    const stored = readablePartsOf(object as MachineObject, problems);
    const [message] = Object.values(problems);
    const malformed =
      message === undefined ? {} : { malformed: { message, isStatusReadable: !('status' in problems) } };
    return { machine: { ...machineOf(stored), ...malformed }, spec: specOf(stored) };
  },

  writeMachineStatus: statusObjectOf,

  readMachineSet(object): MachineSet {
    const problems = problemsOfMachineSet(object);
    const { apiVersion, kind, metadata, spec } = object as MachineSetObject;
    const malformed = Object.values(problems)[0] ?? (spec === undefined ? 'spec is missing' : undefined);
    const { template, replicas, minReadySeconds, deletePolicy, selector } =
      malformed === undefined ? spec : { template: undefined, selector: {}, replicas: 0 };
    return {
      ...(malformed === undefined ? {} : { malformed }),
      ref: { apiVersion, kind, namespace: metadata.namespace, name: metadata.name, uid: metadata.uid },
      generation: metadata.generation,
      ...(metadata.deletionTimestamp === undefined ? {} : { deletedAt: metadata.deletionTimestamp }),
      paused: metadata.annotations?.[PAUSED_ANNOTATION] !== undefined,
      replicas: replicas ?? 1,
      minReadySeconds: minReadySeconds ?? 0,
      deletePolicy: deletePolicy ?? 'Random',
      selector,
      template: {
        labels: template?.metadata?.labels ?? {},
        annotations: template?.metadata?.annotations ?? {},
        ...(template?.spec?.providerSpec?.valueFrom?.machineClass === undefined
          ? {}
          : { machineClass: template.spec.providerSpec.valueFrom.machineClass.name }),
        spec: { ...template?.spec },
      },
    };
  },

  writeMachineSetStatus(status: MachineSetStatus) {
    const { error, ...rest } = status;
    return { ...rest, ...(error === undefined ? {} : { errorReason: error.reason, errorMessage: error.message }) };
  },

  readMachineClass,
  readCluster,
  readReplica,

  newMachine(set, name) {
    const { ref, template } = set;
    // No two Machines are one instance; and it is not for who may write a set to name one.
    const { providerID: _none, ...spec } = template.spec;
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
      spec,
    };
  },
};

const problemsOfMachine = createWellFormedCheck('machine.openshift.io_machines.yaml');
const problemsOfMachineSet = createWellFormedCheck('machine.openshift.io_machinesets.yaml');
const problemsOfMachineClass = createWellFormedCheck('machine.openshift.io_machineclasses.yaml', [
  'provider',
  'providerSpec',
  'secretRef',
  'credentialsSecretRef',
  'nodeTemplate',
  'status',
]);
// Its status is nobody's of ours: what a Cluster wants is known without it.
const problemsOfCluster = createWellFormedCheck('machine.openshift.io_clusters.yaml', ['spec']);

/** The object without what is malformed, but for the one field that names an instance. */
function readablePartsOf(object: MachineObject, problems: Problems): MachineObject {
  if (problems.spec === undefined && problems.status === undefined) return object;
  const { spec, status, ...identity } = object;
  const { providerID } = (spec ?? {}) as { providerID?: unknown };
  const named = typeof providerID === 'string' ? { providerID, providerSpec: {} } : { providerSpec: {} };
  return {
    ...identity,
    spec: problems.spec === undefined ? spec : named,
    ...(status === undefined || problems.status !== undefined ? {} : { status }),
  };
}

function machineOf(object: MachineObject): Machine {
  const { apiVersion, kind, metadata, spec, status } = object;
  const hooks = hooksOf(spec);
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
    ...(isMadeBySet(metadata) ? { madeBySet: true as const } : {}),
    ...(spec?.providerID === undefined || spec.providerID === '' ? {} : { providerID: spec.providerID }),
    specHash: specHashOf(spec?.providerSpec?.value ?? null),
    ...(spec?.creationTimeoutSeconds === undefined ? {} : { creationTimeoutSeconds: spec.creationTimeoutSeconds }),
    ...(hooks.length === 0 ? {} : { hooks }),
    ...ownStatusOf(metadata, status),
  };
}

/**
 * The API server keeps who wrote the spec, and when. One that was restored was written by another; where a backup brought
 * that record along, it tells of a time before the object was created.
 */
function isMadeBySet({ managedFields = [], creationTimestamp }: MachineObject['metadata']): boolean {
  return managedFields.some(
    ({ manager, time = '', fieldsV1 }) =>
      manager === SET_FIELD_MANAGER &&
      Object.hasOwn(Object(fieldsV1), 'f:spec') &&
      Date.parse(time) >= Date.parse(creationTimestamp),
  );
}

/**
 * The status, as far as it is this Machine's own: a launch counts only under a token of this Machine's uid. Another token
 * came with a copy of another Machine's status, and then nothing of that status tells of an instance or a Node of this one.
 */
function ownStatusOf(
  { namespace, uid }: MachineObject['metadata'],
  stored: MachineObject['status'],
): Pick<Machine, 'status' | 'copied'> {
  const status = statusOf(stored, namespace);
  const { launch, instance } = status;
  if (launch === undefined || launch.token === tokenOf(uid, launch.attempt)) return { status };
  const { phase, conditions, waiting, updatedAt } = status;
  return {
    status: {
      ...(phase === undefined ? {} : { phase }),
      addresses: [],
      conditions,
      ...(waiting === undefined ? {} : { waiting }),
      ...(updatedAt === undefined ? {} : { updatedAt }),
    },
    copied: { token: launch.token, ...(instance === undefined ? {} : { instanceId: instance.id }) },
  };
}

function hooksOf(spec: MachineObject['spec'] | undefined): LifecycleHook[] {
  const { preDrain = [], preTerminate = [] } = spec?.lifecycleHooks ?? {};
  return [
    ...preDrain.map(({ name, owner }) => ({ point: 'preDrain' as const, name, owner })),
    ...preTerminate.map(({ name, owner }) => ({ point: 'preTerminate' as const, name, owner })),
  ];
}

function specOf({ spec }: MachineObject): MachineSpec {
  const { value, valueFrom } = spec?.providerSpec ?? {};
  return {
    providerSpec: value,
    // Where both stand there, in an object that was stored before that was refused, the value counts.
    ...(value !== undefined || valueFrom?.machineClass === undefined
      ? {}
      : { classRef: { ...valueFrom.machineClass } }),
    nodeLabels: spec?.metadata?.labels ?? {},
    nodeAnnotations: spec?.metadata?.annotations ?? {},
    nodeTaints: spec?.taints ?? [],
  };
}

/** @param namespace the Machine's: credentials are read from nowhere else, whatever its status says */
function statusOf(status: MachineObject['status'], namespace: string): MachineStatus {
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
  const { instanceId, instanceState, account, launch, cloud } = providerStatus ?? {};
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
    ...(account === undefined ? {} : { account }),
    ...(launch === undefined ? {} : { launch: launchOf(launch, namespace) }),
    ...(cloud === undefined ? {} : { cloud: { ...cloud, credentials: { ...cloud.credentials, namespace } } }),
    ...(waiting === undefined ? {} : { waiting }),
    ...(lastUpdated === undefined ? {} : { updatedAt: lastUpdated }),
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
  };
}

function launchOf(stored: StoredLaunch, namespace: string): PreparedLaunch {
  const launch = stored as unknown as PreparedLaunch;
  const { parameters } = launch;
  return { ...launch, parameters: { ...parameters, credentials: { ...parameters.credentials, namespace } } };
}

/** Conditions that are ours to write; others' on the same object are left alone. */
const OWN_CONDITIONS: ReadonlySet<string> = new Set([
  'Drainable',
  'InstanceExists',
  'InstancesUnique',
  'LoadBalancersAttached',
  'MachineCreation',
  'NodeReady',
  'Paused',
  'Terminable',
  'UpToDate',
]);

function statusObjectOf(status: MachineStatus): object {
  const { phase, nodeRef, error, addresses, conditions, instance, launch, cloud, waiting, updatedAt } = status;
  const { account, observedGeneration } = status;
  const generation = observedGeneration === undefined ? {} : { observedGeneration };
  const creation = conditions.find(({ type }) => type === 'MachineCreation');
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
      // The Machine API's provider says of the creation here what it says nowhere else.
      ...(creation === undefined ? {} : { conditions: [{ ...creation, ...generation }] }),
      ...(instance === undefined ? {} : { instanceId: instance.id, instanceState: instance.state }),
      ...(account === undefined ? {} : { account }),
      ...(launch === undefined ? {} : { launch }),
      ...(cloud === undefined ? {} : { cloud }),
    },
    ...(waiting === undefined ? {} : { waiting }),
    ...generation,
    ...(updatedAt === undefined ? {} : { lastUpdated: updatedAt }),
  };
}

function readMachineClass(object: StoredObject): MachineClass {
  const { apiVersion, kind, metadata, ...written } = object as MachineClassObject;
  const problems = problemsOfMachineClass(object);
  const [malformed] = Object.values(problems);
  const readable = Object.fromEntries(Object.entries(written).filter(([part]) => !(part in problems)));
  const { provider, providerSpec, secretRef, credentialsSecretRef, status } = readable as Partial<typeof written>;
  return {
    ...(malformed === undefined ? {} : { malformed }),
    ref: { apiVersion, kind, namespace: metadata.namespace, name: metadata.name, uid: metadata.uid },
    generation: metadata.generation,
    ...(metadata.deletionTimestamp === undefined ? {} : { deletedAt: metadata.deletionTimestamp }),
    hasFinalizer: metadata.finalizers?.includes(MACHINE_CLASS_FINALIZER) ?? false,
    // Stored under somebody else's definition it may lack them; what is missing is said where a machine needs it.
    provider: provider ?? '',
    providerSpec: providerSpec ?? {},
    ...(secretRef === undefined ? {} : { userDataSecret: secretRef }),
    ...(credentialsSecretRef === undefined ? {} : { credentialsSecret: credentialsSecretRef }),
    conditions: (status?.conditions ?? []).map(({ type, status: value, reason, message, lastTransitionTime }) => ({
      type,
      status: value,
      reason: reason ?? '',
      message: message ?? '',
      lastTransitionTime,
    })),
  };
}

function readCluster(object: StoredObject): Cluster {
  const { apiVersion, kind, metadata, spec } = object as ClusterObject;
  const { spec: malformed } = problemsOfCluster(object);
  const { paused, defaults } = malformed === undefined ? { ...spec } : { paused: true };
  const { region, credentialsSecret, tags = [] } = defaults ?? {};
  return {
    ...(malformed === undefined ? {} : { malformed }),
    ref: { apiVersion, kind, namespace: metadata.namespace, name: metadata.name, uid: metadata.uid },
    paused: paused === true || metadata.annotations?.[PAUSED_ANNOTATION] !== undefined,
    defaults: {
      ...(region === undefined ? {} : { region }),
      ...(credentialsSecret === undefined ? {} : { credentialsSecret: credentialsSecret.name }),
      tags,
    },
  };
}

function readReplica(object: StoredObject): Replica {
  const { metadata, status } = readablePartsOf(object as MachineObject, problemsOfMachine(object));
  const { annotations = {}, labels = {} } = metadata;
  const controller = metadata.ownerReferences?.find((o) => o.controller === true)?.uid;
  const ready = status?.conditions?.find((c) => c.type === 'NodeReady');
  const deleting = metadata.deletionTimestamp !== undefined;
  const { launch, instance } = ownStatusOf(metadata, status).status;
  const mayRun =
    (launch !== undefined || instance !== undefined) &&
    instance?.state !== 'shutting-down' &&
    instance?.state !== 'terminated';
  return {
    name: metadata.name,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
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
