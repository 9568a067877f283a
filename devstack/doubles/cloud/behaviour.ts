/** How a cloud behaves for an instance type: what `PUT /behaviours/{instanceType}` takes. */

import { ajv, parserOf } from './parser.ts';

export interface Throttling<A extends string = string> {
  /** Which calls. @default all */
  readonly actions?: readonly A[];
  /** Refuse this many calls from now on; counts down. */
  readonly next?: number;
  /** Let through this many calls a second (bursts of as many), refuse the rest. */
  readonly perSecond?: number;
  /** Refuse one call in so many, evenly. */
  readonly oneIn?: number;
  /** Answered as the header `retry-after`, in milliseconds (whole seconds on the wire). @default no header */
  readonly retryAfterMs?: number;
}

export interface Failure<A extends string = string> {
  /** `*`: every call. */
  readonly action: A | '*';
  /** Fail this many calls from now on; counts down. @default every call, until the behaviour is replaced */
  readonly times?: number;
  /**
   * `before`: the call changes nothing. `after`: it does its work (the instance is made, terminated, …) and then fails.
   * @default 'before'
   */
  readonly when?: 'before' | 'after';
  /**
   * `error`: answered with `code`; `reset`: the connection is cut; `hang`: nothing comes until the client gives up.
   * @default 'error'
   */
  readonly answer?: 'error' | 'reset' | 'hang';
  /** @default 'InternalError' */
  readonly code?: string;
  /** HTTP status. @default the code's own */
  readonly status?: number;
  /** @default names the rule */
  readonly message?: string;
}

/**
 * Behaviour of one instance type, in which failures and throttling name actions of `A`. A field that is absent falls back to that of `*`, then to the default. Describes and
 * catalog reads concern no type: they follow `*`. Where a field changes what an instance does later (`terminateMs`,
 * `terminatedVisibleMs`), the value at that time counts; the others count at launch.
 */
export interface Behaviour<A extends string = string> {
  /** From the launch call until the instance is made and the call answers, in ms. @default 100 */
  readonly launchLatencyMs?: number;
  /** From made (or started again) to running, in ms. @default 1000 */
  readonly pendingMs?: number;
  /** From terminate (or stop) to terminated (stopped), in ms. @default 500 */
  readonly terminateMs?: number;
  /** Most instances of this type that are not terminated; null: no limit. @default null */
  readonly capacity?: number | null;
  /** As `capacity`, but the refusal is InstanceLimitExceeded. @default null */
  readonly quota?: number | null;
  /** @default none */
  readonly throttling?: Throttling<A> | null;
  /** The first that matches a call and is not used up applies. @default none */
  readonly failures?: readonly Failure<A>[];
  /** Eventual consistency: no describe shows the instance for this long after it was made, in ms. @default 0 */
  readonly visibleAfterMs?: number;
  /**
   * Set for `*`: describes and what a change looks up are answered by any of so many replicas, which show everything as it was
   * so long ago, in ms: of two looks the second may show less. @default none: everybody sees all as it is
   */
  readonly replicaLagsMs?: readonly number[];
  /** Whether the instance's node registers. @default true */
  readonly joins?: boolean;
  /** Whether the cloud may take the instance back (spot). @default false */
  readonly interruptible?: boolean;
  /** How long describes show an instance after it terminated, in ms. @default 3600000 (1 h) */
  readonly terminatedVisibleMs?: number;
}

export const DEFAULT_BEHAVIOUR: Required<Behaviour> = {
  launchLatencyMs: 100,
  pendingMs: 1_000,
  terminateMs: 500,
  capacity: null,
  quota: null,
  throttling: null,
  failures: [],
  visibleAfterMs: 0,
  replicaLagsMs: [],
  joins: true,
  interruptible: false,
  terminatedVisibleMs: 3_600_000,
};

const milliseconds = { type: 'integer', minimum: 0, maximum: 86_400_000 };
const limit = { type: ['integer', 'null'], minimum: 0 };

/**
 * A check of such a body.
 * @param actions the names there are. @default any name
 */
export function behaviourParser<A extends string = string>(actions?: readonly A[]): (body: unknown) => Behaviour<A> {
  const anyOf = (...more: readonly string[]): object =>
    actions === undefined ? { type: 'string', minLength: 1 } : { enum: [...actions, ...more] };
  return parserOf(
    'behaviour',
    ajv.compile<Behaviour<A>>({
      type: 'object',
      additionalProperties: false,
      properties: {
        launchLatencyMs: milliseconds,
        pendingMs: milliseconds,
        terminateMs: milliseconds,
        capacity: limit,
        quota: limit,
        throttling: {
          type: ['object', 'null'],
          additionalProperties: false,
          properties: {
            actions: { type: 'array', items: anyOf() },
            next: { type: 'integer', minimum: 0 },
            perSecond: { type: 'number', exclusiveMinimum: 0 },
            oneIn: { type: 'integer', minimum: 2 },
            retryAfterMs: milliseconds,
          },
        },
        failures: {
          type: 'array',
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['action'],
            properties: {
              action: anyOf('*'),
              times: { type: 'integer', minimum: 0 },
              when: { enum: ['before', 'after'] },
              answer: { enum: ['error', 'reset', 'hang'] },
              code: { type: 'string', minLength: 1 },
              status: { type: 'integer', minimum: 400, maximum: 599 },
              message: { type: 'string' },
            },
          },
        },
        visibleAfterMs: milliseconds,
        replicaLagsMs: { type: 'array', items: milliseconds, maxItems: 10 },
        joins: { type: 'boolean' },
        interruptible: { type: 'boolean' },
        terminatedVisibleMs: { type: 'integer', minimum: 0 },
      },
    }),
  );
}
