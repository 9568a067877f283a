import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import type { MachineSetObject } from '../../../k8s/api/machine.openshift.io/machine-set.ts';
import { CLUSTER_LABEL, FINALIZER } from '../../../k8s/dialects/openshift/labels.ts';
import { APIS } from '../../../k8s/dialects/registry.ts';
import type { Machine } from '../../../k8s/model/machine.ts';
import { PAUSED_ANNOTATION } from '../../../k8s/model/paused-annotation.ts';
import type { ObjectMeta } from '../../../k8s/object-meta.ts';
import { aLaunch, type LaunchFacts } from './a-launch.ts';
import { metadataOf } from './metadata.ts';
import { given } from '../../../providers/given.ts';

/** What tells a Machine from most; the rest is as in one that Millwright took over and did not launch yet. */
export interface MachineFacts {
  readonly name?: string;
  readonly namespace?: string;
  /** Name of its Cluster. @default c1 */
  readonly cluster?: string;
  /** The set that owns it: it has the labels of its template. */
  readonly set?: MachineSetObject;
  readonly paused?: boolean;
  readonly deleting?: boolean;
  /** Fields of providerSpec.value. */
  readonly value?: Readonly<Record<string, unknown>>;
  /** The class that it refers to, in place of a value. */
  readonly machineClass?: string;
  readonly providerID?: string;
  /** Id of the instance that it has on record. */
  readonly instanceId?: string;
  /** The launch that it has on record; `{}` is its first attempt. */
  readonly launch?: LaunchFacts;
  /** What else the provider's part of the status says. */
  readonly providerStatus?: NonNullable<NonNullable<MachineObject['status']>['providerStatus']>;
  /** Laid over the status. */
  readonly status?: NonNullable<MachineObject['status']>;
  /** Laid over the metadata. */
  readonly metadata?: Partial<ObjectMeta>;
  /** Laid over the spec. */
  readonly spec?: Partial<MachineObject['spec']>;
}

export const SIMULATED = {
  apiVersion: 'machine.millwright.dev/v1alpha1',
  kind: 'SimulatedMachineProviderConfig',
  instanceType: 'sim.small',
};
const DELETED_AT = '2026-01-02T00:00:00Z';

export function aMachine(facts: MachineFacts = {}): MachineObject {
  const { name = 'm', namespace, cluster = 'c1', set, paused, deleting, providerID, spec } = facts;
  const value = { ...SIMULATED, ...facts.value } as NonNullable<MachineObject['spec']['providerSpec']['value']>;
  const owner = set && { apiVersion: set.apiVersion, kind: set.kind, name: set.metadata.name, uid: set.metadata.uid };
  const metadata = metadataOf(name, {
    ...given({ namespace }),
    labels: { ...set?.spec.template?.metadata?.labels, [CLUSTER_LABEL]: cluster },
    finalizers: [FINALIZER],
    ...given({
      ownerReferences: owner && [{ ...owner, controller: true, blockOwnerDeletion: true }],
      annotations: paused === true ? { [PAUSED_ANNOTATION]: '' } : undefined,
      deletionTimestamp: deleting === true ? DELETED_AT : undefined,
    }),
    ...facts.metadata,
  });
  const status = statusOf(facts, metadata);
  return {
    apiVersion: 'machine.openshift.io/v1beta1',
    kind: 'Machine',
    metadata,
    spec: {
      providerSpec:
        facts.machineClass === undefined ? { value } : { valueFrom: { machineClass: { name: facts.machineClass } } },
      ...given({ providerID }),
      ...spec,
    },
    ...given({ status }),
  };
}

function statusOf(facts: MachineFacts, metadata: ObjectMeta): MachineObject['status'] {
  const { instanceId, providerStatus, status } = facts;
  const launch = facts.launch && aLaunch(metadata, facts.launch);
  if (instanceId === undefined && launch === undefined && providerStatus === undefined) return status;
  return {
    providerStatus: {
      ...(instanceId === undefined ? {} : { instanceId, instanceState: 'running' }),
      ...given({ launch: launch && { ...launch, parameters: { ...launch.parameters } } }),
      ...providerStatus,
    },
    ...status,
  };
}

/** As a workflow sees it. */
export function readMachine(object: MachineObject): Machine {
  return APIS.kindOf('machine', object).read(object).machine;
}
