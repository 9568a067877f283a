import type { KubeClient } from '../../k8s/client.ts';
import { DRAIN_FIELD_MANAGER } from '../../k8s/model/field-managers.ts';
import type { Taint } from '../../k8s/model/machine.ts';
import type { Node } from '../../k8s/model/node.ts';
import { hasTaint } from '../../k8s/model/taint.ts';
import { NODES } from '../../k8s/resources.ts';
import { onObject } from '../failures.ts';

/** A taint of ours. */
export interface OwnTaint {
  readonly taint: Taint;
  /** Says that it is ours. @default its key does */
  readonly annotation?: string;
}

/**
 * Puts a taint on a Node, where it has none of that key and effect, and says whom it is for where it has an annotation.
 *
 * The list of taints belongs to nobody's field manager: it can only be written whole. So the write insists on the version that the
 * Node was read in, and one that comes in between means another look.
 */
export function putTaint(kube: KubeClient, node: Node, { taint, annotation }: OwnTaint, whom: string): Promise<Node> {
  const { taints } = node.spec ?? {};
  // Somebody put it there by hand: that one is not ours to take off.
  if (hasTaint(taints, taint)) return Promise.resolve(node);
  return write(kube, node, annotation === undefined ? {} : { [annotation]: whom }, [...(taints ?? []), taint]);
}

/** Takes it off, where the Node says that it is ours. */
export function takeOffTaint(kube: KubeClient, node: Node, own: OwnTaint): Promise<Node> {
  if (!isOurs(node, own)) return Promise.resolve(node);
  const { annotation } = own;
  return write(kube, node, annotation === undefined ? {} : { [annotation]: null }, taintsWithout(node, own));
}

/** The Node's taints but for this one, where that is ours. */
export function taintsWithout(node: Node, own: OwnTaint): readonly Taint[] {
  const { taints = [] } = node.spec ?? {};
  if (!isOurs(node, own)) return taints;
  return taints.filter(({ key, effect }) => key !== own.taint.key || effect !== own.taint.effect);
}

export function isOurs({ metadata, spec }: Node, { taint, annotation }: OwnTaint): boolean {
  if (annotation === undefined) return hasTaint(spec?.taints, taint);
  return metadata.annotations?.[annotation] !== undefined;
}

function write(
  kube: KubeClient,
  { metadata: { name, uid, resourceVersion } }: Node,
  annotations: Readonly<Record<string, string | null>>,
  taints: readonly Taint[],
): Promise<Node> {
  const body = { metadata: { uid, resourceVersion, annotations }, spec: { taints } };
  return onObject(() => kube.mergePatch<Node>(NODES, undefined, name, body, { fieldManager: DRAIN_FIELD_MANAGER }));
}
