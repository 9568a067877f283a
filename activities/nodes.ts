import { dialects } from '../k8s/dialects/dialect.ts';
import { isNotFound } from '../k8s/kube-error.ts';
import { MACHINE_ANNOTATION } from '../k8s/model/labels.ts';
import type { Machine, MachineSpec, Taint } from '../k8s/model/machine.ts';
import { NODES } from '../k8s/resources.ts';
import { coalesce } from './coalesce.ts';
import type { ActivityDeps } from './deps.ts';
import { onObject } from './failures.ts';
import type { JoinNode, MachineActivities, NodeSighting } from './machine-activities.ts';
import { readMachine, requireMachine } from './machines.ts';
import { matchNode } from './match-node.ts';

/** A Node, as far as it is read here. */
export interface Node {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly creationTimestamp: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: { readonly providerID?: string; readonly taints?: readonly Taint[] };
  readonly status?: {
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: 'True' | 'False' | 'Unknown';
      readonly message?: string;
      readonly lastTransitionTime?: string;
    }[];
  };
}

const NODE_FIELD_MANAGER = 'millwright-node';
/** How long a look for a Node waits for others to share one list with, in milliseconds. */
const GATHER_MS = 50;

type Port = Pick<MachineActivities, 'joinNode' | 'deleteNode'>;

/** Activities on the Node of a machine. Of a Node only our own labels, taint keys and annotations are touched. */
export function createNodeActivities(deps: ActivityDeps): Port {
  const { kube } = deps;
  const listNodes = coalesce(async () => (await kube.list<Node>(NODES)).items, GATHER_MS);

  return {
    async joinNode(request) {
      const { machine, spec } = await requireMachine(deps, request);
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
      const { machine } = await requireMachine(deps, target);
      const { nodeRef, instance } = machine.status;
      const request: JoinNode = {
        ...target,
        providerID: machine.providerID ?? '',
        addresses: [],
      };
      const match =
        nodeRef === undefined && instance !== undefined
          ? matchNode(await listNodes('all'), machine.ref, request)
          : undefined;
      const found = match?.outcome === 'matched' ? match.node.metadata : undefined;
      const node = nodeRef ?? found;
      if (node === undefined) return;
      try {
        await kube.delete(NODES, undefined, node.name, { uid: node.uid });
      } catch (error) {
        // Gone already, or another Node has the name by now: that one is not ours.
        if (!isNotFound(error)) await onObject(() => Promise.reject(error));
      }
    },
  };
}

/** The Node in the Machine's status; undefined where it is gone or another one has its name. */
export async function sightNode(
  deps: ActivityDeps,
  machine: Machine,
  spec: MachineSpec,
): Promise<NodeSighting | undefined> {
  const { nodeRef } = machine.status;
  if (nodeRef === undefined) return undefined;
  try {
    const node = await deps.kube.get<Node>(NODES, undefined, nodeRef.name);
    return node.metadata.uid === nodeRef.uid ? sightingOf(node, machine, spec) : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function sightingOf(node: Node, machine: Machine, spec: MachineSpec): NodeSighting {
  const ready = node.status?.conditions?.find((c) => c.type === 'Ready');
  return {
    name: node.metadata.name,
    uid: node.metadata.uid,
    ready: ready?.status ?? 'Unknown',
    readySince: ready?.lastTransitionTime ?? node.metadata.creationTimestamp,
    readyMessage: ready?.message ?? 'it has not reported yet',
    inSync: isInSync(node, machine, spec),
  };
}

function isInSync({ metadata, spec: nodeSpec }: Node, machine: Machine, spec: MachineSpec): boolean {
  const labels = metadata.labels ?? {};
  const annotations = metadata.annotations ?? {};
  return (
    annotations[MACHINE_ANNOTATION] === claimOf(machine) &&
    Object.entries(spec.nodeLabels).every(([key, value]) => labels[key] === value) &&
    Object.entries(spec.nodeAnnotations).every(([key, value]) => annotations[key] === value) &&
    missingTaints(nodeSpec?.taints ?? [], spec.nodeTaints).length === 0
  );
}

function claimOf({ ref }: Machine): string {
  return `${ref.namespace}/${ref.name}`;
}

function missingTaints(present: readonly Taint[], wanted: readonly Taint[]): Taint[] {
  return wanted.filter(
    (want) =>
      !present.some((t) => t.key === want.key && t.effect === want.effect && (t.value ?? '') === (want.value ?? '')),
  );
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
