/** What is done to an instance, also without anybody having called the API: somebody stopped it, the cloud lost it. */

import type { InstanceState } from '../../../providers/provider.ts';
import { CloudError } from './cloud-error.ts';
import { stateAt } from './cloud-instance.ts';
import type { CloudInstance } from './cloud-instance.ts';
import type { Behaviour } from './behaviour.ts';
import { ajv, parserOf } from './parser.ts';

/**
 * `terminate`, once more is the same as once; `stop`, `start` and `reboot` as in a console; `take-back`: the cloud ends it, as it
 * may with an interruptible one, and with one that is pending, for which it has no room after all; `vanish`: gone from every
 * describe without a terminate, and no longer counted as capacity in use; `reappear`: undoes that.
 */
const HAND_OPERATIONS = ['terminate', 'stop', 'start', 'reboot', 'take-back', 'vanish', 'reappear'] as const;
export type HandOperation = (typeof HAND_OPERATIONS)[number];

export function isHandOperation(operation: string): operation is HandOperation {
  return HAND_OPERATIONS.some((known) => known === operation);
}

/** The instance as the operation leaves it; throws IncorrectInstanceState where it does not fit its state. */
export function operateInstance(
  operation: HandOperation,
  instance: CloudInstance,
  behaviour: Required<Pick<Behaviour, 'terminateMs' | 'pendingMs'>>,
  now: number,
): CloudInstance {
  const state = stateAt(instance, now);
  const hasVanished = instance.vanishedAt !== null;
  const requireThat = (fits: boolean): void => {
    if (fits) return;
    const what = hasVanished ? `vanished (${state})` : state;
    throw new CloudError('IncorrectInstanceState', `Cannot ${operation} ${instance.id}: it is ${what}.`);
  };
  const isOneOf = (...states: InstanceState[]): boolean => !hasVanished && states.includes(state);
  switch (operation) {
    case 'terminate':
      if (state === 'shutting-down' || state === 'terminated') return instance;
      return { ...instance, state: 'shutting-down', givesWayAt: now + behaviour.terminateMs };
    case 'take-back':
      requireThat(instance.interruptible ? isOneOf('pending', 'running', 'stopping', 'stopped') : isOneOf('pending'));
      return { ...instance, state: 'shutting-down', givesWayAt: now + behaviour.terminateMs, takenBack: true };
    case 'stop':
      requireThat(isOneOf('pending', 'running'));
      return { ...instance, state: 'stopping', givesWayAt: now + behaviour.terminateMs };
    case 'start':
      requireThat(isOneOf('stopped'));
      return { ...instance, state: 'pending', givesWayAt: now + behaviour.pendingMs };
    case 'reboot':
      requireThat(isOneOf('pending', 'running'));
      return { ...instance, reboots: (instance.reboots ?? 0) + 1 };
    case 'vanish':
      requireThat(!hasVanished && state !== 'terminated');
      return { ...instance, vanishedAt: now };
    case 'reappear':
      requireThat(hasVanished);
      return { ...instance, vanishedAt: null };
  }
  return operation satisfies never;
}

/** `POST /instances/{id}/joins` */
export interface JoinsCall {
  readonly joins: boolean;
}

export const parseJoins = parserOf(
  'joins',
  ajv.compile<JoinsCall>({
    type: 'object',
    required: ['joins'],
    additionalProperties: false,
    properties: { joins: { type: 'boolean' } },
  }),
);
