import { describe, expect, it } from '@jest/globals';
import { aPass, NOW_MS } from '../../test/workflow/a-pass.ts';
import { NO_CAPACITY, NOT_ASKED, NOT_SENT, THROTTLED } from '../../test/workflow/cloud-failures.ts';
import { preparedLaunch } from '../../test/workflow/prepared-launch.ts';
import {
  afterCallBegan,
  afterError,
  afterFailure,
  afterSilence,
  freshLaunch,
  isThrottledOnly,
  takenOverLaunch,
} from './launch-record.ts';
import { planLaunch } from './plan-launch.ts';
import { failedAgain, kubernetesFailure, missingAgain, notDue, reasonOfTurn, waitOf } from './step-retry.ts';
import { DEFAULT_MACHINE_SETTINGS as SETTINGS } from './settings.ts';

const WINDOW_MS = (SETTINGS.callTimeoutSeconds + SETTINGS.consistencyWindowSeconds) * 1000;

const fresh = freshLaunch(preparedLaunch());
const called = afterCallBegan(fresh, 0, SETTINGS);
const throttled = afterError(called, THROTTLED, 0, SETTINGS, 0.5);
const dueAt = throttled.retry.until;

describe('the repeat of a throttled call', () => {
  it('trusts the token, where every call so far was throttled', () => {
    expect(planLaunch(throttled, dueAt, SETTINGS)).toEqual({ do: 'call', lookFirst: true, trustToken: true });
    const again = afterError(afterCallBegan(throttled, dueAt, SETTINGS), THROTTLED, dueAt, SETTINGS, 0.5);
    expect(isThrottledOnly(again, again.retry.until, SETTINGS)).toBe(true);
  });

  it.each([
    ['a call got no answer', afterSilence(afterCallBegan(throttled, 0, SETTINGS), 'silence', 0, SETTINGS, 0.5)],
    [
      'an earlier call got none',
      afterError(
        afterCallBegan(afterSilence(called, 'silence', 0, SETTINGS, 0.5), 0, SETTINGS),
        THROTTLED,
        0,
        SETTINGS,
        0.5,
      ),
    ],
    ['a call got another error', afterError(called, { ...THROTTLED, code: 'Unavailable' }, 0, SETTINGS, 0.5)],
    ['the call was refused', afterError(called, NO_CAPACITY, 0, SETTINGS, 0.5)],
    ['it was the look-up that was throttled', afterFailure(called, THROTTLED, 0, SETTINGS, 0.5)],
    [
      'what came before is not known',
      afterError(
        afterCallBegan(takenOverLaunch(preparedLaunch(), 0, SETTINGS), 0, SETTINGS),
        THROTTLED,
        0,
        SETTINGS,
        0.5,
      ),
    ],
  ])('looks first, where %s', (_what, launch) => {
    expect(isThrottledOnly(launch, 1, SETTINGS)).toBe(false);
  });

  it('looks first when so much time went by that a look tells something', () => {
    expect(isThrottledOnly(throttled, WINDOW_MS - 1, SETTINGS)).toBe(true);
    expect(isThrottledOnly(throttled, WINDOW_MS, SETTINGS)).toBe(false);
  });
});

describe('a call that was not sent', () => {
  it('is no failure: the machine sleeps until its turn, and says what for', () => {
    const pass = aPass();
    const failed = failedAgain(pass, 'Launch', THROTTLED, undefined);
    const { message } = NOT_SENT;
    const wait = { step: 'Launch', reason: 'AwaitingTurn', message, until: 21_000 };
    expect(failedAgain(pass, 'Launch', NOT_SENT, failed)).toEqual({ failures: 1, ...wait });
  });

  it('tells why: the limits have no room, or the cloud hangs', () => {
    expect([reasonOfTurn({}), reasonOfTurn(NOT_ASKED)]).toEqual(['AwaitingTurn', 'CloudNotAnswering']);
  });

  it('changes nothing that is known, and is due when it is told to be', () => {
    const refused = afterError(called, NO_CAPACITY, 0, SETTINGS, 0.5);
    const waiting = afterFailure(refused, NOT_SENT, 1_000, SETTINGS, 0.5);
    expect(waiting).toEqual({
      ...refused,
      retry: { failures: 1, message: NOT_SENT.message, until: 1_000 + 20_000 },
      awaitsTurn: { reason: 'AwaitingTurn', message: NOT_SENT.message },
    });
    expect(afterCallBegan(waiting, 2_000, SETTINGS).awaitsTurn).toBeUndefined();
    // The next one of the same kind is the second in a row.
    expect(afterError(waiting, NO_CAPACITY, 2_000, SETTINGS, 0.5)).toMatchObject({ retry: { failures: 2 } });
  });
});

describe('what a phase tries again', () => {
  it("counts its failures in a row, says the cloud's own code with its class, and is not due before its time", () => {
    const pass = aPass();
    const first = failedAgain(pass, 'Launch', NO_CAPACITY, undefined);
    const second = failedAgain(pass, 'Launch', NO_CAPACITY, first);
    const until = 1_000 + SETTINGS.backoff.exhausted.first * 2_000;
    const { message, retryClass } = NO_CAPACITY;
    const cause = { reason: 'InsufficientInstanceCapacity', retryClass, cloudFails: true };
    const wait = { step: 'Launch', ...cause, message, until };
    expect(second).toEqual({ failures: 2, ...wait });
    expect(waitOf(second)).toEqual(wait);
    expect(notDue(second, until - 1)).toEqual(wait);
    expect(notDue(second, until)).toBeUndefined();
  });

  it.each([
    ['the cloud refuses it', NO_CAPACITY, true],
    ['the cloud hangs', NOT_ASKED, true],
    ['its call waits for its turn', NOT_SENT, undefined],
    ['the Kubernetes API is away', kubernetesFailure('no answer'), undefined],
    ['the Kubernetes API refuses it', { code: 'KubernetesRefused', retryClass: 'denied', message: 'no' }, undefined],
  ] as const)('tells whether it is the cloud that fails, where %s', (_what, failure, cloudFails) => {
    expect(failedAgain(aPass(), 'Terminate', failure, undefined).cloudFails).toBe(cloudFails);
  });

  it('waits ever longer for what is missing in the cluster', () => {
    const missing = { step: 'Launch', reason: 'SecretMissing', message: 'there is no Secret' } as const;
    const first = missingAgain(aPass(), missing, undefined);
    const firstMs = SETTINGS.backoff.missing.first * 1_000;
    expect(first).toEqual({ failures: 1, ...missing, until: NOW_MS + firstMs });
    const second = missingAgain(aPass(), missing, first);
    expect(second).toEqual({ failures: 2, ...missing, until: NOW_MS + 2 * firstMs });
  });
});
