import type { ClusterObject } from '../../../k8s/api/machine.openshift.io/cluster.ts';
import type { MachineClassObject } from '../../../k8s/api/machine.openshift.io/machine-class.ts';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import type { MachineDeploymentObject } from '../../../k8s/api/machine.openshift.io/machine-deployment.ts';
import type { MachineSetObject } from '../../../k8s/api/machine.openshift.io/machine-set.ts';
import { CLUSTER_LABEL } from '../../../k8s/dialects/openshift/labels.ts';
import {
  CLUSTERS,
  MACHINE_DEPLOYMENTS,
  MACHINES,
  MACHINE_CLASSES,
  MACHINE_SETS,
} from '../../../k8s/dialects/openshift/resources.ts';
import { controllerOf } from '../../../k8s/model/owner-reference.ts';
import type { ObjectMeta } from '../../../k8s/object-meta.ts';
import { NODES } from '../../../k8s/resources.ts';
import { isBooting } from '../people/settings-deeds.ts';
import { isOf } from '../people/shared-deeds.ts';
import type { Universe } from '../universe.ts';
import { notHealed } from './healed.ts';
import { notBehind } from './load-balancers.ts';

/** They are of no object. */
const CLUSTER_WORKFLOWS: ReadonlySet<string> = new Set(['inventory', 'safety']);

/** What is not as it was asked for, or not as a status says: nothing, some time after all was calm. */
export function leftToDo({ api, temporal, cloud }: Universe): readonly string[] {
  const machines = api.all<MachineObject>(MACHINES);
  const sets = api.all<MachineSetObject>(MACHINE_SETS);
  const classes = api.all<MachineClassObject>(MACHINE_CLASSES);
  const clusters = api.all<ClusterObject>(CLUSTERS);
  const strangers = cloud.living().filter(({ machineUid }) => machineUid === undefined);
  // Without a Cluster the instances of earlier Machines are nobody's either.
  const isUnclear = (message: string) => clusters.length === 0 || strangers.some(({ id }) => message.includes(id));
  const usable = new Set(classes.filter(isThere).map(({ metadata }) => metadata.name));
  return [
    ...temporal
      .running()
      // The last part of a workflow's id is its object's uid.
      .filter(
        ({ identity: { workflowId, workflowType } }) =>
          !CLUSTER_WORKFLOWS.has(workflowType) && !api.store.has(uidIn(workflowId)),
      )
      .map(({ identity }) => `workflow ${identity.workflowId} goes on, and its object is gone`),
    ...notBehind(machines, cloud),
    ...notHealed(api),
    ...api
      .all(NODES)
      .filter(isBooting)
      .map(({ metadata }) => `Node ${metadata.name} comes up still`),
    ...machines.flatMap((machine) => ofMachine(machine, usable, isUnclear)),
    ...sets.flatMap((set) => ofSet(set, machines)),
    ...api.all<MachineDeploymentObject>(MACHINE_DEPLOYMENTS).flatMap((each) => ofDeployment(each, machines, sets)),
    ...classes.flatMap((each) => ofClass(each, machines, sets)),
    ...clusters.flatMap((cluster) => ofCluster(cluster, machines)),
  ];
}

export function ownerOf({ metadata }: Pick<MachineObject | MachineSetObject, 'metadata'>): string | undefined {
  return controllerOf(metadata.ownerReferences)?.uid;
}

/** @param isUnclear whether somebody has to tell whose the instance is that a Machine names in what it waits for */
function ofMachine(
  { metadata, spec, status }: MachineObject,
  usable: ReadonlySet<string>,
  isUnclear: (message: string) => boolean,
): string[] {
  const { name, deletionTimestamp } = metadata;
  const waiting = status?.waiting;
  const why = JSON.stringify(waiting ?? status);
  if (deletionTimestamp !== undefined) return [`Machine ${name} is still being deleted: ${why}`];
  if (spec.delete === true) return [`Machine ${name} is still to be deleted: ${why}`];
  // It may be Running; what its template says of its Node comes afterwards.
  if (waiting?.reason === 'LaunchOutcomeUnknown') return [`Machine ${name} looks for what came of a launch: ${why}`];
  if (status?.phase === 'Running' || status?.phase === 'Failed') return [];
  // A Machine without a status is never launched beside an instance that may be its own: somebody has to tell whose it is.
  if (waiting?.reason === 'InstanceOfAnother' && isUnclear(waiting.message ?? '')) return [];
  const machineClass = spec.providerSpec.valueFrom?.machineClass?.name;
  const waitsForClass = waiting?.reason === 'MachineClassMissing' || waiting?.reason === 'MachineClassDeleting';
  if (waitsForClass && machineClass !== undefined && !usable.has(machineClass)) return [];
  return [`Machine ${name} is ${status?.phase ?? 'without a phase'}: ${why}`];
}

