import type { EventReason } from '../k8s/model/reasons/reasons.ts';
import type { ObjectTarget } from './object-target.ts';

/** The port through which any workflow says what its object's status cannot. */
export interface EventActivities {
  /** An event beside an object whose status cannot say it. */
  reportEvent(request: ObjectTarget & { readonly event: ObjectEvent }): Promise<void>;
  /** Does nothing; workflows/short-steps.ts says what for. */
  fixTime(): Promise<void>;
  /** Does nothing; workflows/short-steps.ts says what for. */
  putOnRecord(): Promise<void>;
}

/** An event to show beside the object. */
export interface ObjectEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: EventReason;
  readonly message: string;
}
