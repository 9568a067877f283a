import type { ClusterObject } from '../../k8s/api/cluster.ts';
import type { MachineClassObject } from '../../k8s/api/machine-class.ts';
import type { MachineSetObject } from '../../k8s/api/machine-set.ts';
import type { MachineObject } from '../../k8s/api/machine.ts';
import { CLUSTER_LABEL, PAUSED_ANNOTATION } from '../../k8s/model/labels.ts';
import { explain } from './explanation.ts';

/** One object of a cluster, whether it is ready, and why not. */
export interface TreeNode {
  readonly kind: string;
  readonly name: string;
  readonly ready: 'True' | 'False' | 'Unknown';
  /** CamelCase; absent where it is ready. */
  readonly reason?: string;
  /** RFC 3339: since when. */
  readonly since?: string;
  /** A sentence. */
  readonly message?: string;
  readonly children: readonly TreeNode[];
}

/** What there is in a namespace. */
export interface NamespaceContent {
  readonly clusters: readonly ClusterObject[];
  readonly classes: readonly MachineClassObject[];
  readonly sets: readonly MachineSetObject[];
  readonly machines: readonly MachineObject[];
}

/** Names of the clusters in a namespace: a Cluster object is optional, the label on the others is what counts. */
export function clusterNames({ clusters, sets, machines }: NamespaceContent): string[] {
  const names = [
    ...clusters.map(({ metadata }) => metadata.name),
    ...sets.map(clusterOfSet),
    ...machines.map(({ metadata }) => metadata.labels?.[CLUSTER_LABEL]),
  ];
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

/** The objects of one cluster: the Cluster, MachineClasses, MachineSets, Machines, and of those the instance and the Node. */
export function clusterTree(name: string, content: NamespaceContent): TreeNode {
  const machines = content.machines.filter(({ metadata }) => metadata.labels?.[CLUSTER_LABEL] === name).sort(byName);
  const sets = content.sets.filter((set) => clusterOfSet(set) === name).sort(byName);
  const cluster = content.clusters.find(({ metadata }) => metadata.name === name);
  const ownerOf = new Map(machines.map((machine) => [machine, sets.find((set) => owns(set, machine))]));
  const setNodes = sets.map((set) =>
    setNode(
      set,
      machines.filter((machine) => ownerOf.get(machine) === set),
    ),
  );
  const loners = machines.filter((machine) => ownerOf.get(machine) === undefined).map(machineNode);
  const below = [...setNodes, ...loners];
  return {
    kind: 'Cluster',
    name,
    ...clusterStanding(cluster, machines.map(machineNode), setNodes),
    children: [...classNodes(content.classes, machines, sets), ...below],
  };
}

function clusterStanding(
  cluster: ClusterObject | undefined,
  machines: readonly TreeNode[],
  sets: readonly TreeNode[],
): Omit<TreeNode, 'kind' | 'name' | 'children'> {
  const ready = machines.filter((node) => node.ready === 'True').length;
  const count = `${ready} of ${machines.length} ${machines.length === 1 ? 'machine' : 'machines'} ready`;
  const message = cluster === undefined ? `${count}; there is no Cluster object, and none is needed` : count;
  if (cluster?.spec?.paused === true || cluster?.metadata.annotations?.[PAUSED_ANNOTATION] !== undefined) {
    return { ready: 'False', reason: 'Paused', message: `nothing is done to its machines; ${message}` };
  }
  const isReady = ready === machines.length && sets.every((set) => set.ready === 'True');
  return isReady ? { ready: 'True', message } : { ready: 'False', reason: 'NotAllReady', message };
}

/** The MachineClasses that are referred to, those that are missing included. */
function classNodes(
  classes: readonly MachineClassObject[],
  machines: readonly MachineObject[],
  sets: readonly MachineSetObject[],
): TreeNode[] {
  const ofMachines = machines.map(({ spec }) => spec?.providerSpec?.valueFrom?.machineClass.name);
  const ofSets = sets.map(({ spec }) => spec?.template?.spec?.providerSpec?.valueFrom?.machineClass.name);
  const names = [...new Set([...ofMachines, ...ofSets].filter((name) => name !== undefined))].sort();
  return names.map((name) => {
    const found = classes.find(({ metadata }) => metadata.name === name);
    const users = ofMachines.filter((used) => used === name).length;
    const base = { kind: 'MachineClass', name, children: [] };
    const use = `${users} ${users === 1 ? 'machine refers' : 'machines refer'} to it`;
    if (found === undefined) {
      return { ...base, ready: 'False', reason: 'MachineClassMissing', message: `it does not exist; ${use}` };
    }
    return { ...base, ready: 'True', message: use };
  });
}

function setNode(set: MachineSetObject, machines: readonly MachineObject[]): TreeNode {
  const { spec, status, metadata } = set;
  const wanted = spec?.replicas ?? 0;
  const ready = status?.readyReplicas ?? 0;
  const base = { kind: 'MachineSet', name: metadata.name, children: machines.map(machineNode) };
  const message = `${ready} of ${wanted} ready`;
  if (status?.errorReason !== undefined) {
    return { ...base, ready: 'False', reason: status.errorReason, message: status.errorMessage ?? message };
  }
  if (metadata.annotations?.[PAUSED_ANNOTATION] !== undefined) {
    return { ...base, ready: 'False', reason: 'Paused', message: `the set is paused; ${message}` };
  }
  if (ready === wanted && machines.length === wanted) return { ...base, ready: 'True', message };
  const reason = machines.length === wanted ? 'MachinesNotReady' : machines.length < wanted ? 'TooFew' : 'TooMany';
  return { ...base, ready: 'False', reason, message };
}

function machineNode(machine: MachineObject): TreeNode {
  const { metadata, status = {} } = machine;
  const { instanceId, instanceState } = status.providerStatus ?? {};
  const nodeReady = status.conditions?.find(({ type }) => type === 'NodeReady');
  const nodeName = status.nodeRef?.name;
  const children: TreeNode[] = [
    ...(instanceId === undefined ? [] : [instanceNode(instanceId, instanceState ?? 'unknown')]),
    ...(nodeName === undefined ? [] : [nodeOf(nodeName, nodeReady)]),
  ];
  const { step, reason, since, waitsFor, lastError } = explain(machine);
  const base = { kind: 'Machine', name: metadata.name, children };
  const isRunning = status.phase === 'Running' && step === 'Running' && reason === undefined;
  if (isRunning && nodeReady?.status === 'True') return { ...base, ready: 'True', ...sinceOf(since) };
  if (isRunning) {
    return {
      ...base,
      ready: 'False',
      reason: nodeReady?.reason ?? 'NodeNotReady',
      ...sinceOf(since),
      message: lastError ?? '',
    };
  }
  const why = step === 'Failed' ? (status.errorReason ?? 'Failed') : (reason ?? step);
  const message = step === 'Failed' ? (lastError ?? waitsFor) : waitsFor;
  return { ...base, ready: 'False', reason: why, ...sinceOf(since), message };
}

function instanceNode(id: string, state: string): TreeNode {
  const base = { kind: 'Instance', name: id, children: [] };
  if (state === 'running') return { ...base, ready: 'True' };
  return { ...base, ready: state === 'pending' ? 'Unknown' : 'False', message: `the cloud reported it as ${state}` };
}

type Condition = NonNullable<NonNullable<MachineObject['status']>['conditions']>[number];

function nodeOf(name: string, nodeReady: Condition | undefined): TreeNode {
  const base = { kind: 'Node', name, children: [] };
  if (nodeReady === undefined) return { ...base, ready: 'Unknown' };
  const { status, reason, message, lastTransitionTime: since } = nodeReady;
  if (status === 'True') return { ...base, ready: status, since };
  return { ...base, ready: status, since, ...(reason === undefined ? {} : { reason }), message: message ?? '' };
}

function sinceOf(since: string | undefined): { since?: string } {
  return since === undefined ? {} : { since };
}

function clusterOfSet({ metadata, spec }: MachineSetObject): string | undefined {
  return spec?.template?.metadata?.labels?.[CLUSTER_LABEL] ?? metadata.labels?.[CLUSTER_LABEL];
}

function owns(set: MachineSetObject, machine: MachineObject): boolean {
  return machine.metadata.ownerReferences?.some(({ uid }) => uid === set.metadata.uid) === true;
}

function byName(a: MachineObject | MachineSetObject, b: MachineObject | MachineSetObject): number {
  return a.metadata.name < b.metadata.name ? -1 : 1;
}