function ofSet({ metadata, spec, status }: MachineSetObject, machines: readonly MachineObject[]): string[] {
  const owned = machines.filter((machine) => ownerOf(machine) === metadata.uid);
  const { replicas } = spec;
  const isSeen = status?.observedGeneration === metadata.generation;
  if (owned.length === replicas && status?.replicas === replicas && isSeen) return [];
  return [`MachineSet ${metadata.name} has ${owned.length} of ${replicas} Machines: ${JSON.stringify(status)}`];
}

function ofDeployment(
  { metadata, spec, status }: MachineDeploymentObject,
  machines: readonly MachineObject[],
  sets: readonly MachineSetObject[],
): string[] {
  const { name, uid } = metadata;
  const version = ({ metadata: { annotations } }: Pick<MachineObject, 'metadata'>) =>
    annotations?.['example.com/version'];
  const mine = machines.filter(({ metadata: { labels } }) => labels?.['pool'] === name);
  const wanted = spec.template.metadata?.annotations?.['example.com/version'];
  const old = mine.filter((machine) => version(machine) !== wanted).length;
  const filled = sets.filter((set) => ownerOf(set) === uid && (set.spec.replicas ?? 1) > 0).length;
  const progress = status?.conditions?.find(({ type }) => type === 'Progressing')?.reason;
  const isDone =
    mine.length === spec.replicas &&
    old === 0 &&
    filled <= 1 &&
    status?.updatedReplicas === spec.replicas &&
    progress === 'NewReplicaSetAvailable' &&
    status.observedGeneration === metadata.generation;
  if (isDone) return [];
  return [
    `MachineDeployment ${name} has ${mine.length} of ${spec.replicas} Machines, ${old} of earlier templates, in ${filled} sets: ${JSON.stringify(status)}`,
  ];
}

function ofClass(
  { metadata, status }: MachineClassObject,
  machines: readonly MachineObject[],
  sets: readonly MachineSetObject[],
): string[] {
  const ofMachines = machines.filter(({ spec }) => isOf(metadata.name, spec)).length;
  const ofSets = sets.filter(({ spec }) => isOf(metadata.name, spec.template?.spec)).length;
  if (!isThere({ metadata }) && ofMachines + ofSets === 0) return [`MachineClass ${metadata.name} is not let go`];
  const isTrue =
    status?.machines === ofMachines &&
    status.machineSets === ofSets &&
    status.observedGeneration === metadata.generation;
  if (isTrue) return [];
  return [`${ofMachines} Machines, ${ofSets} sets are of MachineClass ${metadata.name}: ${JSON.stringify(status)}`];
}

function ofCluster({ metadata, status }: ClusterObject, machines: readonly MachineObject[]): string[] {
  const own = machines.filter(({ metadata: { labels } }) => labels?.[CLUSTER_LABEL] === metadata.name).length;
  const isPaused = status?.conditions?.some(({ type }) => type === 'Paused') === true;
  if (status?.machines === own && status.observedGeneration === metadata.generation && !isPaused) return [];
  return [`Cluster ${metadata.name} has ${own} Machines and is not paused: ${JSON.stringify(status)}`];
}

function isThere({ metadata }: { readonly metadata: Pick<ObjectMeta, 'deletionTimestamp'> }): boolean {
  return metadata.deletionTimestamp === undefined;
}

function uidIn(workflowId: string): string {
  return workflowId.split('/').at(-1) ?? '';
}
