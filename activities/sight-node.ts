import { isControlPlaneNode } from '../k8s/model/control-plane.ts';
import type { Machine, MachineSpec } from '../k8s/model/machine.ts';
import { isHeld, isHeldForDeletion, OUT_OF_SERVICE_ANNOTATION, readinessOf, type Node } from '../k8s/model/node.ts';
import { whyUnusable } from '../k8s/model/usable-node.ts';
import { unlessGone } from '../k8s/kube-error.ts';
import { NODES } from '../k8s/resources.ts';
import { namesAnother } from './match-node.ts';
import { claimBy } from './own-node.ts';
import type { ActivityDeps } from './deps.ts';
import { planMarks, type Wanted } from './node-marks.ts';
import type { NodeSighting } from '../workflows/machine/node-activities.ts';
import { given } from '../providers/given.ts';

/** The Node in the Machine's status; nothing where it is gone or another one has its name. */
export async function sightNode(
  deps: ActivityDeps,
  machine: Machine,
  spec: MachineSpec,
): Promise<{ readonly node?: NodeSighting; readonly nodeOfAnother?: string }> {
  const { nodeRef, instance } = machine.status;
  const node = nodeRef && (await unlessGone(deps.kube.get<Node>(NODES, undefined, nodeRef.name)));
  if (node === undefined) return {};
  // Nothing of the machine's runs there, whoever linked it.
  if (instance !== undefined && namesAnother(node, instance.id)) return given({ nodeOfAnother: node.spec?.providerID });
  if (node.metadata.uid !== nodeRef?.uid) return {};
  const sighting = sightingOf(node, wantedOf(deps, machine, spec));
  // Of no other Machine anybody asks for it.
  const bootID = machine.rebootWish && node.status?.nodeInfo?.bootID;
  return { node: { ...sighting, ...given({ bootID }) } };
}

/** What the Machine asks for on its Node. */
export function wantedOf({ apis }: Pick<ActivityDeps, 'apis'>, machine: Machine, spec: MachineSpec): Wanted {
  const { ref, status, providerID } = machine;
  const claim = claimBy({ apis }, { ref });
  return { claim, spec, isLaunched: status.launch !== undefined, ...given({ providerID }) };
}

/** What a look at the Node tells the workflow. */
export function sightingOf(node: Node, wanted: Wanted): NodeSighting {
  const ready = readinessOf(node);
  return {
    name: node.metadata.name,
    uid: node.metadata.uid,
    ready: ready?.status ?? 'Unknown',
    readySince: ready?.lastTransitionTime ?? node.metadata.creationTimestamp,
    readyMessage: ready?.message ?? 'it has not reported yet',
    inSync: planMarks(node, wanted) === undefined,
    ...given({
      unusable: whyUnusable(node, wanted.spec),
      otherProviderID: otherProviderIDOf(node, wanted),
      isControlPlane: isControlPlaneNode(node) || undefined,
      isCordoned: node.spec?.unschedulable === true || undefined,
      isHeld: isHeld(node) || undefined,
      isHeldForDeletion: isHeldForDeletion(node) || undefined,
      isOutOfService: node.metadata.annotations?.[OUT_OF_SERVICE_ANNOTATION] !== undefined || undefined,
    }),
  };
}

/** Compared whole, as cluster-autoscaler does. */
function otherProviderIDOf({ spec }: Node, { providerID }: Wanted): string | undefined {
  const { providerID: told = '' } = spec ?? {};
  return providerID === undefined || told === providerID ? undefined : told;
}
