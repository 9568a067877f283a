import type { Stack } from '../../devstack/stack/stack.ts';

/** A call that the cloud answered, as its ledger tells it. */
export interface CloudCall {
  readonly at: string;
  readonly action: string;
  /** uid of the Machine it was made for. */
  readonly machine: string | null;
  /** The error's; null: it succeeded. */
  readonly code: string | null;
}

/** Calls that the cloud answered from then on. */
export async function callsSince({ cloud }: Stack, sinceMs: number): Promise<CloudCall[]> {
  const { calls } = (await (await fetch(`${cloud.endpoint}/ledger`)).json()) as { readonly calls: CloudCall[] };
  return calls.filter(({ at }) => Date.parse(at) >= sinceMs);
}

/** How many of each kind were refused because there were too many. */
export function countThrottled(calls: readonly CloudCall[]): Record<string, number> {
  return countCalls(calls.filter(({ code }) => code === 'RequestLimitExceeded' || code === 'Throttling'));
}

/** How many of each kind. */
export function countCalls(calls: readonly CloudCall[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { action } of calls) counts[action] = (counts[action] ?? 0) + 1;
  return counts;
}
