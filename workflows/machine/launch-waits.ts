import { CLOUD_NOT_ANSWERING } from '../../providers/provider.ts';
import { awaitTurn } from './await-turn.ts';
import { isOutcomeUnknown, type CloudFailure, type LaunchRecord } from './launch-record.ts';
import type { Life, Next } from './life.ts';
import { backoffMs, type BackoffClass } from './settings.ts';

/** Name of the step in what a machine says it waits for. */
export const LAUNCH_STEP = 'Launch';

/** The next try of an attempt is not due yet; says what came of the last. */
export function waitForNextTry(life: Life, attempt: LaunchRecord, until: number): Next {
  const { awaitsTurn, lastError: error } = attempt;
  if (awaitsTurn !== undefined) {
    const { reason, message } = awaitsTurn;
    // That the limits have no room for it yet is as it should be; that a cloud hangs is not.
    if (reason === CLOUD_NOT_ANSWERING) explainCreation(life, reason, message);
    life.wait(LAUNCH_STEP, reason, message, until);
    return { at: until, why: message };
  }
  const settling = isOutcomeUnknown(attempt)
    ? (attempt.settleOnly ?? (attempt.refused ? 'an earlier call was never answered' : undefined))
    : undefined;
  const message =
    settling === undefined
      ? (error?.message ?? 'the next try is due')
      : `${error?.message ?? ''}; the attempt is settled by look-ups only, because ${settling}`;
  explainFailure(life, error, message);
  life.wait(LAUNCH_STEP, error?.cloudCode ?? error?.code ?? 'Settling', message, until);
  return { at: until, why: message };
}

/**
 * Nothing was called: what is missing or failed is tried again later, under the same attempt.
 * @param earliestMs nothing is tried before this has passed, in milliseconds
 */
export function retryLater(
  life: Life,
  retryClass: BackoffClass | 'invalid',
  reason: string,
  message: string,
  earliestMs = 0,
): Next {
  const { memory } = life;
  memory.failures += 1;
  const patience = retryClass === 'invalid' ? 'denied' : retryClass;
  const at = life.nowMs + Math.max(earliestMs, backoffMs(life.settings, patience, memory.failures, Math.random()));
  memory.waitUntil = at;
  explainCreation(life, reason, message);
  life.wait(LAUNCH_STEP, reason, message, at);
  return { at, why: message };
}

/** The same after a failure of the cloud; one that never left the worker only waits for its turn. */
export function retryFailed(life: Life, failure: CloudFailure): Next {
  if (failure.notSent === true) return awaitTurn(life, LAUNCH_STEP, failure);
  const { retryClass, cloudCode, code, message, retryAfterMs } = failure;
  return retryLater(life, retryClass, cloudCode ?? code, message, retryAfterMs);
}

/**
 * Remembers a spec that is wrong. What is wrong outside of it, an image that comes later say, is looked at again, as seldom
 * as a missing permission.
 *
 * @param failures how often it was so in a row, from 1
 */
export function noteInvalidSpec(
  life: Life,
  hash: string,
  message: string,
  outsideSpec: boolean | undefined,
  failures: number,
): { readonly retryAt?: number } {
  const retryAt = life.nowMs + backoffMs(life.settings, 'denied', failures, Math.random());
  const invalidSpec = { hash, message, ...(outsideSpec === true ? { retryAt } : {}) };
  life.memory.invalidSpec = invalidSpec;
  return invalidSpec;
}

/** Nothing but a change helps: without a time to try again no timer, no call. */
export function refuseSpec(life: Life, message: string, retryAt: number | undefined): Next {
  explainCreation(life, 'InvalidConfiguration', message);
  const help = retryAt === undefined ? 'when the spec is changed' : 'when the spec, or what it names, is changed';
  life.wait(LAUNCH_STEP, 'InvalidConfiguration', `${message}. It goes on ${help}.`, retryAt);
  return { why: message, ...(retryAt === undefined ? {} : { at: retryAt }) };
}

function explainFailure(life: Life, failure: CloudFailure | undefined, message: string): void {
  if (failure !== undefined) explainCreation(life, failure.cloudCode ?? failure.code, message);
}

function explainCreation(life: Life, reason: string, message: string): void {
  const known = life.status.conditions.find((c) => c.type === 'MachineCreation');
  if (known?.reason !== reason) life.event = { type: 'Warning', reason: 'FailedCreate', message };
  life.setCondition({ type: 'MachineCreation', status: 'False', reason, message });
}

/** The message, with the field it is about in front. */
export function withField(field: string | undefined, message: string): string {
  return field === undefined || message.startsWith(field) ? message : `${field}: ${message}`;
}
