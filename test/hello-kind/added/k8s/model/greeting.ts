import type { Condition } from './condition.ts';
import type { ObjectRef } from './object-ref.ts';
import type { Reading } from './reading.ts';

/** Somebody who is to be greeted. */
export interface Greeting {
  readonly ref: ObjectRef;
  readonly generation: number;
  /** Absent where the spec is malformed. */
  readonly name?: string;
}

export interface GreetingStatus {
  readonly message: string;
  readonly observedGeneration: number;
  readonly conditions: readonly Condition[];
}

/** A stored Greeting. */
export interface GreetingReading extends Reading {
  readonly greeting: Greeting;
  /** As it was written last; empty where nothing was, or it cannot be read. */
  readonly status: Partial<GreetingStatus>;
}
