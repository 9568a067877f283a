import type { KubeClient } from '../k8s/client.ts';
import { unlessGone } from '../k8s/kube-error.ts';
import type { Pod } from '../k8s/model/pod.ts';
import type { ObjectMeta } from '../k8s/object-meta.ts';
import { DAEMON_SETS } from '../k8s/resources.ts';
import type { Clock } from '../providers/clock.ts';
import { coalesce } from './coalesce.ts';

/** How long a look at all DaemonSets waits for others, in milliseconds. */
const GATHER_MS = 100;
/** How old it may be, in milliseconds: drains look every few seconds, and DaemonSets seldom go. */
const MOST_MS = 10_000;

/** Uids of DaemonSets that exist: of all that these pods are of, and perhaps of others. */
export type ExistingDaemonSets = (pods: readonly Pod[]) => Promise<ReadonlySet<string>>;

interface DaemonSet {
  readonly metadata: Pick<ObjectMeta, 'uid'>;
}

/** All drains of a worker share one list. A DaemonSet that is not on it may be newer, and is read by its name. */
export function createExistingDaemonSets(kube: KubeClient, clock: Clock): ExistingDaemonSets {
  const list = coalesce(
    clock,
    async () => new Set((await kube.list<DaemonSet>(DAEMON_SETS)).items.map(({ metadata }) => metadata.uid)),
    GATHER_MS,
  );

  return async (pods) => {
    const owners = pods.flatMap(({ namespace, controller }) =>
      controller?.kind === 'DaemonSet' ? [{ namespace, ...controller }] : [],
    );
    if (owners.length === 0) return new Set();
    const listed = await list('all', MOST_MS);
    const unlisted = owners.filter(({ uid }) => !listed.has(uid));
    const newer = await Promise.all(unlisted.map(async (owner) => ((await exists(owner)) ? [owner.uid] : [])));
    return newer.length === 0 ? listed : new Set([...listed, ...newer.flat()]);
  };

  async function exists({ namespace, name, uid }: Record<'namespace' | 'name' | 'uid', string>): Promise<boolean> {
    const found = await unlessGone(kube.get<DaemonSet>(DAEMON_SETS, namespace, name));
    return found?.metadata.uid === uid;
  }
}
