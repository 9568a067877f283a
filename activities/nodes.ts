import { isConflict, isNotFound, unlessGone } from '../k8s/kube-error.ts';
import { INSTANCE_UNKNOWN_ANNOTATION, OUT_OF_SERVICE_ANNOTATION, type Node } from '../k8s/model/node.ts';
import { NODES } from '../k8s/resources.ts';
import type { MachineDeps } from './deps.ts';
import { onObject, refuseForeign } from './failures.ts';
import type { MachineActivities, MachineTarget } from '../workflows/machine/machine-activities.ts';
import type { JoinNode, NodeTarget } from '../workflows/machine/node-activities.ts';
import type { ReadMachine } from './effective-spec.ts';
import { isOurs, taintsWithout } from './drain/taint-node.ts';
import { OUT_OF_SERVICE_TAINT } from './drain/vacate-node.ts';
import { ACT_MS, active } from './machine-reader.ts';
import { hostNamesOf, isNodeOf, matchNode, namesAnother, type NodeMatch } from './match-node.ts';
import type { NodeClaim } from './node-claim.ts';
import { claimBy, rivalOf, type FindOwnNode } from './own-node.ts';
import { planMarks, type Wanted } from './node-marks.ts';
import { sightingOf, wantedOf } from './sight-node.ts';
import { given } from '../providers/given.ts';

const NODE_FIELD_MANAGER = 'millwright-node';

interface NodeActivities extends Pick<MachineActivities, 'joinNode' | 'deleteMarkedNode'> {
  /** Deletes the Machine's Node, if it has one. */
  readonly deleteNode: (target: NodeTarget) => Promise<void>;
  /** Cordons it, and says that nobody knows whether its instance runs. */
  readonly keepNode: (target: NodeTarget, mark: string) => Promise<void>;
}

/**
 * Activities on the Node of a machine, which is known by the instance on record: what the spec says may have been edited
 * since. Of a Node only our own labels, taint keys and annotations are touched.
 */
export function createNodeActivities(deps: MachineDeps, findOwnNode: FindOwnNode): NodeActivities {
  const { kube, reader } = deps;

  return {
    async joinNode(request) {
      const { machine, spec } = await requireRecorded(request);
      const { instance } = machine.status;
      if (instance === undefined || instance.id !== request.ownInstance) return { outcome: 'none' };
      const claim = claimBy(deps, machine);
      const match = await findJoined(request, claim, instance.id);
      if (match.outcome !== 'matched') return match;
      const rival = await rivalOf(deps, match.node, claim);
      if (rival !== undefined) {
        const message = `Node ${match.node.metadata.name} is claimed by the Machine ${rival}`;
        return { outcome: 'ambiguous', message };
      }
      const wanted = wantedOf(deps, machine, spec);
      const marked = await markNode(deps, match.node, wanted);
      return { outcome: 'joined', node: sightingOf(marked, wanted) };
    },

    async deleteNode(target) {
      const { machine } = active(await reader.seen(target, ACT_MS));
      const node = await findOwnNode(machine, target);
      if (node !== undefined) await remove(node);
    },

    async keepNode(target, mark) {
      const { machine } = active(await reader.seen(target, ACT_MS));
      const node = await findOwnNode(machine, target);
      if (node === undefined) return;
      const { name, uid, resourceVersion } = node.metadata;
      // It was told of as dead: nobody knows that any more. The list of taints can only be written whole.
      const isTold = isOurs(node, OUT_OF_SERVICE_TAINT);
      const taints = isTold ? { taints: taintsWithout(node, OUT_OF_SERVICE_TAINT) } : {};
      const annotations = {
        [INSTANCE_UNKNOWN_ANNOTATION]: mark,
        ...given({ [OUT_OF_SERVICE_ANNOTATION]: isTold ? null : undefined }),
      };
      const body = {
        metadata: { uid, annotations, ...given({ resourceVersion: isTold ? resourceVersion : undefined }) },
        spec: { unschedulable: true, ...taints },
      };
      // Not applied: no later drain is to take that off.
      await onObject(() => kube.mergePatch(NODES, undefined, name, body, { fieldManager: NODE_FIELD_MANAGER }));
    },

    async deleteMarkedNode(target) {
      refuseForeign(deps, target);
      for (const node of await reader.nodes()) if (isMarkedAs(node, target.instance)) await remove(node);
    },
  };

  /** A list of all Nodes is a last resort: of thousands it takes seconds, and there are as many machines that join. */
  async function findJoined(
    { addresses, ...more }: JoinNode,
    claim: NodeClaim,
    instanceId: string,
  ): Promise<NodeMatch> {
    for (const name of hostNamesOf(addresses)) {
      const node = await unlessGone(kube.get<Node>(NODES, undefined, name));
      if (node !== undefined && isNodeOf(node, instanceId)) return { outcome: 'matched', node };
    }
    const criteria = { ...more, addresses: addresses.map(({ address }) => address), claim, instanceId };
    return matchNode(await reader.nodes(), criteria);
  }

  async function remove({ metadata: { name, uid } }: Node): Promise<void> {
    try {
      await kube.delete(NODES, undefined, name, { uid });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  /** The Machine as the pass saw it; read anew where that was before its instance was recorded. */
  async function requireRecorded(target: MachineTarget): Promise<ReadMachine> {
    const seen = active(await reader.seen(target));
    return seen.machine.status.instance === undefined ? active(await reader.live(target)) : seen;
  }
}

/** It was kept for this instance. One that names another is not its Node, whoever put the mark there. */
function isMarkedAs(node: Node, instance: string): boolean {
  const isMarked = node.metadata.annotations?.[INSTANCE_UNKNOWN_ANNOTATION] === instance;
  return isMarked && !namesAnother(node, instance);
}

async function markNode(deps: MachineDeps, node: Node, wanted: Wanted): Promise<Node> {
  const change = planMarks(node, wanted);
  if (change === undefined) return node;
  const { uid, name, resourceVersion } = node.metadata;
  const { labels, annotations, taints, isByVersion } = change;
  const body = {
    metadata: { uid, ...given({ resourceVersion: isByVersion ? resourceVersion : undefined }), labels, annotations },
    spec: given({ taints }),
  };
  return onObject(() => deps.kube.mergePatch<Node>(NODES, undefined, name, body, { fieldManager: NODE_FIELD_MANAGER }));
}
