/** Launches, with client tokens as EC2 has them: one instance for each token and zone. */

import { delay, type Clock } from '../../../providers/clock.ts';
import type { Behaviours } from './behaviours.ts';
import type { BoundToken, ClientTokens } from './client-tokens.ts';
import { CloudError } from './cloud-error.ts';
import type { CloudInstance } from './cloud-instance.ts';
import type { CallFacts } from './front-door.ts';
import type { Instances } from './instances.ts';

/** What a launch asks for, as far as the engine looks at it. */
export interface Launch {
  readonly instanceType: string;
  /** Undefined: none, the call is like no other. */
  readonly token: string | undefined;
  /** Where the token counts. */
  readonly zone: string;
  /** All that the token belongs to. */
  readonly parameters: unknown;
}

export interface LaunchesOptions {
  readonly clock: Clock;
  readonly behaviours: Behaviours;
  readonly instances: Instances;
  readonly tokens: ClientTokens;
}

export class Launches {
  readonly #options: LaunchesOptions;

  constructor(options: LaunchesOptions) {
    this.#options = options;
  }

  /**
   * Makes an instance, or finds the one that this token has made in this zone.
   * @param facts learn of the instance, whatever the answer will be
   * @param failBefore called where a failure "before the effect" belongs: the token is bound by then
   * @param make the effect
   */
  async launch(
    { instanceType, token, zone, parameters }: Launch,
    facts: CallFacts,
    failBefore: () => void,
    make: () => Promise<CloudInstance>,
  ): Promise<CloudInstance> {
    const { instances, tokens } = this.#options;
    const bound = token === undefined ? undefined : tokens.bind(zone, token, parameters);
    failBefore();
    const makeLate = () => this.#make(instanceType, make);
    const id = bound === undefined ? (await makeLate()).id : await onlyInstanceOf(bound, makeLate);
    facts.instance = id;
    const instance = instances.get(id);
    // Of one that is only not shown, a token knows that it was made: it may be there again.
    if (instance === undefined || instances.stateOf(instance) === 'terminated') {
      throw new CloudError(
        'IdempotentInstanceTerminated',
        `The instance of client token "${token ?? ''}" in ${zone}, ${id}, has been terminated.`,
      );
    }
    return instance;
  }

  /** The effect comes after the latency: a client that gave up waiting finds the instance later. */
  async #make(instanceType: string, make: () => Promise<CloudInstance>): Promise<CloudInstance> {
    const { behaviours, clock, instances } = this.#options;
    const { launchLatencyMs } = behaviours.effective(instanceType);
    if (launchLatencyMs > 0) await delay(clock, launchLatencyMs);
    instances.checkRoom(instanceType);
    return make();
  }
}

/** Made by the first call of the token, for which the others wait. */
async function onlyInstanceOf(bound: BoundToken, make: () => Promise<CloudInstance>): Promise<string> {
  if (bound.instanceId === undefined) {
    bound.launching ??= make().finally(() => delete bound.launching);
    bound.instanceId = (await bound.launching).id;
  }
  return bound.instanceId;
}
