import type { Share } from '../../k8s/model/machine-health-check.ts';

/** A share of so many, unrounded. */
export function shareOf(share: Share, all: number): number {
  return 'count' in share ? share.count : (share.percent * all) / 100;
}

/** How a share reads in the check. */
export function describeShare(share: Share): string {
  return 'count' in share ? String(share.count) : `${share.percent}%`;
}
