/**
 * Every reason that Millwright gives, in waits, conditions, failures, events and `millwright tree`: what it means, what a person can do, and
 * whether it is trouble. Types, `explain`, the details in the Temporal UI and docs/reference/reasons.md come from here.
 *
 * To add a reason, write its row in the file of this folder that fits and run `npm run generate`, which writes the page.
 * Where code gives a reason that has no row, it does not compile. A new code of a cloud needs no row: it is told by its class.
 */
import type { ProviderErrorCode, RetryClass } from '../../../providers/provider-error.ts';
import { CLASSES, CLOUD_CODES } from './cloud-codes.ts';
import { FINDINGS, NOTHING } from './findings.ts';
import type { ReasonRow } from './reason-row.ts';
import { WAITS } from './waits.ts';

export const REASONS = { ...WAITS, ...CLOUD_CODES, ...FINDINGS };

type Rows = typeof REASONS;
/** The reasons whose rows have a field. */
type Having<Field extends keyof ReasonRow> = {
  [Name in keyof Rows]: Rows[Name] extends Readonly<Record<Field, unknown>> ? Name : never;
}[keyof Rows];

export type Reason = keyof Rows;
/** What a machine may wait for. */
export type WaitReason = Having<'waitsFor'>;
/** What a condition may tell. */
export type ConditionReason = Having<'conditions'>;
/** Why a machine or a set may have failed: what the Machine API knows. */
export type FailureReason = Having<'isFailure'>;
/** What an event may tell. */
export type EventReason = Having<'isEvent'>;

/** What a try may have failed with: a code that every provider speaks, or what the Kubernetes API did not do. */
export type FailureCode = ProviderErrorCode | Extract<Reason, 'KubernetesUnavailable' | 'KubernetesRefused'>;

/** A failure of a cloud as a reason. Its code may be the cloud's own, which no table lists: so its class goes along. */
export interface FailureCause {
  readonly reason: string;
  readonly retryClass: RetryClass;
}

/** How our code gives a reason: one of the table's, or a failure's code with its class. */
export type Cause<Listed extends Reason> = { readonly reason: Listed; readonly retryClass?: RetryClass } | FailureCause;

/** A reason as it is stored, by whoever wrote it. */
export interface StoredReason {
  readonly reason: string;
  readonly retryClass?: RetryClass | undefined;
}

/** The reason that a failure gives: the cloud's own word for it, where it has one. */
export function causeOf(failure: {
  readonly code: FailureCode;
  readonly cloudCode?: string;
  readonly retryClass: RetryClass;
}): FailureCause {
  return { reason: failure.cloudCode ?? failure.code, retryClass: failure.retryClass };
}

/** Undefined: it is not listed, being a cloud's own code or another controller's word. */
export function rowOf(reason: string): ReasonRow | undefined {
  return isListed(reason) ? REASONS[reason] : undefined;
}

export function isEventReason(reason: string): reason is EventReason {
  return rowOf(reason)?.isEvent === true;
}

/** A Machine that failed for this found no room in the cloud: the word of a provider, or of the Machine API. */
export function isForLackOfRoom(reason: string | undefined): boolean {
  if (reason === undefined) return false;
  return reason === ('InsufficientResources' satisfies Reason) || rowOf(reason)?.retryClass === 'exhausted';
}

/** What a machine waits for, to complete "Waiting for …"; undefined: nothing is known of the reason but its name. */
export function waitsForOf({ reason, retryClass }: StoredReason): string | undefined {
  return rowOf(reason)?.waitsFor ?? (retryClass === undefined ? undefined : CLASSES[retryClass].waitsFor);
}

/** Where there is no trouble. */
export const NOTHING_TO_DO = 'Nothing: it goes on by itself.';

/** What a person can do about it. */
export function toDoAbout({ reason, retryClass }: StoredReason): string {
  const row = rowOf(reason);
  const known = retryClass ?? row?.retryClass;
  return row?.toDo ?? (known === undefined ? 'Read what is said of it, and mend what is named.' : CLASSES[known].toDo);
}

/** What a person can do about all of these: each advice once. */
export function adviceOn(reasons: readonly Reason[]): string {
  const advice = new Set(reasons.map((reason) => toDoAbout({ reason })).filter((words) => words !== NOTHING));
  return advice.size === 0 ? NOTHING_TO_DO : [...advice].join(' ');
}

function isListed(reason: string): reason is Reason {
  return Object.hasOwn(REASONS, reason);
}
