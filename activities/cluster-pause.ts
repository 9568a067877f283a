import type { ObjectRef } from '../k8s/model/object-ref.ts';
import type { ActivityDeps } from './deps.ts';
import { heldUpBy } from './effective-spec.ts';
import { readAllowed } from './read-machines.ts';
import { readNamed } from './read-stored.ts';
import { given } from '../providers/given.ts';

/** Why what belongs to a Cluster is held up. */
export interface ClusterPause {
  /** Names the Cluster, as the beginning of "… is paused". */
  readonly pausedBy: string;
  /** The API server refuses to show the Cluster: no change of an object will tell when that is over. */
  readonly isUnsure: boolean;
}

/**
 * Whether the Cluster to which an object belongs is paused now; undefined: it is not, or there is none.
 *
 * @param clusterName empty: it belongs to none
 */
export async function clusterPause(
  { kube, apis }: Pick<ActivityDeps, 'kube' | 'apis'>,
  ref: ObjectRef,
  clusterName: string,
): Promise<ClusterPause | undefined> {
  const kind = apis.apiOf(ref).cluster;
  if (kind === undefined || clusterName === '') return undefined;
  const { namespace } = ref;
  const { object, refused } = await readAllowed(
    (...asked) => readNamed(kube, ...asked),
    kind.resource,
    namespace,
    clusterName,
  );
  const pausedBy = heldUpBy(
    { namespace, name: clusterName },
    {
      cluster: object === undefined ? undefined : kind.read(object).cluster,
      ...given({ clusterRefused: refused }),
    },
  );
  return pausedBy === undefined ? undefined : { pausedBy, isUnsure: refused !== undefined };
}
