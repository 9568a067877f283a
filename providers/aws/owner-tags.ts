/** The tags by which an instance is told to be a Machine's. */

import { machineKeyOf } from '../machine-key.ts';
import type { InstanceOwner } from '../provider.ts';

/** UID of the Machine: what proves whose an instance is. */
export const UID_TAG = 'millwright/machine-uid';
/** {@link machineKeyOf} the Machine. */
export const MACHINE_TAG = 'millwright/machine';
/** uid of kube-system: tells the Machines of one cluster from those of another that bear the same names. */
export const CLUSTER_UID_TAG = 'millwright/cluster-uid';
const OWN_PREFIX = 'millwright/';
const CLUSTER_PREFIX = 'kubernetes.io/cluster/';

/** Key of the tag that everything of a cluster carries, as the Machine API and the cloud provider of Kubernetes have it. */
export function clusterTag(clusterName: string): string {
  return `${CLUSTER_PREFIX}${clusterName}`;
}

/** Ids of the clusters that own what carries these tags. */
export function clustersOf(tags: readonly Partial<Record<keyof Tag, string | undefined>>[]): readonly string[] {
  return tags
    .filter(({ Key = '', Value }) => Key.startsWith(CLUSTER_PREFIX) && Value === 'owned')
    .map(({ Key = '' }) => Key.slice(CLUSTER_PREFIX.length));
}

export interface Tag {
  readonly Key: string;
  readonly Value: string;
}

/**
 * The owner's tags, and after them the user's. Those of the user that would say whose the instance is are left out, as
 * the Machine API does: its installer writes them. Of several of one name the first counts.
 */
export function tagsOf(
  owner: InstanceOwner,
  more: readonly { readonly name: string; readonly value?: string }[],
): readonly Tag[] {
  const own: Tag[] = [
    { Key: 'Name', Value: owner.name },
    { Key: clusterTag(owner.clusterName), Value: 'owned' },
    ...claimTagsOf(owner),
  ];
  const users = more
    .filter((tag, index) => more.findIndex((other) => other.name === tag.name) === index)
    .filter((tag) => !isOwnerTag(tag.name))
    .map((tag) => ({ Key: tag.name, Value: tag.value ?? '' }));
  return [...own, ...users];
}

/** What is written on an instance that is adopted; its Name and its cluster it has. */
export function claimTagsOf(owner: InstanceOwner): readonly Tag[] {
  return [
    { Key: UID_TAG, Value: owner.uid },
    { Key: MACHINE_TAG, Value: machineKeyOf(owner) },
    { Key: CLUSTER_UID_TAG, Value: owner.clusterUid },
  ];
}

function isOwnerTag(key: string): boolean {
  return key === 'Name' || key.startsWith(CLUSTER_PREFIX) || key.startsWith(OWN_PREFIX);
}
