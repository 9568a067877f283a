import type { HandOperation } from '../../../devstack/doubles/cloud/by-hand.ts';

/** An instance that a step is about: the n-th that was made in this play, counted round, an id that no instance has, or what is no id. */
export type InstanceReference = number | 'unknown' | 'malformed';

/** What is asked of a provider, or done to its cloud; the same for each cloud. Machines go by their numbers. */
export type Step =
  | {
      readonly do: 'launch';
      readonly machine: number;
      readonly attempt: number;
      readonly type: 'small' | 'big';
      readonly zone: 'a' | 'b';
      /** Value of a tag: launches with others are not the same. */
      readonly tag: number;
      /** What went out of the catalog after the launch was resolved. */
      readonly gone?: 'type' | 'image';
    }
  | { readonly do: 'resolve'; readonly zone: 'a' | 'b' | 'nowhere' }
  | { readonly do: 'find'; readonly machine: number; readonly attempt?: number }
  | { readonly do: 'find many'; readonly machines: readonly number[]; readonly attempt: number }
  | { readonly do: 'describe'; readonly instances: readonly InstanceReference[] }
  | { readonly do: 'terminate'; readonly instance: InstanceReference }
  | { readonly do: 'claim'; readonly instance: InstanceReference; readonly machine: number }
  | { readonly do: 'list' }
  | { readonly do: 'by hand'; readonly operation: HandOperation; readonly instance: InstanceReference }
  | {
      readonly do: 'fail next';
      readonly action: Action;
      readonly when: 'before' | 'after';
      /** A code, or that the connection is cut. */
      readonly with: string;
    }
  | { readonly do: 'throttle next'; readonly action: Action; readonly retryAfterMs: number }
  | {
      readonly do: 'limit';
      readonly of: 'capacity' | 'quota';
      readonly type: 'small' | 'big';
      readonly to: number | null;
    }
  | { readonly do: 'show late'; readonly afterMs: number }
  | { readonly do: 'go away' }
  | { readonly do: 'come back' }
  | { readonly do: 'pass'; readonly ms: number };

export type Action = 'launch' | 'describe' | 'terminate' | 'tag';
