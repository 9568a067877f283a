import { isConflict, isNotFound } from '../k8s/kube-error.ts';
import type { Machine, MachineSpec, NodeRef } from '../k8s/model/machine.ts';
import type { Node } from '../k8s/model/node.ts';
import { NODES } from '../k8s/resources.ts';
import type { MachineDeps } from './deps.ts';
import { onObject } from './failures.ts';
import type { MachineActivities, MachineTarget } from '../workflows/machine/machine-activities.ts';
import type { ReadMachine } from './effective-spec.ts';
import { active } from './machine-reader.ts';
import { instanceOf, matchNode } from './match-node.ts';
import { claimOf, hasClaim, type NodeClaim } from './node-claim.ts';
import { isInSync, missingTaints, sightingOf } from './sight-node.ts';

const NODE_FIELD_MANAGER = 'millwright-node';

interface NodeActivities extends Pick<MachineActivities, 'joinNode'> {
  /** Deletes the Machine's Node, if it has one. */
  readonly deleteNode: (target: MachineTarget) => Promise<void>;
}

/**
 * Activities on the Node of a machine, which is known by the instance on record: what the spec says may have been edited
 * since. Of a Node only our own labels, taint keys and annotations are touched.
 */
export function createNodeActivities(deps: MachineDeps): NodeActivities {
  const { kube, reader } = deps;

  return {
    async joinNode(request) {
      const { machine, spec } = await requireRecorded(request);
      const { instance } = machine.status;
      if (instance === undefined) return { outcome: 'none' };
      const claim = claimBy(machine);
      const match = matchNode(await reader.nodes(), { ...request, claim, instanceId: instance.id });
      if (match.outcome !== 'matched') return match;
      const rival = await rivalOf(deps, match.node, claim);
      if (rival !== undefined) {
        const message = `Node ${match.node.metadata.name} is claimed by the Machine ${rival}`;
        return { outcome: 'ambiguous', message };
      }
      const marked = await markNode(deps, match.node, claim, spec);
      return { outcome: 'joined', node: sightingOf(marked, claim, spec) };
    },

    async deleteNode(target) {
      const { machine } = active(await reader.seen(target));
      const { nodeRef, instance } = machine.status;
      if (instance === undefined) return;
      const linked = nodeRef === undefined ? undefined : await readNode(nodeRef);
      if (linked !== undefined && mayBeOf(linked, instance.id)) return deleteOwn(linked, machine);
      // Not linked, or registered anew since: its Node is then known by the instance only.
      const match = matchNode(await reader.nodes(), {
        claim: claimBy(machine),
        instanceId: instance.id,
        addresses: [],
      });
      if (match.outcome === 'matched') await deleteOwn(match.node, machine);
    },
  };

  function claimBy({ ref }: Machine): NodeClaim {
    return claimOf(deps.apis.kindOf('machine', ref), ref);
  }

  /** The Machine as the pass saw it; read anew where that was before its instance was recorded. */
  async function requireRecorded(target: MachineTarget): Promise<ReadMachine> {
    const seen = active(await reader.seen(target));
    return seen.machine.status.instance === undefined ? active(await reader.live(target)) : seen;
  }

  /** Undefined where no Node has this name and uid. */
  async function readNode({ name, uid }: NodeRef): Promise<Node | undefined> {
    try {
      const node = await kube.get<Node>(NODES, undefined, name);
      return node.metadata.uid === uid ? node : undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Deletes a Node of the instance on record, unless nothing but that record says that it is the Machine's. */
  async function deleteOwn(node: Node, machine: Machine): Promise<void> {
    const { name, uid } = node.metadata;
    const claim = claimBy(machine);
    const isMarked = hasClaim(node, claim);
    const isLaunched = machine.status.launch !== undefined;
    if (!isMarked && !isLaunched) return;
    const rival =
      (await rivalOf(deps, node, claim)) ?? (isMarked && isLaunched ? undefined : await recorderOf(node, machine));
    if (rival !== undefined) {
      deps.log.warn({ object: machine.ref, node: name, rival }, 'the Node is not deleted: another Machine claims it');
      return;
    }
    try {
      await kube.delete(NODES, undefined, name, { uid });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  /** Another Machine that has the Node's instance on record. */
  async function recorderOf(node: Node, machine: Machine): Promise<string | undefined> {
    const id = instanceOf(node);
    if (id === '') return undefined;
    const other = (await reader.all()).find(
      (read) => read.machine.ref.uid !== machine.ref.uid && read.machine.status.instance?.id === id,
    );
    return other && claimBy(other.machine).value;
  }
}

/** A Node that names another instance is not this one's; one that names none yet may be. */
function mayBeOf(node: Node, instanceId: string): boolean {
  return ['', instanceId].includes(instanceOf(node));
}

/** The live Machine, other than this one, that the Node says it belongs to, and that says so too. */
async function rivalOf(deps: MachineDeps, node: Node, own: NodeClaim): Promise<string | undefined> {
  for (const { resource, nodeAnnotation } of deps.apis.kinds('machine')) {
    const claim = node.metadata.annotations?.[nodeAnnotation];
    if (claim === undefined || (nodeAnnotation === own.annotation && claim === own.value)) continue;
    const [namespace = '', name = ''] = claim.split('/');
    const stored = await deps.kube
      .get<{ metadata: { uid: string } }>(resource, namespace, name)
      .catch((error: unknown) => (isNotFound(error) ? undefined : Promise.reject(error)));
    if (stored === undefined) continue;
    const { apiVersion, kind } = resource;
    const other = await deps.reader.read({ apiVersion, kind, namespace, name, uid: stored.metadata.uid });
    const { nodeRef, instance } = other?.machine.status ?? {};
    if (nodeRef?.uid === node.metadata.uid) return claim;
    if (instance !== undefined && instance.id === instanceOf(node)) return claim;
  }
  return undefined;
}

async function markNode(deps: MachineDeps, node: Node, claim: NodeClaim, spec: MachineSpec): Promise<Node> {
  if (isInSync(node, claim, spec)) return node;
  const { uid, name, resourceVersion } = node.metadata;
  const present = node.spec?.taints ?? [];
  const missing = missingTaints(present, spec.nodeTaints);
  // The list of taints can only be written whole, so that write insists on the version it was read from.
  const kept = present.filter((t) => !missing.some((m) => m.key === t.key && m.effect === t.effect));
  const taints = missing.length === 0 ? {} : { spec: { taints: [...kept, ...missing] } };
  const version = missing.length === 0 ? {} : { resourceVersion };
  return onObject(() =>
    deps.kube.mergePatch<Node>(
      NODES,
      undefined,
      name,
      {
        metadata: {
          uid,
          ...version,
          labels: spec.nodeLabels,
          annotations: { ...spec.nodeAnnotations, [claim.annotation]: claim.value },
        },
        ...taints,
      },
      { fieldManager: NODE_FIELD_MANAGER },
    ),
  );
}
