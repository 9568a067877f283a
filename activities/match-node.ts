import { MACHINE_ANNOTATION } from '../k8s/model/labels.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import type { Node } from '../k8s/model/node.ts';

export type NodeMatch =
  | { readonly outcome: 'matched'; readonly node: Node }
  | { readonly outcome: 'none' }
  | { readonly outcome: 'ambiguous'; readonly message: string };

export interface NodeCriteria {
  /** The instance on record. */
  readonly instanceId: string;
  readonly addresses: readonly string[];
  /** RFC 3339. A Node known by its address only may not be older than this less a minute: addresses are used again. */
  readonly notBefore?: string;
}

const CLOCK_TOLERANCE_MS = 60_000;

/** Which Node is the machine's: by the last segment of its providerID, else by annotation, else by address. One, or none. */
export function matchNode(nodes: readonly Node[], ref: ObjectRef, criteria: NodeCriteria): NodeMatch {
  const live = nodes.filter((n) => n.metadata.deletionTimestamp === undefined);
  const { instanceId } = criteria;
  const byProviderID = live.filter((n) => instanceOf(n) === instanceId);
  if (byProviderID.length > 0) return onlyOne(byProviderID, `instance ${instanceId}`);

  const claim = `${ref.namespace}/${ref.name}`;
  // A Node that names another instance is not this machine's, whatever else it says.
  const unclaimed = live.filter((n) => instanceOf(n) === '');
  const byAnnotation = unclaimed.filter((n) => n.metadata.annotations?.[MACHINE_ANNOTATION] === claim);
  if (byAnnotation.length > 0) return onlyOne(byAnnotation, `annotation ${MACHINE_ANNOTATION}: ${claim}`);

  const { notBefore } = criteria;
  if (notBefore === undefined) return { outcome: 'none' };
  const earliest = Date.parse(notBefore) - CLOCK_TOLERANCE_MS;
  const byAddress = unclaimed.filter(
    (n) =>
      Date.parse(n.metadata.creationTimestamp) >= earliest &&
      (n.status?.addresses ?? []).some(
        ({ type, address }) => type.endsWith('IP') && criteria.addresses.includes(address),
      ),
  );
  return byAddress.length === 0 ? { outcome: 'none' } : onlyOne(byAddress, `address ${criteria.addresses.join(', ')}`);
}

/** True where a Node says that it is this Machine's. */
export function isNamedByNode(nodes: readonly Node[], { namespace, name }: ObjectRef): boolean {
  return nodes.some(({ metadata }) => metadata.annotations?.[MACHINE_ANNOTATION] === `${namespace}/${name}`);
}

function onlyOne(nodes: readonly Node[], by: string): NodeMatch {
  const [node] = nodes;
  if (nodes.length === 1 && node !== undefined) return { outcome: 'matched', node };
  const names = nodes.map((n) => n.metadata.name).join(', ');
  return { outcome: 'ambiguous', message: `several Nodes match by ${by}: ${names}` };
}

/** The instance that a Node names; empty: none (yet). */
export function instanceOf(node: Node): string {
  return node.spec?.providerID?.split('/').at(-1) ?? '';
}
