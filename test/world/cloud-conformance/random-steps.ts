import type { Random } from '../../simulation/time/random.ts';
import type { Action, InstanceReference, Step } from './step.ts';
import { given } from '../../../providers/given.ts';

const MACHINES = 3;
const ACTIONS: readonly Action[] = ['launch', 'describe', 'terminate', 'tag'];
/** Each makes a step of one kind; one that stands here twice is as likely as two. */
const KINDS: readonly ((random: Random) => Step)[] = [
  launch,
  launch,
  launch,
  launch,
  (random) => ({ do: 'resolve', zone: random.pick(['a', 'b', 'nowhere'] as const) ?? 'a' }),
  find,
  find,
  (random) => ({ do: 'find many', machines: [0, random.below(MACHINES)], attempt: random.below(2) }),
  describe,
  describe,
  (random) => ({ do: 'terminate', instance: reference(random) }),
  (random) => ({ do: 'terminate', instance: reference(random) }),
  (random) => ({ do: 'claim', instance: reference(random), machine: random.below(MACHINES) }),
  () => ({ do: 'list' }),
  (random) => ({
    do: 'by hand',
    operation: random.pick(['terminate', 'stop', 'start', 'vanish', 'reappear'] as const) ?? 'stop',
    instance: random.below(3),
  }),
  failNext,
  failNext,
  (random) => ({ do: 'throttle next', action: action(random), retryAfterMs: random.below(3) * 1000 }),
  (random) => ({
    do: 'limit',
    of: random.pick(['capacity', 'quota'] as const) ?? 'quota',
    type: 'small',
    to: random.pick([0, 1, 2, null]) ?? null,
  }),
  (random) => ({ do: 'show late', afterMs: random.below(3) * 5000 }),
  (random) => ({ do: random.chance(0.3) ? 'go away' : 'come back' }),
  (random) => ({ do: 'pass', ms: random.pick([100, 600, 2000, 10_000, 3_600_000]) ?? 100 }),
  (random) => ({ do: 'pass', ms: random.pick([600, 2000, 10_000]) ?? 600 }),
];

export function randomSteps(random: Random, count: number): readonly Step[] {
  return Array.from({ length: count }, () => (random.pick(KINDS) ?? launch)(random));
}

function launch(random: Random): Step {
  const gone = random.chance(0.15) ? random.pick(['type', 'image'] as const) : undefined;
  return {
    do: 'launch',
    machine: random.below(MACHINES),
    attempt: random.below(2),
    // Where both its image and a limit refuse a launch, either may be told: nothing limits the big ones.
    type: gone !== 'image' && random.chance(0.8) ? 'small' : 'big',
    zone: random.chance(0.8) ? 'a' : 'b',
    tag: random.chance(0.8) ? 0 : 1,
    ...given({ gone }),
  };
}

function find(random: Random): Step {
  return {
    do: 'find',
    machine: random.below(MACHINES),
    ...given({ attempt: random.chance(0.7) ? random.below(2) : undefined }),
  };
}

function describe(random: Random): Step {
  const instances = Array.from({ length: random.below(4) }, () => reference(random));
  return { do: 'describe', instances: random.chance(0.1) ? [...instances, 'malformed'] : instances };
}

function failNext(random: Random): Step {
  const when = random.chance(0.5) ? 'before' : 'after';
  const codes = ['InternalError', 'ServiceUnavailable', 'RequestLimitExceeded', 'AuthFailure', 'UnauthorizedOperation'];
  // What says that nothing was made cannot come after it was.
  const refusals = when === 'before' ? ['InsufficientInstanceCapacity', 'InstanceLimitExceeded'] : [];
  const answer = random.pick(['a cut connection', ...codes, ...refusals]) ?? 'InternalError';
  return { do: 'fail next', action: action(random), when, with: answer };
}

function action(random: Random): Action {
  return random.pick(ACTIONS) ?? 'launch';
}

function reference(random: Random): InstanceReference {
  return random.chance(0.85) ? random.below(3) : 'unknown';
}
