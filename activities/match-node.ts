import type { Node } from '../k8s/model/node.ts';
import type { InstanceAddress } from '../providers/provider.ts';
import { instanceIdOf } from '../k8s/model/provider-id.ts';
import { hasClaim, type NodeClaim } from './node-claim.ts';

export type NodeMatch =
  | { readonly outcome: 'matched'; readonly node: Node }
  | { readonly outcome: 'none' }
  | { readonly outcome: 'ambiguous'; readonly message: string };

export interface NodeCriteria {
  /** What its Node says. */
  readonly claim: NodeClaim;
  /** The instance on record. */
  readonly instanceId: string;
  readonly addresses: readonly string[];
  /** RFC 3339. A Node known by its address only may not be older than this less a minute: addresses are used again. */
  readonly notBefore?: string;
}

const CLOCK_TOLERANCE_MS = 60_000;

/** By which of these names a kubelet registers, unless it is told another. */
export function hostNamesOf(addresses: readonly InstanceAddress[]): readonly string[] {
  const names = addresses.filter(({ type }) => type === 'Hostname' || type === 'InternalDNS');
  return [...new Set(names.map(({ address }) => address.toLowerCase()))];
}

/** It names the instance, none where that is empty, and stays. */
export function isNodeOf(node: Node, instanceId: string): boolean {
  return node.metadata.deletionTimestamp === undefined && instanceOf(node) === instanceId;
}

/** Which Node is the machine's: by the last segment of its providerID, else by annotation, else by address. One, or none. */
export function matchNode(nodes: readonly Node[], criteria: NodeCriteria): NodeMatch {
  const { instanceId, claim } = criteria;
  const byProviderID = nodes.filter((n) => isNodeOf(n, instanceId));
  if (byProviderID.length > 0) return onlyOne(byProviderID, `instance ${instanceId}`);

  // A Node that names another instance is not this machine's, whatever else it says.
  const unclaimed = nodes.filter((n) => isNodeOf(n, ''));
  const byAnnotation = unclaimed.filter((n) => hasClaim(n, claim));
  if (byAnnotation.length > 0) return onlyOne(byAnnotation, `annotation ${claim.annotation}: ${claim.value}`);

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

function onlyOne(nodes: readonly Node[], by: string): NodeMatch {
  const [node] = nodes;
  if (nodes.length === 1 && node !== undefined) return { outcome: 'matched', node };
  const names = nodes.map((n) => n.metadata.name).join(', ');
  return { outcome: 'ambiguous', message: `several Nodes match by ${by}: ${names}` };
}

/** It names an instance, and not this one: it is none of its machine's, whatever else it says. */
export function namesAnother(node: Node, instanceId: string | undefined): boolean {
  const named = instanceOf(node);
  return named !== '' && named !== instanceId;
}

/** The instance that a Node names; empty: none (yet). */
export function instanceOf(node: Node): string {
  return instanceIdOf(node.spec?.providerID) ?? '';
}
