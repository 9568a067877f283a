import { causeOf, type FailureCode, type WaitReason } from '../../k8s/model/reasons/reasons.ts';
import type { WaitStep } from '../../k8s/model/reasons/steps.ts';
import { CLOUD_NOT_ANSWERING } from '../../providers/provider-error.ts';
import { isDue, missingAfter, retryAfter, type Failure, type Retry } from '../retry.ts';
import type { Wait } from './answer.ts';
import type { CloudFailure } from './launch-record.ts';
import type { Pass } from './pass.ts';

/** What a machine says whose call was not sent. */
export type TurnReason = Extract<WaitReason, 'AwaitingTurn' | typeof CLOUD_NOT_ANSWERING>;

/** The API server could not do now what a phase needs. */
export function kubernetesFailure(message: string): StepFailure {
  return { code: 'KubernetesUnavailable', retryClass: 'soon', message };
}

/** How a phase stands with what it tries, and what the machine waits for meanwhile. */
export type StepRetry = Wait & Retry;

/** What a phase may have failed with. */
export type StepFailure = Failure & Pick<CloudFailure, 'retryClass' | 'cloudCode'> & { readonly code: FailureCode };

/** The wait of a phase whose next try is not due yet. */
export function notDue(retry: StepRetry | undefined, nowMs: number): Wait | undefined {
  return retry === undefined || isDue(retry, nowMs) ? undefined : waitOf(retry);
}

/** What the machine waits for until the next try. */
export function waitOf({ failures: _failures, ...wait }: StepRetry): Wait {
  return wait;
}

/** One more failure of what a phase tries. */
export function failedAgain(pass: Pass, step: WaitStep, failure: StepFailure, before: Retry | undefined): StepRetry {
  const cause = failure.notSent === true ? { reason: reasonOfTurn(failure) } : causeOf(failure);
  const cloudFails = isClouds(failure, cause.reason) ? { cloudFails: true as const } : {};
  return { step, ...cause, ...cloudFails, ...retryAfter(failure, before, pass.settings, pass.nowMs, Math.random()) };
}

function isClouds({ code }: StepFailure, reason: string): boolean {
  return code !== 'KubernetesUnavailable' && code !== 'KubernetesRefused' && reason !== 'AwaitingTurn';
}

/** The same for what is missing in the cluster. */
export function missingAgain(pass: Pass, wait: Wait, before: Retry | undefined): StepRetry {
  return { ...wait, ...missingAfter(wait.message, before, pass.settings, pass.nowMs) };
}

/** Why a call was not sent: the cloud's limits have no room for it, or the cloud hangs. */
export function reasonOfTurn({ cloudCode }: Pick<CloudFailure, 'cloudCode'>): TurnReason {
  return cloudCode === CLOUD_NOT_ANSWERING ? CLOUD_NOT_ANSWERING : 'AwaitingTurn';
}
