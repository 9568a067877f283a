import { describe, expect, it } from '@jest/globals';
import { INVALID_TYPE, MISMATCH, NO_CAPACITY, THROTTLED, UNAVAILABLE } from '../../test/workflow/cloud-failures.ts';
import { preparedLaunch } from '../../test/workflow/prepared-launch.ts';
import {
  afterCallBegan,
  afterEmptyLook,
  afterError,
  afterFailure,
  afterNoCall,
  afterSilence,
  freshLaunch,
  takenOverLaunch,
  type LaunchRecord,
} from './launch-record.ts';
import { planLaunch, planSettlement } from './plan-launch.ts';
import { DEFAULT_MACHINE_SETTINGS as SETTINGS } from './settings.ts';

const CALL_MS = SETTINGS.callTimeoutSeconds * 1000;
const WINDOW_MS = SETTINGS.consistencyWindowSeconds * 1000;
const HOUR_MS = 3_600_000;

const fresh = freshLaunch(preparedLaunch());
const called = afterCallBegan(fresh, 0, SETTINGS);
const silent = afterSilence(called, 'no answer', 0, SETTINGS, 0.5);

/** When it would be tried next, if nothing else happened. */
const afterWait = (launch: LaunchRecord): number => launch.retry?.until ?? 0;

describe('the next step of a launch', () => {
  it('is the call, without a look-up, while nobody ever called', () => {
    expect(planLaunch(fresh, 0, SETTINGS)).toEqual({ do: 'call', lookFirst: false });
  });

  it('is the next attempt, after a wait, when the answer to the only call proves that it made nothing', () => {
    const refused = afterError(called, NO_CAPACITY, 0, SETTINGS, 0.5);
    expect(planLaunch(refused, 59_999, SETTINGS)).toEqual({ do: 'wait', until: 60_000 });
    expect(planLaunch(refused, 60_000, SETTINGS)).toEqual({ do: 'nextAttempt' });
  });

  it.each([
    ['a 5xx', { ...THROTTLED, code: 'Unavailable' as const, retryClass: 'soon' as const }],
    ['an authorisation error', { ...THROTTLED, code: 'PermissionDenied' as const, retryClass: 'denied' as const }],
  ])('is the same call after a look-up where %s came back: that proves nothing', (_what, failure) => {
    const launch = afterError(called, failure, 0, SETTINGS, 0.5);
    expect(planLaunch(launch, afterWait(launch), SETTINGS)).toEqual({ do: 'call', lookFirst: true });
  });

  it('is the same call after a look-up when no answer came', () => {
    expect(planLaunch(silent, afterWait(silent), SETTINGS)).toEqual({ do: 'call', lookFirst: true });
  });

  it('is a look-up, and never a call, when the first call is more than an hour old', () => {
    expect(planLaunch(silent, HOUR_MS - 1, SETTINGS)).toMatchObject({ do: 'call' });
    expect(planLaunch(silent, HOUR_MS, SETTINGS)).toEqual({ do: 'look' });
    const late = afterSilence(afterCallBegan(fresh, HOUR_MS, SETTINGS), 'no answer', HOUR_MS, SETTINGS, 0.5);
    expect(planLaunch(late, 2 * HOUR_MS - 1, SETTINGS)).toMatchObject({ do: 'call' });
    expect(planLaunch(late, 2 * HOUR_MS, SETTINGS)).toEqual({ do: 'look' });
  });

  it('is a look-up, and never a call, when the cloud knows the token with other parameters', () => {
    const launch = afterError(called, MISMATCH, 0, SETTINGS, 0.5);
    expect(planLaunch(launch, afterWait(launch), SETTINGS)).toEqual({ do: 'look' });
  });

  it('is a look-up when a refusal followed a call that was never answered', () => {
    const launch = afterError(afterCallBegan(silent, 1000, SETTINGS), NO_CAPACITY, 1000, SETTINGS, 0.5);
    expect(planLaunch(launch, afterWait(launch), SETTINGS)).toEqual({ do: 'look' });
  });

  it('is the next attempt at once when the instance of the token ended before it ran', () => {
    const failure = { ...MISMATCH, cloudCode: 'IdempotentInstanceTerminated', tokenTerminated: true };
    expect(planLaunch(afterError(silent, failure, 5, SETTINGS, 0.5), 5, SETTINGS)).toEqual({ do: 'nextAttempt' });
    expect(planLaunch({ ...called, tokenTerminated: true }, 0, SETTINGS)).toEqual({ do: 'nextAttempt' });
  });

  it('is a look-up first for an attempt that was taken over: its past is unknown', () => {
    const launch = takenOverLaunch(preparedLaunch(1, 0), 1000, SETTINGS);
    expect(planLaunch(launch, 1000, SETTINGS)).toEqual({ do: 'call', lookFirst: true });
    expect(planLaunch(launch, HOUR_MS, SETTINGS)).toEqual({ do: 'look' });
  });

  it('is not the same call at once when a spec is called invalid without a proof', () => {
    const launch = afterError(called, { ...INVALID_TYPE, provesNoInstance: false }, 0, SETTINGS, 0.5);
    expect(planLaunch(launch, 0, SETTINGS)).toMatchObject({ do: 'wait' });
  });

  it('waits as long as the cloud asks for, where that is longer', () => {
    const launch = afterError(called, { ...THROTTLED, retryAfterMs: 90_000 }, 0, SETTINGS, 0.5);
    expect(planLaunch(launch, 0, SETTINGS)).toEqual({ do: 'wait', until: 90_000 });
  });
});

