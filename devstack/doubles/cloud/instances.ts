/** The instances of a cloud, and what becomes of them. */

import type { Clock } from '../../../providers/clock.ts';
import type { Behaviour } from './behaviour.ts';
import type { Behaviours } from './behaviours.ts';
import { operateInstance, type HandOperation } from './by-hand.ts';
import { isLive, stateAt, type CloudInstance } from './cloud-instance.ts';
import { Fleet } from './fleet.ts';
import { Replica } from './replica.ts';
import { View } from './view.ts';

/** What a launch settles; the rest is up to the behaviour of the type. */
export type LaunchedInstance = Pick<
  CloudInstance,
  'id' | 'region' | 'zone' | 'instanceType' | 'image' | 'tags' | 'token' | 'addresses'
> &
  Partial<Pick<CloudInstance, 'interruptible'>>;

export class Instances {
  readonly #fleet = new Fleet();
  readonly #behaviours: Behaviours;
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #onChange: (instance: CloudInstance) => void;
  #replicas: readonly Replica[] = [];

  /** @param onChange called with each instance that is new or other than before */
  constructor(behaviours: Behaviours, clock: Clock, onChange: (instance: CloudInstance) => void) {
    this.#behaviours = behaviours;
    this.#now = () => clock.timeOfDay();
    this.#random = () => clock.random();
    this.#onChange = onChange;
  }

  /** Takes back what an earlier process had. */
  restore(instance: CloudInstance): void {
    this.#fleet.put(instance);
  }

  /** Instances ever made. */
  get size(): number {
    return this.#fleet.size;
  }

  get(id: string): CloudInstance | undefined {
    return this.#fleet.get(id);
  }

  all(): Iterable<CloudInstance> {
    return this.#fleet.all();
  }

  /** Those that have not ended, seen or not. */
  live(): CloudInstance[] {
    return [...this.all()].filter((instance) => isLive(instance, this.#now()));
  }

  /** What one read shows: all as it is, or as one of the replicas has it. */
  view(): View {
    const now = this.#now();
    const count = this.#replicas.length;
    const replica = count === 0 ? undefined : this.#replicas[Math.floor(this.#random() * count)];
    const { fleet, now: shown } = replica?.at(now) ?? { fleet: this.#fleet, now };
    return new View(fleet, shown, this.#behaviours, this.#fleet);
  }

  /** Reads are answered by replicas from now on, each this far behind; none: by nobody who is behind. */
  replicate(lagsMs: readonly number[]): void {
    this.#replicas = lagsMs.map((lagMs) => new Replica(lagMs, this.all(), this.#now()));
  }

  stateOf(instance: CloudInstance): CloudInstance['state'] {
    return stateAt(instance, this.#now());
  }

  /** Throws where one more of the type is one too many. */
  checkRoom(instanceType: string): void {
    this.#fleet.checkRoom(instanceType, this.#behaviours.effective(instanceType), this.#now());
  }

  add(launched: LaunchedInstance): CloudInstance {
    const behaviour = this.#behaviours.effective(launched.instanceType);
    const now = this.#now();
    return this.#put({
      ...launched,
      interruptible: launched.interruptible === true || behaviour.interruptible,
      launchedAt: now,
      visibleAt: now + behaviour.visibleAfterMs,
      joins: behaviour.joins,
      state: 'pending',
      givesWayAt: now + behaviour.pendingMs,
      vanishedAt: null,
    });
  }

  /** Throws IncorrectInstanceState where the operation does not fit the state. */
  operate(operation: HandOperation, instance: CloudInstance): CloudInstance {
    const changed = operateInstance(operation, instance, this.#of(instance), this.#now());
    return changed === instance ? instance : this.#put(changed);
  }

  setJoins(instance: CloudInstance, joins: boolean): CloudInstance {
    return this.#put({ ...instance, joins });
  }

  /** Adds tags, and replaces those of the same keys. */
  addTags(instance: CloudInstance, tags: CloudInstance['tags']): CloudInstance {
    return this.#put({ ...instance, tags: { ...instance.tags, ...tags } });
  }

  #put(instance: CloudInstance): CloudInstance {
    this.#fleet.put(instance);
    for (const replica of this.#replicas) replica.put(instance, this.#now());
    this.#onChange(instance);
    return instance;
  }

  #of(instance: CloudInstance): Required<Behaviour> {
    return this.#behaviours.effective(instance.instanceType);
  }
}
