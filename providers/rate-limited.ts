/** Keeps the calls of a process to one cloud within the limits of the accounts that it calls for. */

import type { Clock } from './clock.ts';
import { ProviderError } from './provider-error.ts';
import { limitOf } from './rate-limits.ts';
import type { RateRule } from './rate-limits.ts';
import { TurnQueue } from './turn-queue.ts';
import type { Turn, TurnedAway } from './turn-queue.ts';

export interface RateLimitsOptions {
  /** Name of the cloud's provider. */
  readonly provider: string;
  /** The first that fits an action counts; one that none fits has no limit. */
  readonly rules: readonly RateRule[];
  readonly clock: Clock;
}

export interface LimitedCall {
  /** Who calls: the same text for the same keys, and no secret. */
  readonly credentials: string;
  readonly region: string;
  readonly action: string;
  /** The same for every repeat of the call, which keeps its place by it. @default it keeps none */
  readonly key?: string | undefined;
  /** Longest wait for its turn, in milliseconds. */
  readonly patienceMs: number;
}

/** How calls of one action fare, over all accounts. */
export interface CallRate {
  readonly provider: string;
  readonly action: string;
  /** Calls that wait for their turn. */
  readonly waiting: number;
  /** Calls that were ever turned away. */
  readonly turnedAway: number;
  /** Calls a second that are let through: of the account where these are fewest. */
  readonly perSecond: number;
}

/** The cloud answered a call with "too many"; `cause` is its answer. */
export class ThrottledCall extends Error {
  override readonly name = 'ThrottledCall';
  readonly retryAfterMs: number;

  constructor(answer: unknown, retryAfterMs: number) {
    super('the cloud throttled the call', { cause: answer });
    this.retryAfterMs = retryAfterMs;
  }
}

/** Most queues, and most accounts, that are remembered. */
const MOST_KNOWN = 1_000;

/**
 * A queue for each account, region and action. The account is the one behind the credentials, as soon as an answer of the cloud
 * told it; until then each credentials count as an account.
 */
export class RateLimits {
  readonly #provider: string;
  readonly #rules: readonly RateRule[];
  readonly #clock: Clock;
  readonly #queues = new Map<string, { readonly action: string; readonly queue: TurnQueue }>();
  readonly #accounts = new Map<string, string>();
  readonly #turnedAway = new Map<string, number>();

  constructor({ provider, rules, clock }: RateLimitsOptions) {
    this.#provider = provider;
    // Nothing gets past a rule for all.
    const last = rules.findIndex(({ actions }) => actions === '*');
    this.#rules = last < 0 ? rules : rules.slice(0, last + 1);
    this.#clock = clock;
  }

  /** Nothing is ever held back. */
  get isEmpty(): boolean {
    return this.#rules.every(({ limit }) => limit === 'none');
  }

  /**
   * Gives a call a place, and takes no room for it: it has to be made ready before it asks for its {@link turn}.
   * @throws ProviderError with `notSent` where its turn is too far off for that
   */
  lineUp(call: Omit<LimitedCall, 'patienceMs'> & { readonly key: string }): void {
    const queue = this.#queueOf(call);
    const answer = queue?.lineUp(call.key);
    if (queue !== undefined && answer !== undefined) throw this.#turnedAwayError(queue, call, answer);
  }

  /**
   * Waits for the turn of a call that {@link run} sends soon: what is checked after this is fresh when the call is sent.
   * @throws ProviderError with `notSent` where its turn does not come within its patience
   */
  async turn(call: LimitedCall & { readonly key: string }): Promise<void> {
    const queue = this.#queueOf(call);
    if (queue === undefined) return;
    // It may have one already, for a call that was not sent after all.
    queue.hold(call.key, queue.claim(call.key) ?? (await this.#ask(queue, call)));
  }

  /**
   * Sends a call when its turn has come.
   * @param isThrottling whether an error of `send` says that it was too much
   * @throws ProviderError with `notSent` as {@link turn}; ThrottledCall; and what `send` throws
   */
  async run<T>(call: LimitedCall, send: () => Promise<T>, isThrottling: (error: unknown) => boolean): Promise<T> {
    const queue = this.#queueOf(call);
    if (queue === undefined) return send();
    const turn = queue.claim(call.key) ?? (await this.#ask(queue, call));
    try {
      return await send().finally(() => queue.answered());
    } catch (error) {
      if (!isThrottling(error)) throw error;
      throw new ThrottledCall(error, queue.throttled(turn));
    }
  }

  /** An answer told which account these credentials are of. */
  noteAccount(credentials: string, account: string): void {
    if (this.#accounts.get(credentials) === account) return;
    makeRoom(this.#accounts, () => true);
    this.#accounts.set(credentials, account);
    for (const [name, entry] of this.#queues) {
      const [who, ...rest] = name.split('\n');
      if (who !== unknownAccount(credentials)) continue;
      const known = [account, ...rest].join('\n');
      this.#queues.delete(name);
      if (!this.#queues.has(known)) this.#queues.set(known, entry);
    }
  }

  /** One for each action that was called. */
  rates(): readonly CallRate[] {
    const rates = new Map<string, CallRate>();
    for (const { action, queue } of this.#queues.values()) {
      const known = rates.get(action);
      rates.set(action, {
        provider: this.#provider,
        action,
        waiting: (known?.waiting ?? 0) + queue.waiting,
        turnedAway: this.#turnedAway.get(action) ?? 0,
        perSecond: Math.min(known?.perSecond ?? Infinity, queue.perSecond),
      });
    }
    return [...rates.values()];
  }

  async #ask(queue: TurnQueue, call: LimitedCall): Promise<Turn> {
    const answer = await queue.ask(call.key, call.patienceMs);
    if ('retryAfterMs' in answer) throw this.#turnedAwayError(queue, call, answer);
    return answer;
  }

  #turnedAwayError(
    queue: TurnQueue,
    { action }: Pick<LimitedCall, 'action'>,
    { ahead, retryAfterMs }: TurnedAway,
  ): ProviderError {
    this.#turnedAway.set(action, (this.#turnedAway.get(action) ?? 0) + 1);
    const perSecond = Math.round(queue.perSecond * 100) / 100;
    const message =
      `${action} was not called yet: ${ahead} calls of the account have their turn before it, ` +
      `and ${perSecond} a second are let through`;
    return new ProviderError('Throttled', message, { cloudCode: 'AwaitingTurn', notSent: true, retryAfterMs });
  }

  #queueOf({ credentials, region, action }: Omit<LimitedCall, 'patienceMs'>): TurnQueue | undefined {
    const limit = limitOf(this.#rules, action);
    if (limit === undefined) return undefined;
    const name = [this.#accounts.get(credentials) ?? unknownAccount(credentials), region, action].join('\n');
    const known = this.#queues.get(name);
    if (known !== undefined) return known.queue;
    makeRoom(this.#queues, ({ queue }) => queue.isIdle);
    const queue = new TurnQueue(limit, this.#clock);
    this.#queues.set(name, { action, queue });
    return queue;
  }
}

function unknownAccount(credentials: string): string {
  return `of ${credentials}`;
}

/** Forgets what may be forgotten, or else the oldest, where there are too many. */
function makeRoom<T>(map: Map<string, T>, isForgettable: (value: T) => boolean): void {
  if (map.size < MOST_KNOWN) return;
  const [oldest] = map.keys();
  const forgettable = [...map].find(([, value]) => isForgettable(value))?.[0] ?? oldest;
  if (forgettable !== undefined) map.delete(forgettable);
}
