import type { RetryPolicy } from './history-event.ts';

/** The server's defaults. */
export const DEFAULT_RETRY: RetryPolicy = {
  firstMs: 1000,
  coefficient: 2,
  mostMs: 100_000,
  attempts: 0,
  finalTypes: [],
};

/**
 * Milliseconds before this attempt, the second or a later one; undefined: it is not made.
 *
 * @param askedMs what the failure asked for instead
 */
export function delayBefore(policy: RetryPolicy, attempt: number, askedMs?: number): number | undefined {
  if (policy.attempts > 0 && attempt > policy.attempts) return undefined;
  return askedMs ?? Math.min(policy.firstMs * policy.coefficient ** (attempt - 2), policy.mostMs);
}
