import type { KubeClient } from '../../k8s/client.ts';
import { unlessGone } from '../../k8s/kube-error.ts';
import type { Pod } from '../../k8s/model/pod.ts';
import { VOLUME_CLAIMS } from '../../k8s/resources.ts';

/** Volumes of these are one Node's at a time. */
const SINGLE: ReadonlySet<string> = new Set(['ReadWriteOnce', 'ReadWriteOncePod']);

/** The first claim of a pod whose volume no pod on another Node can use at the same time; undefined: it has none. */
export type FindSingleClaim = (pod: Pod) => Promise<string | undefined>;

export function createFindSingleClaim(kube: KubeClient): FindSingleClaim {
  return async ({ namespace, claims }) => {
    const areSingle = await Promise.all(claims.map((claim) => isSingle(namespace, claim)));
    return claims.find((_claim, index) => areSingle[index]);
  };

  async function isSingle(namespace: string, name: string): Promise<boolean> {
    const claim = await unlessGone(
      kube.get<{ spec?: { accessModes?: readonly string[] } }>(VOLUME_CLAIMS, namespace, name),
    );
    // Of a claim that is gone nobody knows: a new pod would wait for it.
    return claim?.spec?.accessModes?.some((mode) => SINGLE.has(mode)) ?? true;
  }
}
