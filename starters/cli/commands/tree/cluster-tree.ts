import { conditionOf, type Condition } from '../../../../k8s/model/condition.ts';
import type {
  ClusterReading,
  MachineClassReading,
  MachineDeploymentReading,
  MachineReading,
  MachineSetReading,
} from '../../../../k8s/model/reading.ts';
import type { Reason } from '../../../../k8s/model/reasons/reasons.ts';
import { given } from '../../../../providers/given.ts';
import { explain } from '../../explanation/explanation.ts';

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
  readonly clusters: readonly ClusterReading[];
  readonly classes: readonly MachineClassReading[];
  readonly deployments: readonly MachineDeploymentReading[];
  readonly sets: readonly MachineSetReading[];
  readonly machines: readonly MachineReading[];
}

/** Names of the clusters in a namespace: a Cluster object is optional, the label on the others is what counts. */
export function clusterNames({ clusters, deployments, sets, machines }: NamespaceContent): string[] {
  const names = [...clusters, ...deployments, ...sets, ...machines].map(({ clusterName }) => clusterName);
  return [...new Set(names.filter((name) => name !== ''))].sort();
}

/**
 * The objects of one cluster: the Cluster, MachineClasses, MachineDeployments, MachineSets, Machines, and of those the instance and the
 * Node. What a deployment keeps of earlier templates, without Machines, is left out.
 */
export function clusterTree(name: string, content: NamespaceContent): TreeNode {
  const machines = content.machines
    .filter(({ machine }) => machine.clusterName === name)
    .sort(byName(({ machine }) => machine.ref.name));
  const sets = content.sets
    .filter((set) => set.clusterName === name)
    .sort(byName(({ machineSet }) => machineSet.ref.name));
  const deployments = content.deployments
    .filter((deployment) => deployment.clusterName === name)
    .sort(byName(({ meta }) => meta.ref.name));
  const cluster = content.clusters.find(({ cluster: { ref } }) => ref.name === name);
  const ownerOf = new Map(machines.map((machine) => [machine, sets.find((set) => owns(set, machine))]));
  const nodeOfSet = (set: MachineSetReading): TreeNode =>
    setNode(
      set,
      machines.filter((machine) => ownerOf.get(machine) === set),
    );
  const isEmpty = (set: MachineSetReading): boolean =>
    set.machineSet.replicas === 0 && ![...ownerOf.values()].includes(set);
  const deploymentNodes = deployments.map((deployment) => {
    const mine = sets.filter((set) => isOf(set, deployment) && !isEmpty(set));
    return deploymentNode(deployment, mine.map(nodeOfSet));
  });
  const setNodes = sets.filter((set) => !deployments.some((each) => isOf(set, each))).map(nodeOfSet);
  const loners = machines.filter((machine) => ownerOf.get(machine) === undefined).map(machineNode);
  return {
    kind: 'Cluster',
    name,
    ...clusterStanding(cluster, machines.map(machineNode), [...deploymentNodes, ...setNodes]),
    children: [...classNodes(content.classes, machines, sets), ...deploymentNodes, ...setNodes, ...loners],
  };
}

function clusterStanding(
  read: ClusterReading | undefined,
  machines: readonly TreeNode[],
  groups: readonly TreeNode[],
): Omit<TreeNode, 'kind' | 'name' | 'children'> {
  const ready = machines.filter((node) => node.ready === 'True').length;
  const count = `${ready} of ${machines.length} ${machines.length === 1 ? 'machine' : 'machines'} ready`;
  const message = read === undefined ? `${count}; there is no Cluster object, and none is needed` : count;
  if (read?.cluster.paused === true) {
    return unready('Paused', `nothing is done to its machines; ${message}`);
  }
  const isReady = ready === machines.length && groups.every((group) => group.ready === 'True');
  return isReady ? { ready: 'True', message } : unready('NotAllReady', message);
}

/** The MachineClasses that are referred to, those that are missing included. */
function classNodes(
  classes: readonly MachineClassReading[],
  machines: readonly MachineReading[],
  sets: readonly MachineSetReading[],
): TreeNode[] {
  const ofMachines = machines.map(({ spec }) => spec.classRef?.name);
  const ofSets = sets.map(({ machineSet }) => machineSet.template.machineClass);
  const names = [...new Set([...ofMachines, ...ofSets].filter((name) => name !== undefined))].sort();
  return names.map((name) => {
    const found = classes.find(({ machineClass }) => machineClass.ref.name === name);
    const users = ofMachines.filter((used) => used === name).length;
    const base = { kind: 'MachineClass', name, children: [] };
    const use = `${users} ${users === 1 ? 'machine refers' : 'machines refer'} to it`;
    if (found === undefined) {
      return { ...base, ...unready('MachineClassMissing', `it does not exist; ${use}`) };
    }
    return { ...base, ready: 'True', message: use };
  });
}

