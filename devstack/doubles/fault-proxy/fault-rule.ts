/** Faults that are declared: at which requests, which, how often. */

import type { OutgoingHttpHeaders } from 'node:http';
import { pointFits } from './request-point.ts';
import type { PointSelector, RequestPoint } from './request-point.ts';

export type Fault =
  /** The connection is cut and nothing is sent upstream. */
  | { readonly kind: 'lose-request' }
  /** Upstream does its work; then the connection is cut. */
  | { readonly kind: 'lose-answer' }
  /** Sent upstream twice, one after the other; the client gets the second answer. */
  | { readonly kind: 'repeat' }
  /** Sent upstream this many ms late. */
  | { readonly kind: 'delay-request'; readonly ms: number }
  /** Passed on this many ms late. */
  | { readonly kind: 'delay-answer'; readonly ms: number }
  /** Answered by the proxy; nothing is sent upstream. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      /** Sent as JSON. @default {} */
      readonly body?: unknown;
      readonly headers?: OutgoingHttpHeaders;
    };

export interface FaultRule {
  readonly match: PointSelector;
  readonly fault: Fault;
  /** How many requests it hits. @default all that match */
  readonly times?: number;
}

/** A rule in force. */
export interface AddedRule {
  /** How many requests it has hit. */
  readonly hits: number;
  /** Takes it back. */
  remove(): void;
}

/** The rules in force. All that match a point apply to it. */
export class FaultRules {
  readonly #active = new Set<{ readonly rule: FaultRule; hits: number }>();

  add(rule: FaultRule): AddedRule {
    const active = { rule, hits: 0 };
    this.#active.add(active);
    return {
      get hits() {
        return active.hits;
      },
      remove: () => {
        this.#active.delete(active);
      },
    };
  }

  /** The faults that this request suffers, counted. */
  take(point: RequestPoint): readonly Fault[] {
    const hit = [...this.#active].filter(
      ({ rule, hits }) => hits < (rule.times ?? Number.POSITIVE_INFINITY) && pointFits(rule.match, point),
    );
    for (const active of hit) active.hits += 1;
    return hit.map(({ rule }) => rule.fault);
  }
}
