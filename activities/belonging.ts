import { tokenOf } from '../k8s/launch-token.ts';
import type { Machine } from '../k8s/model/machine.ts';
import { describeRef, type ObjectRef } from '../k8s/model/object-ref.ts';
import { instanceIdOf } from '../k8s/model/provider-id.ts';
import type { Instance } from '../providers/provider.ts';
import { isGone, isLaunchedHere } from '../workflows/machine/instance-facts.ts';
import { given } from '../providers/given.ts';
import { machineKeyOf } from '../providers/machine-key.ts';

/** Whose launches are told by their tokens. */
interface Launcher {
  readonly ref: Pick<ObjectRef, 'uid'>;
  readonly status: { readonly launch?: { readonly attempt: number } };
}

/** Whose an instance is, and how that is known. */
export type Belonging =
  /**
   * It was launched for this Machine, or adopted by it before. `record`: a launch and this instance are on record, the cloud keeps no
   * tokens, somebody took its tags off or they are shown late, and what it carries still fits the Machine.
   */
  | { readonly outcome: 'own'; readonly by: 'uid' | 'token' | 'record' }
  /** It may be adopted: its Name is the Machine's, or it was launched for a Machine of this name that is gone. */
  | { readonly outcome: 'adoptable'; readonly by: 'name' | 'machineKey' }
  /** It is neither adopted nor touched. `owner`: the Machine that it certainly is. */
  | { readonly outcome: 'another'; readonly message: string; readonly owner?: ObjectRef };

/** What it takes to tell whose an instance is. */
export interface BelongingWorld {
  /** All Machines of every namespace, paused ones too. */
  readonly machines: readonly Machine[];
  /** Ids of the clusters whose instances the Machines of a namespace may adopt. */
  clustersOf(namespace: string): ReadonlySet<string>;
  /** The instances of the clusters of the one that is judged. Those of its Name count. */
  readonly namesakes: readonly Instance[];
  /** uid of kube-system. */
  readonly clusterUid: string;
  /** The cloud keeps the token of each launch for as long as it shows the instance. */
  readonly keepsTokens: boolean;
}

/** So many first attempts, and so many up to the one on record, have tokens that are known again: a status may tell any number. */
const MOST_ATTEMPTS = 100;

/**
 * Tells whose an instance is. What a Machine says of itself (its cluster label, its providerID, its status) proves
 * nothing: whoever may write a Machine may write that.
 */
export function belonging(machine: Machine, instance: Instance, world: BelongingWorld): Belonging {
  const { id, machineUid, clusterUid } = instance;
  if (machineUid === machine.ref.uid) return { outcome: 'own', by: 'uid' };
  const others = world.machines.filter(({ ref }) => ref.uid !== machine.ref.uid);
  const tagged = others.find(({ ref }) => ref.uid === machineUid);
  if (tagged !== undefined) return anothers(`instance ${id} belongs to the ${describeRef(tagged.ref)}`, tagged.ref);
  if (hasTokenOf(machine, instance)) return { outcome: 'own', by: 'token' };

  if (clusterUid !== undefined && clusterUid !== world.clusterUid) {
    return anothers(`instance ${id} belongs to another Kubernetes cluster (tag millwright/cluster-uid ${clusterUid})`);
  }
  const recorder = others.find(({ status }) => status.instance?.id === id);
  if (recorder !== undefined) {
    return anothers(`instance ${id} is on record as that of the ${describeRef(recorder.ref)}`, recorder.ref);
  }
  const allowed = world.clustersOf(machine.ref.namespace);
  if (!world.keepsTokens && isOnRecord(machine, instance, allowed)) return { outcome: 'own', by: 'record' };
  if (!isOfOneOf(allowed, instance)) return anothers(notAllowed(machine, instance, allowed));
  const rival = others.find((other) => namesInstance(other, instance));
  if (rival !== undefined) {
    return anothers(`instance ${id} carries no uid of a Machine there is, and ${describeRef(rival.ref)} names it too`);
  }
  if (instance.machineKey === machineKeyOf(machine.ref)) return { outcome: 'adoptable', by: 'machineKey' };
  if (machineUid !== undefined || instance.machineKey !== undefined) {
    const owner = instance.machineKey ?? machineUid;
    return anothers(`instance ${id} was launched for another Machine (${owner}), which is not there (any more)`);
  }
  if (instance.name !== machine.ref.name) {
    return anothers(`instance ${id} has the Name "${instance.name ?? ''}", which is not the Machine's`);
  }
  return ofThisName(machine, instance, world, others);
}

