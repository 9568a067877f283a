import { dialects } from '../k8s/dialects/registry.ts';
import { isConflict, isNotFound } from '../k8s/kube-error.ts';
import { MACHINE_ANNOTATION } from '../k8s/model/labels.ts';
import type { Machine, MachineSpec } from '../k8s/model/machine.ts';
import type { Node } from '../k8s/model/node.ts';
import { NODES } from '../k8s/resources.ts';
import { coalesce } from './coalesce.ts';
import type { ActivityDeps } from './deps.ts';
import { onObject } from './failures.ts';
import type { MachineActivities } from '../workflows/machine/machine-activities.ts';
import { readMachine, requireLookedActive } from './machines.ts';
import { matchNode } from './match-node.ts';
import { claimOf, isInSync, missingTaints, sightingOf } from './sight-node.ts';

const NODE_FIELD_MANAGER = 'millwright-node';
/**
 * How long a look for a Node waits for others to share one list with, in milliseconds: at least, at most, and for each Node
 * that the last list had. Thousands of Nodes are not listed twenty times a second.
 */
const GATHER_MS = { least: 50, most: 1000, perNode: 1 } as const;

type Port = Pick<MachineActivities, 'joinNode' | 'deleteNode'>;

/** Activities on the Node of a machine. Of a Node only our own labels, taint keys and annotations are touched. */
export function createNodeActivities(deps: ActivityDeps): Port {
  const { kube } = deps;
  let listed = 0;
  const listNodes = coalesce(
    async () => {
      const { items } = await kube.list<Node>(NODES);
      listed = items.length;
      return items;
    },
    () => Math.min(GATHER_MS.most, Math.max(GATHER_MS.least, listed * GATHER_MS.perNode)),
  );

  return {
    async joinNode(request) {
      const { machine, spec } = await requireLookedActive(deps, request);
      const match = matchNode(await listNodes('all'), machine.ref, request);
      if (match.outcome !== 'matched') return match;
      const rival = await rivalOf(deps, match.node, machine);
      if (rival !== undefined) {
        const message = `Node ${match.node.metadata.name} is claimed by the Machine ${rival}`;
        return { outcome: 'ambiguous', message };
      }
      const marked = await markNode(deps, match.node, machine, spec);
      return { outcome: 'joined', node: sightingOf(marked, machine, spec) };
    },

    async deleteNode(target) {
      const { machine } = await requireLookedActive(deps, target);
      const { nodeRef, instance } = machine.status;
      if (nodeRef !== undefined && (await deleteThis(nodeRef.name, nodeRef.uid))) return;
      // Not linked, or registered anew since: its Node is then known by the instance only.
      const providerID = instance === undefined ? '' : (machine.providerID ?? instance.id);
      if (providerID === '') return;
      const match = matchNode(await listNodes('all'), machine.ref, { providerID, addresses: [] });
      if (match.outcome === 'matched') await deleteThis(match.node.metadata.name, match.node.metadata.uid);
    },
  };

  /** False where no Node has this name and uid. */
  async function deleteThis(name: string, uid: string): Promise<boolean> {
    try {
      await kube.delete(NODES, undefined, name, { uid });
      return true;
    } catch (error) {
      if (isNotFound(error) || isConflict(error)) return false;
      throw error;
    }
  }
}

/** The live Machine, other than this one, that the Node says it belongs to. */
async function rivalOf(deps: ActivityDeps, node: Node, machine: Machine): Promise<string | undefined> {
  const claim = node.metadata.annotations?.[MACHINE_ANNOTATION];
  if (claim === undefined || claim === claimOf(machine)) return undefined;
  const [namespace = '', name = ''] = claim.split('/');
  for (const { machines } of dialects()) {
    const stored = await deps.kube
      .get<{ metadata: { uid: string } }>(machines, namespace, name)
      .catch((error: unknown) => (isNotFound(error) ? undefined : Promise.reject(error)));
    if (stored === undefined) continue;
    const { apiVersion, kind } = machines;
    const other = await readMachine(deps, { apiVersion, kind, namespace, name, uid: stored.metadata.uid });
    if (other?.machine.status.nodeRef?.uid === node.metadata.uid) return claim;
  }
  return undefined;
}

async function markNode(deps: ActivityDeps, node: Node, machine: Machine, spec: MachineSpec): Promise<Node> {
  if (isInSync(node, machine, spec)) return node;
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
          annotations: { ...spec.nodeAnnotations, [MACHINE_ANNOTATION]: claimOf(machine) },
        },
        ...taints,
      },
      { fieldManager: NODE_FIELD_MANAGER },
    ),
  );
}
