import type { Failure, RetryPolicy } from './history-event.ts';

/** The server's defaults. */
export const DEFAULT_RETRY: RetryPolicy = {
  firstMs: 1000,
  coefficient: 2,
  mostMs: 100_000,
  attempts: 0,
  finalTypes: [],
};

/** It says itself, or the policy does, that it is not to be tried again. */
export function isFinal({ finalTypes }: RetryPolicy, { applicationFailureInfo }: Failure): boolean {
  return applicationFailureInfo?.nonRetryable === true || finalTypes.includes(applicationFailureInfo?.type ?? '');
}

/** Milliseconds before the attempt after this one, which failed so; undefined: there is none. */
export function delayAfter(policy: RetryPolicy, attempt: number, failure: Failure): number | undefined {
  if (isFinal(policy, failure) || (policy.attempts > 0 && attempt >= policy.attempts)) return undefined;
  const { nextRetryDelay } = failure.applicationFailureInfo ?? {};
  if (nextRetryDelay) return millisecondsOf(nextRetryDelay);
  return Math.min(policy.firstMs * policy.coefficient ** (attempt - 1), policy.mostMs);
}

/** Of a duration of Temporal's; 0 where there is none. */
export function millisecondsOf(
  duration: { readonly seconds?: unknown; readonly nanos?: number | null } | null | undefined,
): number {
  return duration ? Number(duration.seconds ?? 0) * 1000 + (duration.nanos ?? 0) / 1e6 : 0;
}
