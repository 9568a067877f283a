import type { KubeClient } from '../k8s/client.ts';
import { unlessGone } from '../k8s/kube-error.ts';
import type { Machine, NodeRef } from '../k8s/model/machine.ts';
import { isReady, readinessOf, type Node } from '../k8s/model/node.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import { NODES } from '../k8s/resources.ts';
import { coalesce } from './coalesce.ts';
import type { MachineDeps } from './deps.ts';
import { objectChanged } from './failures.ts';
import type { ReadMachine } from './effective-spec.ts';
import { instanceOf, isNodeOf, matchNode, type NodeMatch } from './match-node.ts';
import type { NodeTarget } from '../workflows/machine/node-activities.ts';
import { claimOf, hasClaim, type NodeClaim } from './node-claim.ts';

/** How the instance on record is known to be the Machine's. */
export type Proof = Pick<NodeTarget, 'ownInstance'>;

/** The Node that a Machine may empty and delete; undefined where it has none, or where another Machine may have it. */
export type FindOwnNode = (machine: Machine, proof: Proof) => Promise<Node | undefined>;

/** The Nodes of Machines, each found by the instance on record. */
export interface OwnNodes {
  readonly find: FindOwnNode;
  /**
   * As `find`, and says why there is none.
   *
   * @param mostMs how old a look at all Machines may be that shows none of them to have it, in milliseconds. @default none
   */
  look(machine: Machine, proof: Proof, mostMs?: number): Promise<OwnNode>;
  /** As `look`, for what takes pods from it: none while it is not heard of and another Node of the instance is Ready. */
  lookToEmpty(machine: Machine, proof: Proof, mostMs?: number): Promise<OwnNode>;
}

export interface OwnNode {
  readonly node?: Node;
  /** There is one, and it is left to the Machine of this namespace and name. */
  readonly leftTo?: string;
  /** Several say that they are of its instance, and nobody can tell which it is: which, in words. */
  readonly ambiguous?: string;
}

/**
 * The Node of the instance on record: what the spec says may have been edited since. The record may have been, too, so the Node is the
 * Machine's only where it says so itself, by our mark, or where it names the instance and that was proved to be the Machine's.
 */
export function createOwnNodes(deps: MachineDeps): OwnNodes {
  const { kube, reader } = deps;
  const recorders = coalesce(deps.clock, async () => byInstance(await reader.all()), 0);

  return { find: async (machine, proof) => (await look(machine, proof)).node, look, lookToEmpty };

  /**
   * The instance may have registered anew under another name: its pods run on that Node, and would end with it undrained. Or that Node is a
   * stranger's. Somebody has to tell.
   */
  async function lookToEmpty(machine: Machine, proof: Proof, mostMs?: number): Promise<OwnNode> {
    const own = await look(machine, proof, mostMs);
    const { id = '' } = machine.status.instance ?? {};
    if (own.node === undefined || proof.ownInstance !== id || readinessOf(own.node)?.status !== 'Unknown') return own;
    const { name, uid } = own.node.metadata;
    const nodes = await reader.nodes();
    const ready = nodes.find((node) => node.metadata.uid !== uid && isNodeOf(node, id) && isReady(node));
    if (ready === undefined) return own;
    const other = `Node ${ready.metadata.name} of the same instance ${id} is Ready`;
    return { ambiguous: `Node ${name} is not heard of, and ${other}` };
  }

  async function look(machine: Machine, { ownInstance }: Proof, mostMs?: number): Promise<OwnNode> {
    const { instance, launch } = machine.status;
    if (instance === undefined) {
      // Somebody took its record since the workflow looked, which puts that back: it has a Node for all that is known.
      if (ownInstance !== undefined)
        throw objectChanged(`its status does not tell of its instance ${ownInstance} any more`);
      return {};
    }
    const claim = claimBy(deps, machine);
    const isProved = ownInstance === instance.id;
    const match = await nodeOf(machine, instance.id, claim);
    if (match.outcome === 'ambiguous') return isProved ? { ambiguous: match.message } : {};
    if (match.outcome === 'none') return {};
    const { node } = match;
    const isMarked = hasClaim(node, claim);
    if (!isMarked && !isProved) return {};
    const isCertain = isMarked && isProved && launch !== undefined;
    const rival =
      (await rivalOf(deps, node, claim)) ?? (isCertain ? undefined : await recorderOf(node, machine, mostMs));
    if (rival === undefined) return { node };
    const { name } = node.metadata;
    deps.log.warn({ object: machine.ref, node: name, rival }, 'the Node is left alone: another Machine claims it');
    return { leftTo: rival };
  }

  /** It names this instance, or none yet and the Machine. */
  async function nodeOf({ status }: Machine, instanceId: string, claim: NodeClaim): Promise<NodeMatch> {
    const { nodeRef } = status;
    const linked = nodeRef === undefined ? undefined : await readNode(kube, nodeRef);
    if (linked !== undefined && isOf(linked, instanceId, claim)) return { outcome: 'matched', node: linked };
    // Not linked, or registered anew since: its Node is then known by the instance only.
    return matchNode(await reader.nodes(), { claim, instanceId, addresses: [] });
  }

  /** Another Machine that has the Node's instance on record. */
  async function recorderOf(node: Node, machine: Machine, mostMs?: number): Promise<string | undefined> {
    const id = instanceOf(node);
    if (id === '') return undefined;
    const others = ((await recorders('all', mostMs)).get(id) ?? []).filter(({ uid }) => uid !== machine.ref.uid);
    for (const ref of others) {
      const other = await reader.read(ref);
      if (other?.machine.status.instance?.id === id) return claimBy(deps, other.machine).value;
    }
    return undefined;
  }
}

