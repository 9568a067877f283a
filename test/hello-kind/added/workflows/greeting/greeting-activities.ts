import type { Greeting, GreetingStatus } from '../../k8s/model/greeting.ts';
import type { ObjectTarget } from '../object-target.ts';
import type { SeenStatus } from '../seen-status.ts';
import type { EntitySettings } from '../settings.ts';

/** The port between a Greeting's workflow and the outside. */
export interface GreetingActivities {
  lookAtGreeting(target: ObjectTarget): Promise<GreetingSighting>;
  writeGreetingStatus(request: WriteGreetingStatus): Promise<void>;
}

export type GreetingSighting = { readonly found: false } | FoundGreeting;

export interface FoundGreeting extends Omit<Greeting, 'ref'> {
  readonly found: true;
  /** As stored. */
  readonly status: Partial<GreetingStatus>;
  /** That status, for the write of the next one. */
  readonly seen?: SeenStatus;
  readonly settings: EntitySettings;
}

export interface WriteGreetingStatus extends ObjectTarget {
  readonly status: GreetingStatus;
  /** The look that it follows from. */
  readonly seen?: SeenStatus;
}
