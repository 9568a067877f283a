/** The instances that were launched through the front: moto has them too, the front knows how they are. */

import type { Behaviours } from '../behaviours.ts';
import type { Behaviour } from '../behaviour.ts';
import { operateByHand, type HandOperation } from '../by-hand.ts';
import { CloudError } from '../cloud-error.ts';
import { isLive, isVisible, stateAt, type CloudInstance } from '../cloud-instance.ts';
import { Fleet } from '../fleet.ts';
import { readLaunched } from './instance-xml.ts';
import type { XmlElement } from './xml.ts';

/** What a launch was asked, as far as the answer does not repeat it. */
export interface Asked {
  readonly region: string;
  readonly token: string;
  readonly tags: Readonly<Record<string, string>>;
}

export class Instances {
  readonly #fleet = new Fleet();
  /** What moto answered to the launch of each. */
  readonly #reservations = new Map<string, XmlElement>();
  readonly #behaviours: Behaviours;
  readonly #now: () => number;

  constructor(behaviours: Behaviours, now: () => number) {
    this.#behaviours = behaviours;
    this.#now = now;
  }

  get(id: string): CloudInstance | undefined {
    return this.#fleet.get(id);
  }

  all(): Iterable<CloudInstance> {
    return this.#fleet.all();
  }

  reservationOf(id: string): XmlElement | undefined {
    return this.#reservations.get(id);
  }

  /** Throws where one more of the type is one too many. */
  checkRoom(instanceType: string): void {
    this.#fleet.checkRoom(instanceType, this.#behaviours.effective(instanceType), this.#now());
  }

  /** Takes over what moto has launched. */
  add(reservation: XmlElement, { region, token, tags }: Asked): CloudInstance {
    const launched = readLaunched(reservation);
    const behaviour = this.#behaviours.effective(launched.instanceType);
    const now = this.#now();
    const instance: CloudInstance = {
      ...launched,
      interruptible: launched.interruptible || behaviour.interruptible,
      region,
      token,
      tags,
      launchedAt: now,
      visibleAt: now + behaviour.visibleAfterMs,
      joins: behaviour.joins,
      state: 'pending',
      settlesAt: now + behaviour.pendingMs,
      vanishedAt: null,
    };
    this.#fleet.put(instance);
    this.#reservations.set(instance.id, reservation);
    return instance;
  }

  stateOf(instance: CloudInstance): CloudInstance['state'] {
    return stateAt(instance, this.#now());
  }

  isLive(instance: CloudInstance): boolean {
    return isLive(instance, this.#now());
  }

  /** Whether describes show it. */
  isVisible(instance: CloudInstance | undefined): instance is CloudInstance {
    if (instance === undefined) return false;
    return isVisible(instance, this.#now(), this.#of(instance).terminatedVisibleMs);
  }

  /** The visible instances with these ids; throws InvalidInstanceID.NotFound where one is not. */
  require(ids: readonly string[]): CloudInstance[] {
    const unknown = ids.filter((id) => !this.isVisible(this.get(id)));
    if (unknown.length > 0) throw unknownInstances(unknown);
    return ids.flatMap((id) => this.get(id) ?? []);
  }

  /** Once more is the same as once. */
  terminate(instance: CloudInstance): CloudInstance {
    if (['shutting-down', 'terminated'].includes(this.stateOf(instance))) return instance;
    const settlesAt = this.#now() + this.#of(instance).terminateMs;
    return this.#put({ ...instance, state: 'shutting-down', settlesAt });
  }

  /** Throws IncorrectInstanceState where the operation does not fit the state. */
  operate(operation: HandOperation, instance: CloudInstance): CloudInstance {
    return this.#put(operateByHand(operation, instance, this.#of(instance), this.#now()));
  }

  setJoins(instance: CloudInstance, joins: boolean): CloudInstance {
    return this.#put({ ...instance, joins });
  }

  addTags(instance: CloudInstance, tags: Readonly<Record<string, string>>): void {
    this.#put({ ...instance, tags: { ...instance.tags, ...tags } });
  }

  #put(instance: CloudInstance): CloudInstance {
    this.#fleet.put(instance);
    return instance;
  }

  #of(instance: CloudInstance): Required<Behaviour> {
    return this.#behaviours.effective(instance.instanceType);
  }
}

export function unknownInstances(ids: readonly string[]): CloudError {
  const [first = ''] = ids;
  const message =
    ids.length === 1
      ? `The instance ID '${first}' does not exist`
      : `The instance IDs '${ids.join(', ')}' do not exist`;
  return new CloudError('InvalidInstanceID.NotFound', message);
}