describe('the next step of a launch in a cloud without tokens', () => {
  const once = freshLaunch(preparedLaunch(1, 0, 'lookup'));
  const calledOnce = afterCallBegan(once, 0, SETTINGS);

  it('is the call, while it is certain that nobody called', () => {
    expect(planLaunch(once, 0, SETTINGS)).toEqual({ do: 'call', lookFirst: false });
    const notCalled = afterFailure(afterNoCall(calledOnce, once), UNAVAILABLE, 0, SETTINGS, 0.5);
    expect(planLaunch(notCalled, afterWait(notCalled), SETTINGS)).toEqual({ do: 'call', lookFirst: false });
  });

  it.each([
    ['no answer came', afterSilence(calledOnce, 'no answer', 0, SETTINGS, 0.5)],
    ['the call was throttled', afterError(calledOnce, THROTTLED, 0, SETTINGS, 0.5)],
    ['a 5xx came back', afterError(calledOnce, UNAVAILABLE, 0, SETTINGS, 0.5)],
    ['the attempt was taken over', takenOverLaunch(preparedLaunch(1, 0, 'lookup'), 0, SETTINGS)],
    ['the workflow knows no more than that it called', calledOnce],
  ])('is a look-up, and no call before the proof, where %s', (_what, launch) => {
    let known = launch;
    let now = afterWait(launch);
    for (
      let step = planLaunch(known, now, SETTINGS);
      step.do !== 'nextAttempt';
      step = planLaunch(known, now, SETTINGS)
    ) {
      expect(step.do).not.toBe('call');
      if (step.do === 'wait') now = step.until;
      else known = afterEmptyLook(known, now, SETTINGS);
    }
    expect(now).toBeGreaterThanOrEqual(CALL_MS + WINDOW_MS);
  });

  it('is the next attempt, after a wait, when the answer to the call proves that it made nothing', () => {
    const refused = afterError(calledOnce, NO_CAPACITY, 0, SETTINGS, 0.5);
    expect(planLaunch(refused, afterWait(refused), SETTINGS)).toEqual({ do: 'nextAttempt' });
  });
});

describe('settling an attempt by look-ups', () => {
  it('takes three empty ones that span the window after the last call can have taken effect', () => {
    let launch = silent;
    const lookedAt: number[] = [];
    for (let now = 0, steps = 0; steps < 100; steps += 1) {
      const step = planSettlement(launch, now, SETTINGS);
      if (step.do === 'nextAttempt') break;
      if (step.do === 'wait') now = step.until;
      if (step.do !== 'look') continue;
      lookedAt.push(now);
      launch = afterEmptyLook(launch, now, SETTINGS);
    }
    expect(lookedAt).toEqual([0, CALL_MS, CALL_MS + WINDOW_MS / 2, CALL_MS + WINDOW_MS]);
  });

  it('does not begin before an answer that proves nothing is as old as a call may take', () => {
    const late = afterError(called, UNAVAILABLE, HOUR_MS, SETTINGS, 0.5);
    const looks = [HOUR_MS, HOUR_MS + WINDOW_MS / 2, HOUR_MS + WINDOW_MS];
    const looked = looks.reduce<LaunchRecord>((launch, at) => afterEmptyLook(launch, at, SETTINGS), late);
    const until = HOUR_MS + WINDOW_MS / 2 + WINDOW_MS;
    expect(planSettlement(looked, HOUR_MS + WINDOW_MS, SETTINGS)).toEqual({ do: 'wait', until });
  });

  it('takes looks that are spread: those that were held up and made at once count as one', () => {
    const late = CALL_MS + 3 * WINDOW_MS;
    const looks = [late, late + 1, late + 2];
    const looked = looks.reduce((launch, at) => afterEmptyLook(launch, at, SETTINGS), silent);
    expect(planSettlement(looked, late + 2, SETTINGS)).toEqual({ do: 'wait', until: late + WINDOW_MS / 2 });
  });

  it('needs none where the only call was refused, or none was made', () => {
    expect(planSettlement(fresh, 0, SETTINGS)).toEqual({ do: 'nextAttempt' });
    expect(planSettlement(afterError(called, NO_CAPACITY, 0, SETTINGS, 0), 0, SETTINGS)).toEqual({ do: 'nextAttempt' });
  });

  it('begins anew with every further call', () => {
    const looks = [CALL_MS, CALL_MS + WINDOW_MS / 2, CALL_MS + WINDOW_MS];
    const looked = looks.reduce((launch, at) => afterEmptyLook(launch, at, SETTINGS), silent);
    expect(planSettlement(looked, CALL_MS + WINDOW_MS, SETTINGS)).toEqual({ do: 'nextAttempt' });
    const again = afterCallBegan(looked, CALL_MS + WINDOW_MS, SETTINGS);
    expect(planSettlement(again, CALL_MS + WINDOW_MS, SETTINGS)).toEqual({ do: 'look' });
  });
});
