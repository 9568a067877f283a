import { watchSlowness } from './slowness.ts';

/**
 * Looks until what is looked for is true; fails with what was seen last. The time-out is that of a computer which is there for
 * the tests alone: on one whose hypervisor gives time to others it is as much longer.
 */
export async function until<T>(
  what: string,
  look: () => Promise<T>,
  isIt: (seen: T) => boolean,
  { timeoutMs = 60_000, everyMs = 200 }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<T> {
  const startedAt = Date.now();
  const slowness = watchSlowness();
  for (;;) {
    const seen = await look();
    if (isIt(seen)) return seen;
    const waitedMs = Date.now() - startedAt;
    if (waitedMs > timeoutMs * slowness()) {
      throw new Error(
        `${what}: not within ${Math.round(waitedMs / 1000)} s; last seen: ${JSON.stringify(seen).slice(0, 2000)}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
