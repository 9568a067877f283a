/** The tags by which an instance is told to be a Machine's. */

import type { InstanceOwner } from '../provider.ts';

/** UID of the Machine: what proves whose an instance is. */
export const UID_TAG = 'millwright/machine-uid';
const MACHINE_TAG = 'millwright/machine';
const OWN_PREFIX = 'millwright/';
const CLUSTER_PREFIX = 'kubernetes.io/cluster/';
/** Longest value that EC2 takes, in characters. A namespace and a name may be longer together. */
const LONGEST_VALUE = 256;

/** Key of the tag that everything of a cluster carries, as the Machine API and the cloud provider of Kubernetes have it. */
export function clusterTag(cluster: string): string {
  return `${CLUSTER_PREFIX}${cluster}`;
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
  { cluster, namespace, name, uid }: InstanceOwner,
  more: readonly { readonly name: string; readonly value?: string }[],
): readonly Tag[] {
  const own: Tag[] = [
    { Key: 'Name', Value: name },
    { Key: clusterTag(cluster), Value: 'owned' },
    { Key: UID_TAG, Value: uid },
    { Key: MACHINE_TAG, Value: `${namespace}/${name}`.slice(0, LONGEST_VALUE) },
  ];
  const users = more
    .filter((tag, index) => more.findIndex((other) => other.name === tag.name) === index)
    .filter((tag) => !isOwnerTag(tag.name))
    .map((tag) => ({ Key: tag.name, Value: tag.value ?? '' }));
  return [...own, ...users];
}

function isOwnerTag(key: string): boolean {
  return key === 'Name' || key.startsWith(CLUSTER_PREFIX) || key.startsWith(OWN_PREFIX);
}
