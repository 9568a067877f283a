import type { ObjectTarget } from '../object-target.ts';

/** What the life of a machine of a control plane asks, beside that of any. */
export interface ControlPlaneActivities {
  /**
   * Takes the one turn of the Machine's control plane, if nobody else has it and enough of the other Nodes are Ready. It is the
   * Machine's until it is gone, lives on and is not to be emptied any more, or is refused; one that is drained already goes next then.
   * Safe to repeat.
   */
  takeTurn(request: TakeTurn): Promise<TurnAnswer>;
}

export interface TakeTurn extends ObjectTarget {
  /** Name of its Node, which its status need not tell yet. @default it has none */
  readonly node?: string;
  /** Its Node is being emptied, in a turn that it took. @default it begins */
  readonly isBegun?: true;
}

export type TurnAnswer =
  | { readonly outcome: 'taken' }
  /** Another has it, or too few of the others are Ready. */
  | { readonly outcome: 'refused'; readonly message: string }
  /** The API server could not do it now. */
  | { readonly outcome: 'failed'; readonly message: string };
