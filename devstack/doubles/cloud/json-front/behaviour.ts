/** How the simulated cloud behaves: {@link Behaviour} with the actions that it has. */

import { behaviourParser, type Behaviour, type Failure } from '../behaviour.ts';

/** The calls of its API that count, throttle and fail. Operations by hand are never disturbed. */
export const ACTIONS = ['launch', 'dryRun', 'describe', 'terminate', 'reboot', 'tag', 'catalog'] as const;
export type Action = (typeof ACTIONS)[number];

export type SimulatedBehaviour = Behaviour<Action>;
export type SimulatedFailure = Failure<Action>;

export const parseBehaviour = behaviourParser(ACTIONS);
