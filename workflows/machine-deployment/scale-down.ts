import { mostMachines, sum, type FirstToGo, type Rollout, type RolloutSet } from './rollout.ts';
import { share } from './share.ts';

/** Who goes first, in this order, as in each set. */
export const FIRST = ['marked', 'failed', 'pending'] as const satisfies readonly (keyof FirstToGo)[];

/** A rollout has more Machines than may be there: its sets come down together, one after the other. */
export interface ScaleDown {
  /** How many of each set are to stay, by its uid. */
  readonly goals: Readonly<Record<string, number>>;
}

/**
 * What the sets come down to, in proportion to what they have when it begins: only of one set Machines are taken at a time, and what was
 * taken of the first ones says nothing of the others. Undefined: there are not too many, or only one set has Machines.
 *
 * @param known what was found at the look before
 */
export function scaleDownOf(rollout: Rollout, known: ScaleDown | undefined): ScaleDown | undefined {
  const filled = rollout.sets.filter(({ isDeleting, active }) => !isDeleting && active > 0);
  const most = mostMachines(rollout);
  if (!isShared(rollout) || filled.length < 2 || sum(filled, ({ active }) => active) <= most) return undefined;
  const isOfThese = known !== undefined && filled.every(({ uid }) => known.goals[uid] !== undefined);
  // What it was coming down to counts, not how far it is; so also where it is scaled anew.
  const sizes = filled.map((set) => (isOfThese ? (known.goals[set.uid] ?? 0) : Math.min(set.active, set.replicas)));
  const goals = goalsOf(filled, sizes, most);
  return { goals: Object.fromEntries(filled.map(({ uid }, index) => [uid, goals[index] ?? 0])) };
}

/**
 * How many of each kind are left to go first when a set comes down to so many. It may not have done yet what it was told: those that go for
 * that are the first ones, and are not counted again.
 */
export function stillToGo(
  { active, first }: RolloutSet,
  size: number,
): Readonly<Record<(typeof FIRST)[number], number>> {
  const left = { marked: 0, failed: 0, pending: 0 };
  let going = Math.max(0, active - size);
  for (const kind of FIRST) {
    const there = first?.[kind] ?? 0;
    left[kind] = Math.max(0, there - going);
    going = Math.max(0, going - there);
  }
  return left;
}

/** With Recreate all old ones go; a step says how many there are to be of the newest template. */
function isShared({ type, isHeld, mostNew }: Rollout): boolean {
  return isHeld || (type !== 'Recreate' && mostNew === undefined);
}

function goalsOf(sets: readonly RolloutSet[], sizes: readonly number[], most: number): number[] {
  let surplus = Math.max(0, sum(sizes, (size) => size) - most);
  const left = [...sizes];
  const first = sets.map((set, index) => stillToGo(set, sizes[index] ?? 0));
  for (const kind of FIRST) {
    for (const [index, ofSet] of first.entries()) {
      const size = left[index] ?? 0;
      const going = Math.min(surplus, ofSet[kind], size);
      left[index] = size - going;
      surplus -= going;
    }
  }
  const shares = share(
    surplus,
    left.map((size) => ({ size, most: size })),
  );
  return left.map((size, index) => size - (shares[index] ?? 0));
}
