/** Calls that are carried out late, answered late, or carried out twice: what `PUT /disturbances` takes. */

import { delay, type Clock } from '../../../../providers/clock.ts';
import { ajv, parserOf } from '../parser.ts';
import { wordOf } from './actions.ts';

export interface Disturbance {
  /** The ledger's word or AWS's; `*`: every call. */
  readonly action: string;
  /**
   * `delay-request`: carried out late; `delay-answer`: carried out at once, answered late; `repeat`: carried out twice,
   * one after the other, and answered with what came of the second.
   */
  readonly kind: 'delay-request' | 'delay-answer' | 'repeat';
  /** Length of the delay. @default 1000 */
  readonly ms?: number;
  /** Calls that pass unharmed before. @default 0 */
  readonly skip?: number;
  /** Calls that are hit. @default all */
  readonly times?: number;
}

const count = { type: 'integer', minimum: 0 };

const parse = parserOf(
  'disturbances',
  ajv.compile<{ readonly disturbances: readonly Disturbance[] }>({
    type: 'object',
    required: ['disturbances'],
    additionalProperties: false,
    properties: {
      disturbances: {
        type: 'array',
        items: {
          type: 'object',
          required: ['action', 'kind'],
          additionalProperties: false,
          properties: {
            action: { type: 'string', minLength: 1 },
            kind: { enum: ['delay-request', 'delay-answer', 'repeat'] },
            ms: count,
            skip: count,
            times: count,
          },
        },
      },
    },
  }),
);

const DEFAULT_DELAY_MS = 1_000;

export class Disturbances {
  readonly #clock: Clock;
  #active: { readonly disturbance: Disturbance; calls: number }[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Replaces all; `{"disturbances": []}` ends them. */
  replace(body: unknown): readonly Disturbance[] {
    const { disturbances } = parse(body);
    this.#active = disturbances.map((each) => ({ disturbance: { ...each, action: wordOf(each.action) }, calls: 0 }));
    return disturbances;
  }

  /** Carries a call out, with all that is set for it. */
  async disturb<T>(action: string, run: () => Promise<T>): Promise<T> {
    const hit = this.#take(action);
    const wait = async (kind: Disturbance['kind']): Promise<void> => {
      for (const each of hit) if (each.kind === kind) await delay(this.#clock, each.ms ?? DEFAULT_DELAY_MS);
    };
    await wait('delay-request');
    try {
      // What the first of two answers says, an error too, nobody gets to see.
      if (hit.some(({ kind }) => kind === 'repeat')) await Promise.allSettled([run()]);
      return await run();
    } finally {
      await wait('delay-answer');
    }
  }

  #take(action: string): readonly Disturbance[] {
    const concerned = this.#active.filter(({ disturbance }) => [action, '*'].includes(disturbance.action));
    const hit = concerned.filter(({ disturbance: { skip = 0, times = Number.POSITIVE_INFINITY }, calls }) => {
      return calls >= skip && calls < skip + times;
    });
    for (const each of concerned) each.calls += 1;
    return hit.map(({ disturbance }) => disturbance);
  }
}
