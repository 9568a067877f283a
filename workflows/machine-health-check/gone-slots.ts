import type { FoundCheck } from './health-activities.ts';
import type { HealthMemory, Slot } from './health-memory.ts';

/** A Machine that was made so much before a slot began may be its replacement, as no two clocks are the same. */
const CLOCK_SLACK_MS = 5000;

/** One remediation, by the uid of its Machine. */
export interface Held {
  readonly uid: string;
  readonly slot: Slot;
}

/** Slots whose Machine is gone are held as long as their set has not what it wants: as many of them as it misses machines. */
export function settleGone(
  gone: readonly Held[],
  { sets }: FoundCheck,
  slots: HealthMemory['slots'],
): { readonly held: readonly Held[]; readonly succeeded: readonly Held[] } {
  const held: Held[] = [];
  const succeeded: Held[] = [];
  for (const [setUid, members] of bySet(gone)) {
    const set = sets[setUid];
    if (set === undefined) continue;
    const since = Math.min(...members.map(({ slot }) => slot.startedAt));
    const joining = set.unready.filter((one) => isNewer(one.createdAt, since) && slots[one.uid] === undefined);
    const missing = Math.max(0, set.replicas - set.living);
    // Which machine comes for which slot is not known. The oldest slots stay: what joins is newer than they are, also at the next look.
    const order = [...members].sort(
      (a, b) => a.slot.startedAt - b.slot.startedAt || (b.slot.replacements ?? 0) - (a.slot.replacements ?? 0),
    );
    // A set that is held makes none. What it has made before may join still.
    held.push(...order.slice(0, joining.length + (set.isHeld === true ? 0 : missing)));
    succeeded.push(...order.slice(joining.length + missing));
  }
  return { held, succeeded };
}

/** Those of the same set; of no set there are none: nobody makes a replacement there. */
export function bySet(gone: readonly Held[]): Map<string, Held[]> {
  const all = new Map<string, Held[]>();
  for (const one of gone) {
    const key = one.slot.set?.uid;
    if (key !== undefined) all.set(key, [...(all.get(key) ?? []), one]);
  }
  return all;
}

/** Kubernetes tells in whole seconds, and by another clock, when something was made. */
export function isNewer(createdAt: string, than: number): boolean {
  return Date.parse(createdAt) >= than - CLOCK_SLACK_MS;
}
