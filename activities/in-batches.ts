import type { ActivityDeps } from './deps.ts';
import { failUnlessAwaited, whileHeartbeating } from './heartbeat.ts';

/** Size of a batch, unless there is very much to do: what one look answers for. */
const LARGEST_BATCH = 32;
/** How many full batches there are at most. Each costs a look, and a look costs the more the more there is. */
const MOST_BATCHES = 16;
/** After this, what is left waits for the next pass of the workflow, which may know better by then. Milliseconds. */
const LONGEST_RUN_MS = 60_000;

export interface Batches {
  /** Size of the first batch; each one is twice the last, up to a limit. */
  readonly first: number;
  /** How much there is to do in all. */
  readonly total: number;
}

/**
 * Runs batch after batch, until one says that it was the last. Fails before the next one where Temporal does
 * not wait for this any more: the workflow is gone, or another try took its place while this one stood still.
 *
 * @returns false where there is more to do
 */
export async function inBatches(
  { clock }: Pick<ActivityDeps, 'clock'>,
  { first, total }: Batches,
  run: (size: number) => Promise<'more' | 'last'>,
): Promise<boolean> {
  const largest = Math.max(LARGEST_BATCH, Math.ceil(total / MOST_BATCHES));
  return whileHeartbeating(clock, async (signal) => {
    const startedAt = clock.now();
    for (let size = first; clock.now() - startedAt < LONGEST_RUN_MS; size = Math.min(size * 2, largest)) {
      signal.throwIfAborted();
      await failUnlessAwaited();
      if ((await run(size)) === 'last') return true;
    }
    return false;
  });
}
