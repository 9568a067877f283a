import type { EventReason } from '../k8s/model/reasons/reasons.ts';
import type { ObjectTarget } from './object-target.ts';

/** The port through which any workflow says what its object's status cannot. */
export interface EventActivities {
  /** An event beside an object whose status cannot say it. */
  reportEvent(request: ReportEvent): Promise<void>;
  /** Does nothing; workflows/short-steps.ts says what for. */
  fixTime(): Promise<void>;
  /** Does nothing; workflows/short-steps.ts says what for. */
  putOnRecord(): Promise<void>;
}

export interface ReportEvent extends ObjectTarget {
  readonly event: ObjectEvent;
  /** Tells it from others that say the same: with this it is shown once, however often it is reported. @default each is shown */
  readonly which?: string;
}

/** An event to show beside the object. */
export interface ObjectEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: EventReason;
  readonly message: string;
}
