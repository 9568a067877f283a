import type { FaultCloud } from './fault-cloud.ts';

/** What was found wrong, a sentence each. */
export type Verdict = readonly string[];

interface Ledger {
  readonly instances: readonly {
    readonly id: string;
    readonly machine: string;
    readonly token: string;
    readonly state: string;
  }[];
}

/** The cloud's own ledger judges: so many live instances of each Machine, and never more than one in all its life. */
export async function judge(
  cloud: FaultCloud,
  uids: Iterable<string>,
  { liveEach }: { liveEach: 0 | 1 },
): Promise<Verdict> {
  const verdict: string[] = [];
  for (const uid of uids) {
    const answer = await fetch(`${cloud.endpoint}/ledger?machine=${uid}`);
    const { instances } = (await answer.json()) as Ledger;
    const live = instances.filter((i) => i.state === 'pending' || i.state === 'running');
    const list = instances.map((i) => `${i.id} ${i.state}`).join(', ');
    if (live.length !== liveEach)
      verdict.push(`Machine ${uid}: ${live.length} live instances instead of ${liveEach}: ${list}`);
    if (instances.length !== 1) verdict.push(`Machine ${uid}: ${instances.length} instances in its life: ${list}`);
  }
  return verdict;
}