/** The Machines that have an instance on record, by its id. */
function byInstance(all: readonly ReadMachine[]): ReadonlyMap<string, readonly ObjectRef[]> {
  const refs = new Map<string, ObjectRef[]>();
  for (const { machine } of all) {
    const { instance } = machine.status;
    if (instance === undefined) continue;
    refs.set(instance.id, [...(refs.get(instance.id) ?? []), machine.ref]);
  }
  return refs;
}

/** How a Node says that it is this Machine's. */
export function claimBy({ apis }: Pick<MachineDeps, 'apis'>, { ref }: Pick<Machine, 'ref'>): NodeClaim {
  return claimOf(apis.kindOf('machine', ref), ref);
}

/** Undefined where no Node has this name and uid. */
export async function readNode(kube: KubeClient, { name, uid }: NodeRef): Promise<Node | undefined> {
  const node = await unlessGone(kube.get<Node>(NODES, undefined, name));
  return node?.metadata.uid === uid ? node : undefined;
}

/** The live Machine, other than this one, that the Node says it belongs to, and that says so too. */
export async function rivalOf(deps: MachineDeps, node: Node, own: NodeClaim): Promise<string | undefined> {
  for (const { resource, nodeAnnotation } of deps.apis.kinds('machine')) {
    const claim = node.metadata.annotations?.[nodeAnnotation];
    if (claim === undefined || (nodeAnnotation === own.annotation && claim === own.value)) continue;
    const [namespace = '', name = ''] = claim.split('/');
    const stored = await unlessGone(deps.kube.get<{ metadata: { uid: string } }>(resource, namespace, name));
    if (stored === undefined) continue;
    const { apiVersion, kind } = resource;
    const other = await deps.reader.read({ apiVersion, kind, namespace, name, uid: stored.metadata.uid });
    const { nodeRef, instance } = other?.machine.status ?? {};
    if (nodeRef?.uid === node.metadata.uid) return claim;
    if (instance !== undefined && instance.id === instanceOf(node)) return claim;
  }
  return undefined;
}

/** A Node that names another instance is not this one's; one that names none is where it carries our mark: the link may have been edited. */
function isOf(node: Node, instanceId: string, claim: NodeClaim): boolean {
  const named = instanceOf(node);
  return named === '' ? hasClaim(node, claim) : named === instanceId;
}
