import { isControlPlaneNode } from '../k8s/model/control-plane.ts';
import type { Machine, MachineSpec, Taint } from '../k8s/model/machine.ts';
import { isHeld, OUT_OF_SERVICE_ANNOTATION, readinessOf, type Node } from '../k8s/model/node.ts';
import { readNode } from './own-node.ts';
import type { ActivityDeps } from './deps.ts';
import { claimOf, hasClaim, type NodeClaim } from './node-claim.ts';
import type { NodeSighting } from '../workflows/machine/node-activities.ts';
import { given } from '../providers/given.ts';

/** The Node in the Machine's status; undefined where it is gone or another one has its name. */
export async function sightNode(
  deps: ActivityDeps,
  machine: Machine,
  spec: MachineSpec,
): Promise<NodeSighting | undefined> {
  const { nodeRef } = machine.status;
  if (nodeRef === undefined) return undefined;
  const node = await readNode(deps.kube, nodeRef);
  if (node === undefined) return undefined;
  const sighting = sightingOf(node, claimOf(deps.apis.kindOf('machine', machine.ref), machine.ref), spec);
  // Of no other Machine anybody asks for it.
  const bootID = machine.rebootWish && node.status?.nodeInfo?.bootID;
  return { ...sighting, ...given({ bootID }) };
}

/** What a look at the Node tells the workflow. */
export function sightingOf(node: Node, claim: NodeClaim, spec: MachineSpec): NodeSighting {
  const ready = readinessOf(node);
  return {
    name: node.metadata.name,
    uid: node.metadata.uid,
    ready: ready?.status ?? 'Unknown',
    readySince: ready?.lastTransitionTime ?? node.metadata.creationTimestamp,
    readyMessage: ready?.message ?? 'it has not reported yet',
    inSync: isInSync(node, claim, spec),
    ...(isControlPlaneNode(node) ? { isControlPlane: true as const } : {}),
    ...(node.spec?.unschedulable === true ? { isCordoned: true as const } : {}),
    ...(isHeld(node) ? { isHeld: true as const } : {}),
    ...(node.metadata.annotations?.[OUT_OF_SERVICE_ANNOTATION] === undefined ? {} : { isOutOfService: true as const }),
  };
}

/** True where the Node carries everything the Machine wants it to. */
export function isInSync(node: Node, claim: NodeClaim, spec: MachineSpec): boolean {
  const { metadata, spec: nodeSpec } = node;
  const labels = metadata.labels ?? {};
  const annotations = metadata.annotations ?? {};
  return (
    hasClaim(node, claim) &&
    Object.entries(spec.nodeLabels).every(([key, value]) => labels[key] === value) &&
    Object.entries(spec.nodeAnnotations).every(([key, value]) => annotations[key] === value) &&
    missingTaints(nodeSpec?.taints ?? [], spec.nodeTaints).length === 0
  );
}

export function missingTaints(present: readonly Taint[], wanted: readonly Taint[]): Taint[] {
  return wanted.filter(
    (want) =>
      !present.some((t) => t.key === want.key && t.effect === want.effect && (t.value ?? '') === (want.value ?? '')),
  );
}