/** True where the tags alone tell that it is the Machine's. */
export function isPlainlyOwn(machine: Launcher, instance: Instance): boolean {
  if (instance.machineUid !== undefined) return instance.machineUid === machine.ref.uid;
  return hasTokenOf(machine, instance);
}

/**
 * True where a launch and this instance are on record, and what it carries fits: no uid, no token, and the Machine's Name or, without a
 * Name, an allowed cluster. A record alone proves nothing, since others may write it. Where the cloud keeps tokens, what has none of the
 * Machine's was launched by another, whatever the record says.
 */
function isOnRecord(machine: Machine, instance: Instance, allowed: ReadonlySet<string>): boolean {
  const { id, machineUid, machineKey = machineKeyOf(machine.ref), token, name } = instance;
  if (!isLaunchedHere(machine, id) || machineUid !== undefined || token !== undefined) return false;
  if (machineKey !== machineKeyOf(machine.ref)) return false;
  return name === undefined ? isOfOneOf(allowed, instance) : name === machine.ref.name;
}

/** It bears the Machine's name and no uid: its own, where nothing else does and no other Machine may mean it. */
function ofThisName(
  machine: Machine,
  instance: Instance,
  world: BelongingWorld,
  others: readonly Machine[],
): Belonging {
  const { id } = instance;
  const isOfAnother = ({ machineUid }: Instance) => others.some(({ ref }) => ref.uid === machineUid);
  const second = world.namesakes.find(
    (one) => one.id !== id && one.name === instance.name && !isGone(one.state) && !isOfAnother(one),
  );
  if (second !== undefined) {
    return anothers(`instances ${[id, second.id].sort().join(' and ')} both have the Machine's name and no owner`);
  }
  const namesake = others.find(
    ({ ref, status }) =>
      ref.name === machine.ref.name &&
      status.instance === undefined &&
      isOfOneOf(world.clustersOf(ref.namespace), instance),
  );
  if (namesake !== undefined) {
    return anothers(
      `instance ${id} has the name of the ${describeRef(namesake.ref)} too, which has no instance either`,
    );
  }
  return { outcome: 'adoptable', by: 'name' };
}

function anothers(message: string, owner?: ObjectRef): Belonging {
  return { outcome: 'another', message, ...given({ owner }) };
}

function notAllowed({ ref }: Machine, { id, clusters = [] }: Instance, allowed: ReadonlySet<string>): string {
  const has = clusters.length === 0 ? 'no tag kubernetes.io/cluster/<id>: owned' : `the cluster ${clusters.join(', ')}`;
  const may = allowed.size === 0 ? 'none' : [...allowed].sort().join(', ');
  return `instance ${id} has ${has}, and the Machines of namespace ${ref.namespace} may adopt from: ${may}. A Cluster object of the cluster's name in the namespace, or the worker's option --cluster-names, allows it`;
}

function isOfOneOf(allowed: ReadonlySet<string>, { clusters = [] }: Instance): boolean {
  return clusters.some((cluster) => allowed.has(cluster));
}

/** Launched by this Machine: the token tells. Where the cloud keeps it, nobody can give an instance one afterwards. */
export function hasTokenOf({ ref, status }: Launcher, { token }: Instance): boolean {
  if (token === undefined) return false;
  const isOneOf = (first: number, last: number) => {
    for (let attempt = first; attempt <= last; attempt += 1) if (tokenOf(ref.uid, attempt) === token) return true;
    return false;
  };
  const { attempt: newest = 0 } = status.launch ?? {};
  return isOneOf(1, MOST_ATTEMPTS) || isOneOf(Math.max(MOST_ATTEMPTS, newest - MOST_ATTEMPTS) + 1, newest);
}

/** The Machine has the instance on record, or in its providerID. */
export function namesInstance({ status, providerID }: Machine, { id }: Pick<Instance, 'id'>): boolean {
  return status.instance?.id === id || instanceIdOf(providerID) === id;
}
