/** The behaviours that are set, and what is left of those that count down. */

import { CloudError, isFrontDoorCode, isRefusal, NoAnswer } from './cloud-error.ts';
import { DEFAULT_BEHAVIOUR } from './behaviour.ts';
import type { Behaviour, Failure } from './behaviour.ts';
import { levelOf, type Level } from './request-limits.ts';
import { given } from '../../../providers/given.ts';

/** Key of the behaviour that all types fall back to. */
export const EVERY_TYPE = '*';

export class Behaviours {
  readonly #set = new Map<string, Behaviour>();
  readonly #effective = new Map<string, Required<Behaviour>>();
  readonly #levels = new Map<string, Level>();
  /** Calls that met a throttling of one in so many. */
  readonly #met = new Map<string, number>();
  readonly #onChange: (instanceType: string, behaviour: Behaviour) => void;
  readonly #defaults: Required<Behaviour>;

  /**
   * @param onChange called with each change that has to outlive a restart, the counting down included
   * @param defaults where this cloud differs from {@link DEFAULT_BEHAVIOUR}
   */
  constructor(onChange: (instanceType: string, behaviour: Behaviour) => void, defaults: Behaviour = {}) {
    this.#onChange = onChange;
    this.#defaults = { ...DEFAULT_BEHAVIOUR, ...defaults };
  }

  /** Takes back what an earlier process had, without telling `onChange`. */
  restore(instanceType: string, behaviour: Behaviour): void {
    this.#set.set(instanceType, behaviour);
    this.#effective.clear();
  }

  /** Replaces the behaviour of a type; `{}` returns it to what `*` says. */
  replace(instanceType: string, behaviour: Behaviour): void {
    for (const failure of behaviour.failures ?? []) checkFailure(failure);
    this.#levels.delete(instanceType);
    this.#met.delete(instanceType);
    this.restore(instanceType, behaviour);
    this.#onChange(instanceType, behaviour);
  }

  /** What is set for this type alone, with what is left of its counts. */
  get(instanceType: string): Behaviour {
    return this.#set.get(instanceType) ?? {};
  }

  /** What counts for this type: its own fields, then those of `*`, then the defaults. */
  effective(instanceType: string): Required<Behaviour> {
    let behaviour = this.#effective.get(instanceType);
    if (behaviour === undefined) {
      behaviour = { ...this.#defaults, ...this.get(EVERY_TYPE), ...this.get(instanceType) };
      this.#effective.set(instanceType, behaviour);
    }
    return behaviour;
  }

  /** Throws RequestLimitExceeded where this call is one too many. */
  throttle(action: string, instanceType: string, now: number): void {
    const { throttling } = this.effective(instanceType);
    if (throttling === null || !(throttling.actions ?? [action]).includes(action)) return;
    const owner = this.#ownerOf('throttling', instanceType);
    const refuse = (): never => {
      const { retryAfterMs } = throttling;
      const details = given({ retryAfterMs });
      throw new CloudError('RequestLimitExceeded', `Request limit exceeded for ${action}.`, details);
    };
    if (throttling.next !== undefined && throttling.next > 0) {
      this.#countDown(owner, { ...this.get(owner), throttling: { ...throttling, next: throttling.next - 1 } });
      refuse();
    }
    if (throttling.oneIn !== undefined) {
      const met = (this.#met.get(owner) ?? 0) + 1;
      this.#met.set(owner, met);
      if (met % throttling.oneIn === 0) refuse();
    }
    if (throttling.perSecond === undefined) return;
    const bucket = { burst: Math.max(1, throttling.perSecond), perSecond: throttling.perSecond };
    const level = levelOf(this.#levels, owner, bucket, now);
    if (level.tokens < 1) refuse();
    level.tokens -= 1;
  }

  /** The failure that this call has to suffer, counted down; undefined: none. */
  takeFailure(action: string, instanceType: string): InjectedFailure | undefined {
    const { failures } = this.effective(instanceType);
    const index = failures.findIndex((f) => (f.action === action || f.action === '*') && f.times !== 0);
    const failure = failures[index];
    if (failure === undefined) return undefined;
    if (failure.times !== undefined) {
      const owner = this.#ownerOf('failures', instanceType);
      const left = failures.map((f, i) => (i === index ? { ...f, times: (f.times ?? 1) - 1 } : f));
      this.#countDown(owner, { ...this.get(owner), failures: left });
    }
    return describeFailure(action, failure);
  }

  #ownerOf(field: keyof Behaviour, instanceType: string): string {
    return this.get(instanceType)[field] === undefined ? EVERY_TYPE : instanceType;
  }

  #countDown(instanceType: string, behaviour: Behaviour): void {
    this.restore(instanceType, behaviour);
    this.#onChange(instanceType, behaviour);
  }
}

export interface InjectedFailure {
  readonly when: 'before' | 'after';
  /** Refused before the part that knows client tokens saw the call. */
  readonly atFrontDoor: boolean;
  readonly error: CloudError | NoAnswer;
}

function describeFailure(action: string, failure: Failure): InjectedFailure {
  const { when = 'before', answer = 'error', code = 'InternalError', status } = failure;
  if (answer !== 'error') return { when, atFrontDoor: when === 'before', error: new NoAnswer(answer) };
  const message = failure.message ?? `${action} failed because a failure is set for it.`;
  const error = new CloudError(code, message, given({ status }));
  return { when, atFrontDoor: when === 'before' && isFrontDoorCode(code), error };
}

function checkFailure(failure: Failure): void {
  if (failure.when === 'after' && (failure.answer ?? 'error') === 'error' && isRefusal(failure.code ?? '')) {
    throw new CloudError(
      'InvalidParameterValue',
      `A failure after the effect cannot answer ${failure.code}: that code says that nothing was made.`,
      { field: 'failures' },
    );
  }
}
