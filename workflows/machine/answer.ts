import type { Cause, FailureReason, WaitReason } from '../../k8s/model/reasons/reasons.ts';
import type { WaitStep } from '../../k8s/model/reasons/steps.ts';
import type { Pass } from './pass.ts';

/** One step of a machine's life: looks at the pass, does its part where that is due, and answers what comes of it. It knows no other phase. */
export type Phase = (pass: Pass) => Answer | Promise<Answer>;

/** What a machine waits for, as `status.waiting` says it. Plain JSON. */
export type Wait = Cause<WaitReason> & {
  readonly step: WaitStep;
  readonly message: string;
  /** When it is tried again, in milliseconds since the epoch. @default only when something changes */
  readonly until?: number;
  /** Since when, RFC 3339. @default since step and reason are these */
  readonly since?: string;
  /** The cloud failed: the message is its answer. A call that waits for its turn under the cloud's limits has not failed. */
  readonly cloudFails?: true;
};

export type Answer =
  /** Nothing is to be waited for here. `until`: there is to be another look then all the same. */
  | { readonly outcome: 'done'; readonly until?: number; readonly why?: string }
  /**
   * `meanwhile`: the phases after this one need not wait for it. `untold`: it is most likely over in a moment, and the next pass comes to
   * all of this anew: nothing is written. `lookAt`: there is to be another look then, whatever is waited for. `wished`:
   * it holds up what a person asked for, and is told before all other waits.
   */
  | {
      readonly outcome: 'wait';
      readonly wait: Wait;
      readonly meanwhile?: true;
      readonly untold?: true;
      readonly lookAt?: number;
      readonly wished?: true;
    }
  /** The end of the road: only a deletion acts on the machine from here on. */
  | { readonly outcome: 'failed'; readonly reason: FailureReason; readonly message: string }
  /** No later phase has anything to do, and there is nothing to say that was not said. */
  | { readonly outcome: 'idle'; readonly why: string; readonly until?: number }
  /** What was seen is not true any more: the machine is looked at anew, at once. */
  | { readonly outcome: 'again' }
  /** The object is gone, step by step. */
  | { readonly outcome: 'end' };

export const DONE: Answer = { outcome: 'done' };
export const AGAIN: Answer = { outcome: 'again' };

export function waitFor(wait: Wait): Answer {
  return { outcome: 'wait', wait };
}

/** The same, while the phases that follow go on. */
export function waitMeanwhile(wait: Wait): Answer {
  return { outcome: 'wait', wait, meanwhile: true };
}
