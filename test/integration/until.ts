import { watchCrowd } from './crowd.ts';
import { watchSlowness } from './slowness.ts';

/** Between two looks in a crowd. What is true for longer is not missed. */
const LONGEST_PAUSE_MS = 1000;

/**
 * Looks until what is looked for is true; fails with what was seen last. The time-out is that of a computer which is there for
 * this test alone: where its hypervisor gives time to others, or other tests run beside this one, it is as much longer.
 */
export async function until<T>(
  what: string,
  look: () => Promise<T>,
  isIt: (seen: T) => boolean,
  { timeoutMs = 60_000, everyMs = 200 }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<T> {
  const startedAt = Date.now();
  const slowness = watchSlowness();
  const crowd = watchCrowd();
  for (;;) {
    const seen = await look();
    if (isIt(seen)) return seen;
    crowd.look();
    const waitedMs = Date.now() - startedAt;
    if (waitedMs > timeoutMs * slowness() * crowd.factor()) {
      throw new Error(
        `${what}: not within ${Math.round(waitedMs / 1000)} s; last seen: ${seen === undefined ? 'nothing' : JSON.stringify(seen).slice(0, 2000)}`,
      );
    }
    // In a crowd each look adds to it.
    const pauseMs = Math.max(everyMs, Math.min(everyMs * crowd.factor(), LONGEST_PAUSE_MS));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
