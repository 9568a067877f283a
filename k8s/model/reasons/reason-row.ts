import type { RetryClass } from '../../../providers/provider-error.ts';
import type { ConditionType } from './conditions.ts';

/** What a reason tells: a row of the table in `reasons.ts`. */
export interface ReasonRow {
  /** What has to come for a machine to go on: completes "Waiting for …". Absent: nothing waits for this reason. */
  readonly waitsFor?: string;
  /** What is the case, as a sentence. Absent: `waitsFor` says it. */
  readonly means?: string;
  /** What a person can do, in a sentence or two. Absent: the retry class says it. */
  readonly toDo?: string;
  /** The retry class where the object names none. */
  readonly retryClass?: RetryClass;
  /** True: it counts as an error wherever it is shown. False: it is as it should be, or passes. */
  readonly isTrouble: boolean;
  /** At the time of the next try the wait is given up. @default it is tried again */
  readonly givesUp?: true;
  /** Types of the conditions that give this reason. */
  readonly conditions?: readonly ConditionType[];
  /** The Machine API knows it as the reason of a failure for good. */
  readonly isFailure?: true;
  /** Events give it. */
  readonly isEvent?: true;
  /** `millwright tree` gives it, of several objects together. */
  readonly inTree?: true;
}
