import { given } from '../../providers/given.ts';
import { planHold } from './plan-hold.ts';
import { mostMachines, sum, type Rollout, type RolloutSet } from './rollout.ts';
import { share } from './share.ts';

/** A rollout with Machines of several templates is scaled up, and not all of its sets have been told yet, and answered. */
export interface ScaleUp {
  /** How many Machines each set comes up to, by its uid. */
  readonly goals: Readonly<Record<string, number>>;
}

/**
 * What the sets come up to, in proportion to what they have, when more Machines are wanted than at the look before: a new template that
 * turns out to be bad has not all of what was asked for. It is over when each set has answered to that; what it loses later, or could not
 * make, is the rollout's to replace. Undefined: nothing was asked for, all have answered, or there are Machines of one template only.
 *
 * @param known what was found at the look before
 * @param before how many Machines were wanted then; absent: nobody has looked yet
 */
export function scaleUpOf(
  rollout: Rollout,
  known: ScaleUp | undefined,
  before = rollout.replicas,
): ScaleUp | undefined {
  const filled = rollout.sets.filter(({ isDeleting, active, replicas }) => !isDeleting && active + replicas > 0);
  if (rollout.replicas < before || !isShared(rollout, filled)) return undefined;
  const sizes = filled.map((set) => Math.max(set.active, known?.goals[set.uid] ?? wantedOf(rollout, set)));
  const room = mostMachines(rollout) - rollout.strays - sum(sizes, (size) => size);
  const more = Math.min(rollout.replicas - before, room);
  if (known === undefined ? more <= 0 : room < 0) return undefined;
  const shares = share(
    Math.max(0, more),
    sizes.map((size) => ({ size, most: Infinity })),
  );
  const goals = Object.fromEntries(filled.map(({ uid }, index) => [uid, (sizes[index] ?? 0) + (shares[index] ?? 0)]));
  return isTold({ ...rollout, ...given({ raised: goals }) }, filled) ? undefined : { goals };
}

/** A step says how many there are to be of the newest template; Recreate and OnDelete make no others. */
function isShared({ type, isHeld, mostNew }: Rollout, filled: readonly RolloutSet[]): boolean {
  if (isHeld) return filled.length > 1;
  const isMoving = type === 'RollingUpdate' && mostNew === undefined;
  return isMoving && filled.length > 1 && filled.some(({ isCurrent }) => isCurrent);
}

/** While it moves, what an earlier template has lost is not made again. */
function wantedOf({ isHeld }: Rollout, { isCurrent, active, replicas }: RolloutSet): number {
  return isHeld || isCurrent ? replicas : active;
}

function isTold(rollout: Rollout, filled: readonly RolloutSet[]): boolean {
  return [...planHold(rollout, filled)].every(
    ([{ replicas, maxMachines = Infinity, hasAnswered }, target]) =>
      hasAnswered && replicas >= target.replicas && maxMachines >= target.maxMachines,
  );
}
