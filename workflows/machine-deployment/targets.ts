import { leastAvailable, mostMachines, sum, type Rollout, type RolloutSet, type Target } from './rollout.ts';
import { FIRST, stillToGo } from './scale-down.ts';
import { share } from './share.ts';

/**
 * The replicas that a plan comes to, set by set. Where fewer are wanted of a set than there are, Machines are taken: of one set
 * at a time, so that each set can tell by itself, right before it deletes, how many may go.
 */
export class Targets {
  readonly #rollout: Rollout;
  readonly #replicas = new Map<RolloutSet, number>();
  /** The sets whose Machines are being taken, or were by what a set was told before it has answered to the rest. */
  readonly #taking: ReadonlySet<RolloutSet>;
  #takesFrom: RolloutSet | undefined;
  readonly #givesMarked = new Set<RolloutSet>();
  readonly #kept = new Set<RolloutSet>();
  /** It has marked Machines to give, and may not yet. */
  #isAwaited = false;

  constructor(rollout: Rollout, sets: readonly RolloutSet[], replicasOf: (set: RolloutSet) => number) {
    this.#rollout = rollout;
    this.#taking = new Set(
      sets.filter(({ active, replicas, hasAnswered, isCurrent }) => active > replicas || (!isCurrent && !hasAnswered)),
    );
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

  /** Wants all Machines of a set that it has: none of them is taken. */
  keep(set: RolloutSet): void {
    this.#kept.add(set);
    this.set(set, Math.max(set.active, this.of(set)));
  }

  /** Wants so many fewer of a set: what it has not filled first, then Machines, as far as they may be taken now. */
  lower(set: RolloutSet, by: number): number {
    const wanted = Math.max(0, by);
    const unfilled = Math.max(0, this.of(set) - set.active);
    const given = Math.min(wanted, unfilled);
    this.set(set, this.of(set) - given);
    const taken = Math.min(wanted - given, this.#takeable(set));
    if (taken > 0) this.#takesFrom = set;
    this.set(set, this.of(set) - taken);
    return given + taken;
  }

  /**
   * Wants marked Machines gone, as many as there are Machines beyond replicas: where replicas were lowered after the mark, that Machine
   * goes in whichever set it is, and in whatever the rollout is at.
   */
  lowerMarked(): void {
    let surplus = sum(this.sets, ({ active }) => active) - this.#rollout.replicas;
    for (const set of this.sets) {
      const { marked = 0, markedAvailable = 0 } = set.first ?? {};
      const going = Math.min(marked, Math.max(0, set.active - this.of(set)), Math.max(0, surplus));
      surplus -= going;
      const spare = Math.min(markedAvailable, this.#spare);
      const more = Math.max(0, Math.min(marked - going, surplus, marked - markedAvailable + spare));
      const taken = this.#mayTakeFrom(set) ? more : 0;
      if (taken < more) this.#isAwaited = true;
      if (going + taken === 0) continue;
      this.#givesMarked.add(set);
      if (taken === 0) continue;
      this.#takesFrom = set;
      this.set(set, Math.min(this.of(set), set.active - going - taken));
    }
  }

  /** Whether marked Machines of the set are to go: it may want others only when these are on their way. */
  givesMarked(set: RolloutSet): boolean {
    return this.#givesMarked.has(set);
  }

  /**
   * Lowers the sets by so many in all: by those that go first, in whichever set they are, and then in proportion to what is wanted of
   * the sets. Those that go first in a set of which none may be taken now go when they may: no others go in their stead.
   *
   * @param goals what each comes down to, by its uid, in its turn; absent: in proportion to what is wanted of them now
   */
  lowerTogether(by: number, goals?: Rollout['goals']): void {
    const { sets } = this;
    let left = by;
    const first = sets.map((set) => [set, stillToGo(set, this.of(set))] as const);
    for (const kind of FIRST) {
      for (const [set, ofSet] of first) {
        const wanted = Math.min(left, ofSet[kind]);
        const isPutOff = this.#isOthersTurn(set);
        const given = this.lower(set, wanted);
        left -= isPutOff ? wanted : given;
      }
    }
    const shares =
      goals === undefined
        ? share(
            left,
            sets.map((set) => ({ size: this.of(set), most: this.of(set) })),
          )
        : sets.map((set) => Math.max(0, this.of(set) - (goals[set.uid] ?? 0)));
    const most = sets.map((set, index) => ({ set, by: shares[index] ?? 0 })).sort((a, b) => b.by - a.by);
    for (const one of most) {
      const wanted = Math.min(left, one.by);
      const isPutOff = goals !== undefined && this.#isOthersTurn(one.set);
      const given = this.lower(one.set, wanted);
      left -= isPutOff ? wanted : given;
    }
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

  /**
   * How many Machines of the set may be taken: those that are not available, and of the others as many as are too many, unless marked ones
   * of another set have to go in their stead.
   */
  #takeable(set: RolloutSet): number {
    if (!this.#mayTakeFrom(set)) return 0;
    const available = this.availableOf(set);
    return this.of(set) - available + (this.#isAwaited ? 0 : Math.min(available, this.#spare));
  }

  /** Machines of it may be taken when those of another set are. */
  #isOthersTurn(set: RolloutSet): boolean {
    return !this.#kept.has(set) && !this.#mayTakeFrom(set);
  }

  #mayTakeFrom(set: RolloutSet): boolean {
    if (this.#kept.has(set) || (this.#takesFrom !== undefined && this.#takesFrom !== set)) return false;
    return ![...this.#taking].some((other) => other !== set);
  }

  /** How many available Machines are too many. */
  get #spare(): number {
    return Math.max(0, this.available - leastAvailable(this.#rollout));
  }
}

/**
 * The targets, each with as many Machines as are there and as the set misses, as far as there is room; the first sets come first. While
 * more are there than may be in all, those included that are being deleted, none that goes is replaced.
 */
export function withinRoom(rollout: Rollout, targets: Targets, sets: readonly RolloutSet[]): Map<RolloutSet, Target> {
  let room = mostMachines(rollout) - sum(rollout.sets, ({ existing }) => existing) - rollout.strays;
  return new Map(
    sets.map((set) => {
      const more = Math.min(Math.max(0, targets.of(set) - set.active), room);
      room -= Math.max(0, more);
      return [set, { replicas: targets.of(set), maxMachines: Math.max(0, set.existing + more) }];
    }),
  );
}
