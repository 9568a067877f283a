import { leastAvailable, sum, type Rollout, type RolloutSet } from './rollout.ts';
import { share } from './share.ts';

/**
 * The replicas that a plan comes to, set by set. Where fewer are wanted of a set than there are, Machines are taken: of one set
 * at a time, so that each set can tell by itself, right before it deletes, how many may go.
 */
export class Targets {
  readonly #rollout: Rollout;
  readonly #replicas = new Map<RolloutSet, number>();
  /** The sets whose Machines are being taken. */
  readonly #taking: ReadonlySet<RolloutSet>;
  #takesFrom: RolloutSet | undefined;

  constructor(rollout: Rollout, sets: readonly RolloutSet[], replicasOf: (set: RolloutSet) => number) {
    this.#rollout = rollout;
    this.#taking = new Set(sets.filter(({ active, replicas }) => active > replicas));
    for (const set of sets) this.#replicas.set(set, replicasOf(set));
  }

  get sets(): RolloutSet[] {
    return [...this.#replicas.keys()];
  }

  get total(): number {
    return sum(this.sets, (set) => this.of(set));
  }

  /** A set deletes what is not available first. */
  get available(): number {
    return sum(this.sets, (set) => this.availableOf(set));
  }

  of(set: RolloutSet): number {
    return this.#replicas.get(set) ?? 0;
  }

  availableOf(set: RolloutSet): number {
    return Math.min(set.available, this.of(set));
  }

  set(set: RolloutSet, replicas: number): void {
    this.#replicas.set(set, replicas);
  }

  /** Wants so many fewer of a set: what it has not filled first, then Machines, as far as they may be taken now. */
  lower(set: RolloutSet, by: number): number {
    if (by <= 0) return 0;
    const unfilled = Math.max(0, this.of(set) - set.active);
    const given = Math.min(by, unfilled);
    this.set(set, this.of(set) - given);
    const taken = Math.min(by - given, this.#takeable(set));
    if (taken > 0) this.#takesFrom = set;
    this.set(set, this.of(set) - taken);
    return given + taken;
  }

  /** Lowers the sets in proportion to what is wanted of them, by so many in all. */
  lowerTogether(by: number): void {
    const { sets } = this;
    const shares = share(
      by,
      sets.map((set) => ({ size: this.of(set), most: this.of(set) })),
    );
    const most = sets.map((set, index) => ({ set, by: shares[index] ?? 0 })).sort((a, b) => b.by - a.by);
    let left = by;
    for (const one of most) left -= this.lower(one.set, Math.min(left, one.by));
    // What may not be taken where it should is taken where it may.
    for (const one of most) left -= this.#takesFrom === undefined ? this.lower(one.set, left) : 0;
  }

  /** Raises the sets in proportion to what is wanted of them, by so many in all. */
  raiseTogether(by: number): void {
    const { sets } = this;
    const shares = share(
      by,
      sets.map((set) => ({ size: this.of(set), most: Infinity })),
    );
    for (const [index, set] of sets.entries()) this.set(set, this.of(set) + (shares[index] ?? 0));
  }

  /** How many Machines of the set may be taken: those that are not available, and of the others as many as are too many. */
  #takeable(set: RolloutSet): number {
    if (this.#takesFrom !== undefined && this.#takesFrom !== set) return 0;
    if ([...this.#taking].some((other) => other !== set)) return 0;
    const spare = Math.max(0, this.available - leastAvailable(this.#rollout));
    const available = this.availableOf(set);
    return this.of(set) - available + Math.min(available, spare);
  }
}
