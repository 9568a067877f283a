import type { Greeting, GreetingStatus } from '../../k8s/model/greeting.ts';
import type { ObjectTarget } from '../object-target.ts';
import type { EntitySettings } from '../settings.ts';

/** The port between a Greeting's workflow and the outside. */
export interface GreetingActivities {
  lookAtGreeting(target: ObjectTarget): Promise<GreetingSighting>;
  writeGreetingStatus(request: ObjectTarget & { readonly status: GreetingStatus }): Promise<void>;
}

export type GreetingSighting = { readonly found: false } | FoundGreeting;

export interface FoundGreeting extends Omit<Greeting, 'ref'> {
  readonly found: true;
  /** As stored. */
  readonly status: Partial<GreetingStatus>;
  readonly settings: EntitySettings;
}
