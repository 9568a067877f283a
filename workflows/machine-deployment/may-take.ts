import { leastAvailable, mostMachines, type Rollout } from './rollout.ts';

/** A Machine that a set of a deployment has chosen to go. */
export interface ChosenMachine {
  /** Somebody asked for it to go before others. */
  readonly isMarked: boolean;
  readonly isAvailable: boolean;
}

/** All Machines of a deployment, right before some of them go. */
export interface TakeWorld extends Pick<Rollout, 'replicas' | 'bounds' | 'isHeld'> {
  /** Those that are not being deleted. */
  readonly active: number;
  readonly available: number;
  /** The set has all of them. */
  readonly isOnlySet: boolean;
  /** The set is of an earlier template, and so many of such there are, of which so many keep their places for now. Absent: none does. */
  readonly old?: { readonly active: number; readonly least: number };
}

/**
 * How many of the Machines that were chosen, from the first on, may go now. The plan that wanted fewer of the set may be old by then.
 * Whoever is marked goes whatever else is so: somebody wanted this one, and has emptied its Node maybe.
 */
export function countTakeable(chosen: readonly ChosenMachine[], world: TakeWorld): number {
  let { active, available } = world;
  const leastActive = world.isHeld ? (world.isOnlySet ? world.replicas : mostMachines(world)) : 0;
  let oldActive = world.old?.active ?? 0;
  const leastOldActive = world.old?.least ?? -Infinity;
  const isHeldBack = ({ isMarked, isAvailable }: ChosenMachine): boolean =>
    !isMarked &&
    (active <= leastActive || oldActive <= leastOldActive || (isAvailable && available <= leastAvailable(world)));
  for (const [index, machine] of chosen.entries()) {
    if (isHeldBack(machine)) return index;
    active -= 1;
    oldActive -= 1;
    if (machine.isAvailable) available -= 1;
  }
  return chosen.length;
}
