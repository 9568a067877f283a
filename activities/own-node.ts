import type { KubeClient } from '../k8s/client.ts';
import { unlessGone } from '../k8s/kube-error.ts';
import type { Machine, NodeRef } from '../k8s/model/machine.ts';
import type { Node } from '../k8s/model/node.ts';
import { NODES } from '../k8s/resources.ts';
import type { MachineDeps } from './deps.ts';
import { instanceOf, matchNode } from './match-node.ts';
import { claimOf, hasClaim, type NodeClaim } from './node-claim.ts';

/** The Node that a Machine may empty and delete; undefined where it has none, or where another Machine may have it. */
export type FindOwnNode = (machine: Machine) => Promise<Node | undefined>;

/**
 * The Node of the instance on record: what the spec says may have been edited since. It is none where nothing but that record
 * says that the Node is the Machine's.
 */
export function createFindOwnNode(deps: MachineDeps): FindOwnNode {
  const { kube, reader } = deps;

  return async (machine) => {
    const node = await nodeOf(machine);
    if (node === undefined) return undefined;
    const claim = claimBy(deps, machine);
    const isMarked = hasClaim(node, claim);
    const isLaunched = machine.status.launch !== undefined;
    if (!isMarked && !isLaunched) return undefined;
    const isCertain = isMarked && isLaunched;
    const rival = (await rivalOf(deps, node, claim)) ?? (isCertain ? undefined : await recorderOf(node, machine));
    if (rival === undefined) return node;
    const { name } = node.metadata;
    deps.log.warn({ object: machine.ref, node: name, rival }, 'the Node is left alone: another Machine claims it');
    return undefined;
  };

  async function nodeOf(machine: Machine): Promise<Node | undefined> {
    const { nodeRef, instance } = machine.status;
    if (instance === undefined) return undefined;
    const linked = nodeRef === undefined ? undefined : await readNode(kube, nodeRef);
    if (linked !== undefined && mayBeOf(linked, instance.id)) return linked;
    // Not linked, or registered anew since: its Node is then known by the instance only.
    const criteria = { claim: claimBy(deps, machine), instanceId: instance.id, addresses: [] };
    const match = matchNode(await reader.nodes(), criteria);
    return match.outcome === 'matched' ? match.node : undefined;
  }

  /** Another Machine that has the Node's instance on record. */
  async function recorderOf(node: Node, machine: Machine): Promise<string | undefined> {
    const id = instanceOf(node);
    if (id === '') return undefined;
    const other = (await reader.all()).find(
      (read) => read.machine.ref.uid !== machine.ref.uid && read.machine.status.instance?.id === id,
    );
    return other && claimBy(deps, other.machine).value;
  }
}

/** How a Node says that it is this Machine's. */
export function claimBy({ apis }: Pick<MachineDeps, 'apis'>, { ref }: Machine): NodeClaim {
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

/** A Node that names another instance is not this one's; one that names none yet may be. */
function mayBeOf(node: Node, instanceId: string): boolean {
  return ['', instanceId].includes(instanceOf(node));
}