function deploymentNode({ machineDeployment, status }: MachineDeploymentReading, sets: readonly TreeNode[]): TreeNode {
  const { ref, generation, replicas, paused } = machineDeployment;
  const { observedGeneration = 0, availableReplicas: available = 0, updatedReplicas: updated = 0 } = status;
  const { conditions = [] } = status;
  const base = { kind: ref.kind, name: ref.name, children: sets };
  const message = `${available} of ${replicas} available, ${updated} of the newest template`;
  if (paused) return { ...base, ...unready('Paused', `the deployment is paused; ${message}`) };
  if (observedGeneration < generation) return { ...base, ready: 'Unknown', message: 'its newest spec is not seen yet' };
  const failure = conditionOf(conditions, 'ReplicaFailure');
  if (failure?.status === 'True') return { ...base, ready: 'False', ...toldBy(failure) };
  const progress = conditionOf(conditions, 'Progressing');
  if (progress !== undefined && progress.reason !== 'NewReplicaSetAvailable') {
    return { ...base, ready: 'False', ...toldBy(progress) };
  }
  return available < replicas
    ? { ...base, ...unready('MachinesNotReady', message) }
    : { ...base, ready: 'True', message };
}

function toldBy({
  reason,
  message,
  lastTransitionTime: since,
}: Condition): Pick<TreeNode, 'reason' | 'message' | 'since'> {
  return { reason, message, since };
}

function setNode({ machineSet, status }: MachineSetReading, machines: readonly MachineReading[]): TreeNode {
  const { ref, replicas: wanted, paused } = machineSet;
  const { readyReplicas: ready = 0, error } = status;
  const base = { kind: ref.kind, name: ref.name, children: machines.map(machineNode) };
  const message = `${ready} of ${wanted} ready`;
  if (error !== undefined) return { ...base, ready: 'False', reason: error.reason, message: error.message || message };
  if (paused) return { ...base, ...unready('Paused', `the set is paused; ${message}`) };
  if (ready === wanted && machines.length === wanted) return { ...base, ready: 'True', message };
  const reason = machines.length === wanted ? 'MachinesNotReady' : machines.length < wanted ? 'TooFew' : 'TooMany';
  return { ...base, ...unready(reason, message) };
}

function machineNode(read: MachineReading): TreeNode {
  const { ref, status } = read.machine;
  const { instance, nodeRef, error } = status;
  const nodeReady = conditionOf(status.conditions, 'NodeReady');
  const children: TreeNode[] = [
    ...(instance === undefined ? [] : [instanceNode(instance.id, instance.state)]),
    ...(nodeRef === undefined ? [] : [nodeOf(nodeRef.name, nodeReady)]),
  ];
  const { step, reason, since, waitsFor, lastError } = explain(read);
  const base = { kind: ref.kind, name: ref.name, children };
  const isRunning = status.phase === 'Running' && step === 'Running' && reason === undefined;
  if (isRunning && nodeReady?.status === 'True') return { ...base, ready: 'True', ...given({ since }) };
  if (isRunning) {
    return {
      ...base,
      ready: 'False',
      reason: nodeReady?.reason || 'NodeNotReady',
      ...given({ since }),
      message: lastError ?? '',
    };
  }
  const why = step === 'Failed' ? (error?.reason ?? 'Failed') : (reason ?? step);
  const message = step === 'Failed' ? (lastError ?? waitsFor) : waitsFor;
  return { ...base, ready: 'False', reason: why, ...given({ since }), message };
}

function instanceNode(id: string, state: string): TreeNode {
  const base = { kind: 'Instance', name: id, children: [] };
  if (state === 'running') return { ...base, ready: 'True' };
  return { ...base, ready: state === 'pending' ? 'Unknown' : 'False', message: `the cloud reported it as ${state}` };
}

function nodeOf(name: string, nodeReady: Condition | undefined): TreeNode {
  const base = { kind: 'Node', name, children: [] };
  if (nodeReady === undefined) return { ...base, ready: 'Unknown' };
  const { status, reason, message, lastTransitionTime: since } = nodeReady;
  if (status === 'True') return { ...base, ready: status, since };
  return { ...base, ready: status, since, ...given({ reason: reason || undefined }), message };
}

/** Not ready, for a reason of the table. */
function unready(reason: Reason, message: string): Pick<TreeNode, 'ready' | 'reason' | 'message'> {
  return { ready: 'False', reason, message };
}

function owns({ machineSet }: MachineSetReading, { meta }: MachineReading): boolean {
  return meta.controller?.uid === machineSet.ref.uid;
}

function isOf({ machineSet }: MachineSetReading, { meta }: MachineDeploymentReading): boolean {
  return machineSet.deployment?.uid === meta.ref.uid;
}

function byName<T>(nameOf: (one: T) => string): (a: T, b: T) => number {
  return (a, b) => (nameOf(a) < nameOf(b) ? -1 : 1);
}
