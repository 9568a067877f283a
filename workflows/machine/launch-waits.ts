import { conditionOf } from '../../k8s/model/condition.ts';
import { causeOf, type Cause, type ConditionReason, type WaitReason } from '../../k8s/model/reasons/reasons.ts';
import { CLOUD_NOT_ANSWERING } from '../../providers/provider-error.ts';
import { waitFor, type Answer, type Wait } from './answer.ts';
import { isOutcomeUnknown, type CloudFailure, type LaunchRecord } from './launch-record.ts';
import type { Pass } from './pass.ts';
import { retryMs } from '../retry.ts';
import { failedAgain, missingAgain, waitOf } from './step-retry.ts';
import { given } from '../../providers/given.ts';

/** Name of the step in what a machine says it waits for. */
export const LAUNCH_STEP = 'Launch';

/** The next try of an attempt is not due yet; says what came of the last. */
export function waitForNextTry(pass: Pass, attempt: LaunchRecord, until: number): Answer {
  const { awaitsTurn, lastError: error } = attempt;
  if (awaitsTurn !== undefined) {
    const { reason, message } = awaitsTurn;
    // That the limits have no room for it yet is as it should be; that a cloud hangs is not.
    if (reason === CLOUD_NOT_ANSWERING) explainCreation(pass, { reason }, message);
    return waitFor({ step: LAUNCH_STEP, reason, message, until });
  }
  const settling = isOutcomeUnknown(attempt)
    ? (attempt.settleOnly ?? (attempt.refused ? 'what came of an earlier call is not known' : undefined))
    : undefined;
  const message =
    settling === undefined
      ? (error?.message ?? 'the next try is due')
      : `${error?.message ?? ''}; the attempt is settled by look-ups only, because ${settling}`;
  if (error === undefined) return waitFor({ step: LAUNCH_STEP, reason: 'Settling', message, until });
  const cause = causeOf(error);
  explainCreation(pass, cause, message);
  return waitFor({ step: LAUNCH_STEP, ...cause, message, until });
}

/** Nothing was called, because of this: it is tried again later, under the same attempt. */
export function retryFailed(pass: Pass, failure: CloudFailure): Answer {
  const { launched: slot } = pass.memory;
  slot.retry = failedAgain(pass, LAUNCH_STEP, failure, slot.retry);
  if (failure.notSent !== true) explainCreation(pass, causeOf(failure), failure.message);
  return waitFor(waitOf(slot.retry));
}

/** Nothing was called, because something that the spec refers to is missing. */
export function retryMissing(pass: Pass, reason: WaitReason & ConditionReason, message: string): Answer {
  const { launched: slot } = pass.memory;
  slot.retry = missingAgain(pass, { step: LAUNCH_STEP, reason, message }, slot.retry);
  explainCreation(pass, { reason }, message);
  return waitFor(waitOf(slot.retry));
}

/**
 * Remembers a spec that is wrong. What is wrong outside of it, an image that comes later say, is looked at again, as seldom
 * as a missing permission.
 *
 * @param failures how often it was so in a row, from 1
 */
export function noteInvalidSpec(
  pass: Pass,
  hash: string,
  message: string,
  outsideSpec: boolean | undefined,
  failures: number,
): { readonly retryAt?: number } {
  const retryAt = pass.nowMs + retryMs(pass.settings, { retryClass: 'invalid' }, failures, Math.random());
  const invalidSpec = { hash, message, ...given({ retryAt: outsideSpec === true ? retryAt : undefined }) };
  pass.memory.launched.invalidSpec = invalidSpec;
  return invalidSpec;
}

/** Nothing but a change helps: without a time to try again no timer, no call. */
export function refuseSpec(pass: Pass, problem: string, retryAt: number | undefined): Wait {
  explainCreation(pass, { reason: 'InvalidConfiguration' }, problem);
  const help = retryAt === undefined ? 'when the spec is changed' : 'when the spec, or what it names, is changed';
  const message = `${problem}. It goes on ${help}.`;
  const until = given({ until: retryAt });
  return { step: LAUNCH_STEP, reason: 'InvalidConfiguration', message, ...until };
}

function explainCreation(pass: Pass, cause: Cause<ConditionReason>, message: string): void {
  const known = conditionOf(pass.status.conditions, 'MachineCreation');
  if (known?.reason !== cause.reason) pass.tell({ type: 'Warning', reason: 'FailedCreate', message });
  pass.setCondition({ type: 'MachineCreation', status: 'False', ...cause, message });
}

/** The message, with the field it is about in front. */
export function withField(field: string | undefined, message: string): string {
  return field === undefined || message.startsWith(field) ? message : `${field}: ${message}`;
}
