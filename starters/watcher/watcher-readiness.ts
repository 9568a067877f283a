import type { ReadinessCheck } from '../../process/health.ts';
import type { ClusterView } from './cluster-view.ts';
import type { TemporalLink } from './temporal-link.ts';
import type { HeldLease } from '../../process/held-lease.ts';

export interface WatcherState {
  readonly isEnding: boolean;
  /** The uid of kube-system has been read. */
  readonly isClusterKnown: boolean;
  readonly view: Pick<ClusterView, 'isSynced'>;
  readonly lease: Pick<HeldLease, 'state'>;
  readonly link: Pick<TemporalLink, 'isUp'>;
}

/** What a watcher's `/readyz` goes by. A standby is ready too: it has what it needs to take over. */
export function watcherChecks(state: WatcherState): readonly ReadinessCheck[] {
  const { isEnding, isClusterKnown, view, lease, link } = state;
  return [
    { name: 'process', isOk: !isEnding, found: isEnding ? 'ending' : 'runs' },
    { name: 'cluster', isOk: isClusterKnown, found: isClusterKnown ? 'known' : 'uid of kube-system not read yet' },
    { name: 'watch-caches', isOk: view.isSynced, found: view.isSynced ? 'synced' : 'not everything was listed yet' },
    { name: 'lease', isOk: lease.state !== 'unknown', found: lease.state },
    { name: 'temporal', isOk: link.isUp, found: link.isUp ? 'answers' : 'away, or its namespace is not prepared' },
  ];
}
