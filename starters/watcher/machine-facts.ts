import type { Api, MachineKind, StoredObject } from '../../k8s/dialects/kind.ts';
import { isOfKind } from '../../k8s/dialects/registry.ts';
import { conditionOf } from '../../k8s/model/condition.ts';
import { ASKED_OF_OTHERS_ANNOTATION, readAsked } from '../../k8s/model/health-claim.ts';
import type { Taint } from '../../k8s/model/machine.ts';
import type { DeletionStage, Replica } from '../../k8s/model/machine-set.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { MachineReading } from '../../k8s/model/reading.ts';
import { instanceIdOf } from '../../k8s/model/provider-id.ts';
import type { ConditionType } from '../../k8s/model/reasons/conditions.ts';
import { replicaOf } from '../../k8s/model/replica.ts';
import { rolloutMachineOf } from '../../k8s/model/rollout-machine.ts';
import { digest, foreignLabels } from './fingerprint.ts';
import { keysOfNamed, type NamedKeys } from './object-key.ts';
import { ownFacts, type OwnFacts } from './own-facts.ts';
import { given } from '../../providers/given.ts';

/** What the watcher keeps of a Machine: enough to tell whom a change concerns, and what its metrics show. */
export interface MachineFacts extends OwnFacts<'machine'>, NamedKeys {
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly hasFinalizer: boolean;
  /** Changes with what concerns its MachineSet. */
  readonly ownerFingerprint: string;
  /** Changes with what concerns its MachineDeployment. */
  readonly rolloutFingerprint: string;
  /** The MachineSet that controls it. */
  readonly controller?: ObjectRef;
  /** True where something controls it that is no MachineSet of ours. */
  readonly isForeign: boolean;
  readonly labels: Readonly<Record<string, string>>;
  /** Name of the health check that remediates it. */
  readonly remediatedBy?: string;
  /** It has booted anew, as that check wanted. */
  readonly isRebooted: boolean;
  /** Changes with what may make it healthy or not, whatever a check's rules are. */
  readonly healthFingerprint: string;
  /** Status of each of its conditions, by type, whoever wrote it: a health check may have rules on any of them. */
  readonly conditions: Readonly<Record<string, string>>;
  readonly phase?: string;
  /** What it waits for, in the words for programs. */
  readonly waiting?: { readonly step: string; readonly reason: string };
  /** What was launched for it is on record: a change of its class or of its Cluster's defaults does not concern it. */
  readonly hasInstance: boolean;
  /** Its status has a launch or an instance on record. */
  readonly hasRecord: boolean;
  /** Empty where it has none. */
  readonly providerID: string;
  /** The same where it was not our own workflow that wrote it; else empty. */
  readonly foreignProviderID: string;
  /** The id that it names. */
  readonly instance: string;
  readonly addresses: readonly string[];
  /** Name of the Node that its status names. */
  readonly nodeName?: string;
  /** Status of its condition NodeReady. */
  readonly nodeReady?: string;
  readonly isDeleting: boolean;
  /** How far its deletion is; absent: it stays, or nothing of it may run. */
  readonly going?: DeletionStage;
  /** Its status says that nothing is drained from its Node any more. */
  readonly isDrained: boolean;
  /** Labels and taints that Millwright puts on its Node. */
  readonly nodeLabels: Readonly<Record<string, string>>;
  readonly nodeTaints: readonly Taint[];
  /** Those that its Node gets when it joins. */
  readonly startupTaints: readonly Taint[];
}

export function machineFacts(object: StoredObject, kind: MachineKind, api: Api): MachineFacts {
  const read = kind.read(object);
  const { machine, spec, meta, isProviderIDOurs } = read;
  const { ref, status, providerID = '', clusterName, deletedAt } = machine;
  const { phase, waiting, nodeRef } = status;
  const { controller } = meta;
  const isControllerOurs =
    controller !== undefined && api.machineSet !== undefined && isOfKind(controller, api.machineSet.resource);
  const says = (condition: ConditionType) => conditionOf(status.conditions, condition)?.status;
  const nodeReady = says('NodeReady');
  const replica = replicaOf(read);
  const foreign = foreignLabels(meta.labels, kind);
  return {
    ...ownFacts(read, kind),
    createdAt: Date.parse(meta.createdAt),
    hasFinalizer: machine.hasFinalizer,
    ownerFingerprint: ownerFingerprintOf(replica, foreign),
    rolloutFingerprint: rolloutFingerprintOf(read, foreign),
    ...given({ controller: isControllerOurs ? controller : undefined }),
    isForeign: controller !== undefined && !isControllerOurs,
    labels: meta.labels,
    ...given({ remediatedBy: read.health.claim?.name }),
    isRebooted: says('Rebooted') === 'True',
    healthFingerprint: healthFingerprintOf(read),
    conditions: Object.fromEntries(
      [...read.otherConditions, ...status.conditions].map(({ type, status: is }) => [type, is]),
    ),
    ...given({ phase }),
    ...given({ waiting: waiting && { step: waiting.step, reason: waiting.reason } }),
    ...keysOfNamed(api, ref.namespace, { clusterName, machineClass: spec.classRef?.name }),
    hasInstance: providerID !== '' || status.instance !== undefined,
    hasRecord: status.launch !== undefined || status.instance !== undefined,
    providerID,
    foreignProviderID: isProviderIDOurs ? '' : providerID,
    instance: instanceIdOf(providerID) ?? '',
    addresses: addressesOf(status.addresses),
    ...given({ nodeName: nodeRef?.name, nodeReady }),
    isDeleting: deletedAt !== undefined,
    ...given({ going: replica.going }),
    isDrained: says('Drained') === 'True',
    nodeLabels: spec.nodeLabels,
    nodeTaints: spec.nodeTaints,
    startupTaints: spec.startupTaints,
  };
}

/** But for what its set itself writes. */
function ownerFingerprintOf(all: Replica, foreign: object): string {
  const { settings: _ours, rollout: _told, resourceVersion: _any, labels: _all, ...replica } = all;
  return digest([replica, foreign]);
}

/** All that its deployment goes by. */
function rolloutFingerprintOf(reading: MachineReading, labels: object): string {
  return digest({ ...rolloutMachineOf(reading), labels });
}

function healthFingerprintOf({ machine, meta, health }: MachineReading): string {
  const { phase, nodeRef, instance, launch, conditions, reboot } = machine.status;
  const says = (condition: ConditionType) => conditionOf(conditions, condition)?.status;
  return digest([
    phase,
    nodeRef?.uid,
    instance?.state,
    launch?.preparedAt,
    // When its instance was taken by the cloud, that it is proved gone, and whether its Cluster is paused.
    says('MachineCreation'),
    says('InstanceExists'),
    says('Paused'),
    machine.deletedAt !== undefined,
    machine.paused,
    meta.labels,
    meta.controller?.uid,
    health,
    reboot && [reboot.id, reboot.state, reboot.sentAt],
    leftOf(meta.annotations),
  ]);
}

/** Which annotations are there by which a check asked other programs: each takes its own off when it is done. */
function leftOf(annotations: Readonly<Record<string, string>>): string[] {
  return Object.keys(readAsked(annotations[ASKED_OF_OTHERS_ANNOTATION]).annotations).filter(
    (key) => key in annotations,
  );
}

/** The IP addresses of a Machine or a Node. */
export function addressesOf(addresses: readonly { readonly type: string; readonly address: string }[]): string[] {
  return addresses.filter(({ type }) => type.endsWith('IP')).map(({ address }) => address);
}
