/** One call to AWS: bounded in time, never repeated, and failing with ProviderError and nothing else. */

import { startDeadline, type Clock } from '../clock.ts';
import { paced, ProviderError, type ProviderErrorDetails } from '../provider-error.ts';
import { ThrottledCall } from '../rate-limited.ts';
import { redact } from '../redact.ts';
import { readRetryAfter } from '../retry-after.ts';
import { codeOfStatus, meaningOf } from './ec2-errors.ts';
import { cut } from '../cut.ts';
import { given } from '../given.ts';
import { messageOf } from '../message-of.ts';

/**
 * Whose parameters a call sends. Only where they come from the spec is a refused parameter a wrong spec:
 * - `launch`: RunInstances; a refusal also proves that no instance was made.
 * - `resolve`: a read for a launch.
 * - `other`: ours.
 */
export type CallPurpose = 'launch' | 'resolve' | 'other';

export interface AwsCall<T> {
  /** For messages: what, on what. */
  readonly attempted: string;
  readonly purpose: CallPurpose;
  /** Field of the spec that this reads for, e.g. `providerSpec.value.subnet`. @default what the error tells */
  readonly field?: string;
  /** The call fails with DeadlineExceeded when its answer is not complete after this long, in ms. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Texts that must not come back in an error. Asked after the call: credentials may be found during it. */
  readonly secrets: () => readonly (string | Uint8Array)[];
  /** Sends one request, or several reads. */
  readonly send: (abortSignal: AbortSignal) => Promise<T>;
}

/** Longest message of an error, in characters. */
const MAX_MESSAGE = 1_500;

/** Encoded authorisation failures, which help nobody who may not decode them. */
const LONG_BLOB = /[A-Za-z0-9+/=_%-]{100,}/g;

/** @throws ProviderError and nothing else */
export async function callAws<T>(call: AwsCall<T>): Promise<T> {
  const { attempted, timeoutMs, clock, signal } = call;
  const deadline = startDeadline(clock, timeoutMs);
  const ended = signal === undefined ? deadline.signal : AbortSignal.any([deadline.signal, signal]);
  try {
    ended.throwIfAborted();
    return await orAborted(call.send(ended), ended);
  } catch (error) {
    if (error instanceof ProviderError) throw error;
    if (signal?.aborted === true) throw new ProviderError('Canceled', `${attempted}: given up before an answer came`);
    if (deadline.signal.aborted) {
      throw new ProviderError('DeadlineExceeded', `${attempted}: no answer within ${timeoutMs} ms`);
    }
    if (error instanceof ThrottledCall) throw paced(providerErrorOf(error.cause, call), error.retryAfterMs);
    throw providerErrorOf(error, call);
  } finally {
    deadline.callOff();
  }
}

/** True where AWS refused a call because there were too many. */
export function isThrottling(error: unknown): boolean {
  const { cloudCode, status } = readSdkError(error);
  const meaning = cloudCode === undefined ? undefined : meaningOf(cloudCode, '');
  return (meaning?.code ?? codeOfStatus(status)) === 'Throttled';
}

/** The SDK looks for credentials before it looks at the signal: the wait ends all the same. */
async function orAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(new Error('aborted'));
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([answer, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** What the SDK throws, as far as it says something. */
interface SdkError {
  readonly cloudCode?: string;
  readonly status?: number;
  /** Credentials were not found, or did not come. */
  readonly isAboutCredentials: boolean;
}

export function providerErrorOf(error: unknown, call: Omit<AwsCall<unknown>, 'send'>): ProviderError {
  const { attempted, purpose } = call;
  const { cloudCode, status, isAboutCredentials } = readSdkError(error);
  const retryAfterMs = readRetryAfter(valueIn(error, ['$response', 'headers', 'retry-after']), call.clock.timeOfDay());
  const words = wordsOf(error, call.secrets());
  const retry = given({ retryAfterMs });
  if (cloudCode !== undefined) {
    const meaning = meaningOf(cloudCode, words) ?? { code: codeOfStatus(status) };
    const text = cut(`${attempted}: AWS answered ${cloudCode}: ${words}`, MAX_MESSAGE);
    if (meaning.code === 'InvalidArgument' && purpose === 'other') {
      return new ProviderError('FailedPrecondition', text, { cloudCode, ...retry });
    }
    const field = fieldOf(call.field, meaning.code === 'InvalidArgument' ? meaning.field : undefined);
    const details: ProviderErrorDetails = {
      cloudCode,
      ...retry,
      ...given({
        field: meaning.code === 'InvalidArgument' ? field : undefined,
        outsideSpec: meaning.outsideSpec,
        provesNoInstance: purpose === 'launch' ? meaning.refusesLaunch : undefined,
        tokenTerminated: meaning.tokenTerminated,
        tokenMismatched: meaning.tokenMismatched,
      }),
    };
    return new ProviderError(meaning.code, text, details);
  }
  if (status !== undefined) {
    const text = cut(`${attempted}: AWS answered HTTP ${status} without an error code: ${words}`, MAX_MESSAGE);
    return new ProviderError(codeOfStatus(status), text, retry);
  }
  if (isAboutCredentials) {
    return new ProviderError('Unauthenticated', cut(`${attempted}: no credentials: ${words}`, MAX_MESSAGE));
  }
  return new ProviderError('Unavailable', cut(`${attempted}: no answer: ${words}`, MAX_MESSAGE));
}

function fieldOf(ofCall: string | undefined, ofMeaning: string | undefined): string | undefined {
  return ofCall ?? (ofMeaning === undefined ? undefined : `providerSpec.value.${ofMeaning}`);
}

function readSdkError(error: unknown): SdkError {
  const status = numberIn(error, '$metadata', 'httpStatusCode');
  // The SDK names an answer it could not read `Error` or `Unknown`; only `Code` is AWS's own word.
  const code = textIn(error, 'Code');
  return {
    isAboutCredentials: textIn(error, 'name') === 'CredentialsProviderError',
    ...given({ cloudCode: code?.replace(/^(Client|Server)\./, '').slice(0, 100), status }),
  };
}

function wordsOf(error: unknown, secrets: readonly (string | Uint8Array)[]): string {
  const message = messageOf(error);
  const code = textIn(error, 'code') ?? textIn(error, 'name') ?? 'Error';
  // The SDK's advice to its caller helps nobody here.
  const said = (message === '' ? code : message).replace(/\s*Deserialization error:[\s\S]*$/, '');
  return redact(said, secrets).replace(LONG_BLOB, '[…]');
}

function textIn(value: unknown, ...path: readonly string[]): string | undefined {
  const found = valueIn(value, path);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

function numberIn(value: unknown, ...path: readonly string[]): number | undefined {
  const found = valueIn(value, path);
  return typeof found === 'number' ? found : undefined;
}

function valueIn(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const name of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = Reflect.get(at, name);
  }
  return at;
}
