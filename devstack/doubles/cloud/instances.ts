/** The instances of a cloud, and what becomes of them. */

import type { Behaviour } from './behaviour.ts';
import type { Behaviours } from './behaviours.ts';
import { operateInstance, type HandOperation } from './by-hand.ts';
import { CloudError } from './cloud-error.ts';
import { isLive, isVisible, stateAt, type CloudInstance } from './cloud-instance.ts';
import { Fleet, type DescribeCall } from './fleet.ts';

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
  readonly #onChange: (instance: CloudInstance) => void;

  /** @param onChange called with each instance that is new or other than before */
  constructor(behaviours: Behaviours, now: () => number, onChange: (instance: CloudInstance) => void) {
    this.#behaviours = behaviours;
    this.#now = now;
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

  /** Those that a describe shows. */
  find(call: DescribeCall): CloudInstance[] {
    const states = call.filters?.states;
    return this.#fleet
      .find(call)
      .filter((instance) => this.isVisible(instance) && (states?.includes(this.stateOf(instance)) ?? true));
  }

  /** The visible instances with these ids; throws InvalidInstanceID.NotFound where one is not. */
  require(ids: readonly string[]): CloudInstance[] {
    const unknown = ids.filter((id) => !this.isVisible(this.get(id)));
    if (unknown.length > 0) throw unknownInstances(unknown);
    return ids.flatMap((id) => this.get(id) ?? []);
  }

  stateOf(instance: CloudInstance): CloudInstance['state'] {
    return stateAt(instance, this.#now());
  }

  /** Whether describes show it. */
  isVisible(instance: CloudInstance | undefined): instance is CloudInstance {
    return instance !== undefined && isVisible(instance, this.#now(), this.#of(instance).terminatedVisibleMs);
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
      settlesAt: now + behaviour.pendingMs,
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
    this.#onChange(instance);
    return instance;
  }

  #of(instance: CloudInstance): Required<Behaviour> {
    return this.#behaviours.effective(instance.instanceType);
  }
}

export function unknownInstances(ids: readonly string[]): CloudError {
  const message =
    ids.length === 1
      ? `The instance ID '${ids.join()}' does not exist`
      : `The instance IDs '${ids.join(', ')}' do not exist`;
  return new CloudError('InvalidInstanceID.NotFound', message);
}
