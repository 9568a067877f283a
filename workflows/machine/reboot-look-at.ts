import type { Pass } from './pass.ts';

/**
 * Between two looks whether the reboot is wanted still, in milliseconds: who wanted it may be gone without a word. What is wanted for long
 * is looked at more seldom.
 */
const LOOK_MS = { first: 30_000, most: 600_000 } as const;

/** When it is looked at again whether somebody stands behind the wish for a reboot, in milliseconds since the epoch. */
export function rebootLookAt({ nowMs, seen }: Pick<Pass, 'nowMs' | 'seen'>): number {
  const age = nowMs - Date.parse(seen.machine.rebootWish?.id ?? '');
  const ms = Number.isNaN(age) ? LOOK_MS.first : age / 4;
  return nowMs + Math.min(Math.max(ms, LOOK_MS.first), LOOK_MS.most);
}
