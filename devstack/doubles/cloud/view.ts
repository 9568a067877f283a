/** The instances as a read shows them: as they are, or as a replica that is behind has them. */

import type { Behaviours } from './behaviours.ts';
import { CloudError } from './cloud-error.ts';
import { isVisible, stateAt } from './cloud-instance.ts';
import type { CloudInstance } from './cloud-instance.ts';
import type { DescribeCall, Fleet } from './fleet.ts';

export class View {
  /** The moment that it shows, in milliseconds since 1970. */
  readonly now: number;
  readonly #fleet: Fleet;
  readonly #present: Fleet;
  readonly #behaviours: Behaviours;

  /** @param present the instances as they are: what vanished nobody shows from then on, what is back everybody. @default the same */
  constructor(fleet: Fleet, now: number, behaviours: Behaviours, present = fleet) {
    this.#fleet = fleet;
    this.#present = present;
    this.now = now;
    this.#behaviours = behaviours;
  }

  get(id: string): CloudInstance | undefined {
    return this.#fleet.get(id);
  }

  all(): Iterable<CloudInstance> {
    return this.#fleet.all();
  }

  /** Those that a describe shows. */
  find(call: DescribeCall): CloudInstance[] {
    const states = call.filters?.states;
    return this.#fleet
      .find(call)
      .filter((instance) => this.isVisible(instance) && (states?.includes(this.stateOf(instance)) ?? true));
  }

  /** Throws InvalidInstanceID.NotFound where one of these ids is not shown. */
  require(ids: readonly string[]): void {
    const unknown = ids.filter((id) => !this.isVisible(this.get(id)));
    if (unknown.length > 0) throw unknownInstances(unknown);
  }

  stateOf(instance: CloudInstance): CloudInstance['state'] {
    return stateAt(instance, this.now);
  }

  isVisible(instance: CloudInstance | undefined): instance is CloudInstance {
    if (instance === undefined) return false;
    const { vanishedAt } = this.#present.get(instance.id) ?? instance;
    const shown = vanishedAt === instance.vanishedAt ? instance : { ...instance, vanishedAt };
    return isVisible(shown, this.now, this.#behaviours.effective(instance.instanceType).terminatedVisibleMs);
  }
}

export function unknownInstances(ids: readonly string[]): CloudError {
  const message =
    ids.length === 1
      ? `The instance ID '${ids.join()}' does not exist`
      : `The instance IDs '${ids.join(', ')}' do not exist`;
  return new CloudError('InvalidInstanceID.NotFound', message);
}
