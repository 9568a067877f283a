import { loadKubeConfig } from '../../../k8s/kube-config.ts';
import type { Resource } from '../../../k8s/resources.ts';
import { given } from '../../../providers/given.ts';
import { followChanges, type Observed } from '../follow-changes.ts';
import { getStack } from '../stack.ts';

export interface MaybeReady {
  readonly metadata: { readonly deletionTimestamp?: string };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

export interface ReadyCounts {
  /** How many were Ready, and not asked to end, at first and after each event since. */
  readonly counts: readonly number[];
  stop(): void;
}

/** Counts what is Ready of all objects with these labels at every event that the API server tells of them. */
export async function recordReady(
  resource: Resource,
  { namespace, labelSelector }: { readonly namespace?: string; readonly labelSelector: string },
): Promise<ReadyCounts> {
  const { kube, kubeconfig } = getStack();
  const listed = await kube.list<Observed>(resource, { labelSelector, ...given({ namespace }) });
  const ready = new Set(listed.items.filter(isServing).map(({ metadata }) => metadata.uid));
  const counts = [ready.size];
  const { resourceVersion } = listed;
  const followed = { resource, labelSelector, resourceVersion, ...given({ namespace }) };
  const stop = await followChanges(loadKubeConfig({ kubeconfig }), followed, (change, seen) => {
    if (change !== 'DELETED' && isServing(seen)) ready.add(seen.metadata.uid);
    else ready.delete(seen.metadata.uid);
    counts.push(ready.size);
  });
  return { counts, stop };
}

/** It is Ready, and nobody asked it to end. */
export function isServing({ metadata, status }: MaybeReady): boolean {
  const isReady = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
  return isReady && metadata.deletionTimestamp === undefined;
}
