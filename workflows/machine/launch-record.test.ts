import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { INVALID_TYPE, MISMATCH, NO_CAPACITY, THROTTLED, UNAVAILABLE } from '../../test/workflow/cloud-failures.ts';
import type { Idempotency } from '../../providers/provider.ts';
import { preparedLaunch } from '../../test/workflow/prepared-launch.ts';
import {
  afterAnswer,
  afterCallBegan,
  afterEmptyLook,
  afterError,
  afterGivenUp,
  afterNoCall,
  afterSilence,
  freshLaunch,
  isOutcomeUnknown,
  takenOverLaunch,
  type CloudFailure,
  type LaunchRecord,
} from './launch-record.ts';
import { planLaunch } from './plan-launch.ts';
import { DEFAULT_MACHINE_SETTINGS as SETTINGS } from './settings.ts';

const CALL_MS = SETTINGS.callTimeoutSeconds * 1000;
const WINDOW_MS = SETTINGS.consistencyWindowSeconds * 1000;

const fresh = freshLaunch(preparedLaunch());
const called = afterCallBegan(fresh, 0, SETTINGS);
const TERMINATED = { ...MISMATCH, cloudCode: 'IdempotentInstanceTerminated', tokenTerminated: true };

describe('what is known of an attempt', () => {
  it('is certain before the first call, and uncertain from the moment it begins', () => {
    expect(isOutcomeUnknown(fresh)).toBe(false);
    expect(isOutcomeUnknown(called)).toBe(true);
  });

  it('is certain again after a refusal, but not where an earlier call is still unanswered', () => {
    expect(isOutcomeUnknown(afterError(called, NO_CAPACITY, 0, SETTINGS, 0))).toBe(false);
    const silent = afterSilence(called, 'no answer', 0, SETTINGS, 0);
    const refused = afterError(afterCallBegan(silent, 1, SETTINGS), NO_CAPACITY, 1, SETTINGS, 0);
    expect(isOutcomeUnknown(refused)).toBe(true);
  });

  it('is certain for good when the instance of its token ended before it ran', () => {
    const ended = afterError(called, TERMINATED, 0, SETTINGS, 0);
    expect(isOutcomeUnknown(ended)).toBe(false);
    expect(isOutcomeUnknown(afterError(ended, THROTTLED, 0, SETTINGS, 0))).toBe(false);
  });

  it('begins anew with a further call, which may take effect for as long as a call may take', () => {
    const refused = afterEmptyLook(afterError(called, NO_CAPACITY, 3000, SETTINGS, 0), 4000, SETTINGS);
    expect(refused).toMatchObject({ firstCallAt: 0, callsEndAt: CALL_MS, unanswered: 0, refused: true });
    expect(afterCallBegan(refused, 5000, SETTINGS)).toMatchObject({
      firstCallAt: 0,
      callsEndAt: 5000 + CALL_MS,
      unanswered: 1,
      refused: false,
      emptyLooks: [],
    });
  });

  it('waits after an error, but not where the next step is another one', () => {
    const waitUntil = (failure: CloudFailure) => afterError(called, failure, 7000, SETTINGS, 0).retry.until;
    expect([INVALID_TYPE, TERMINATED].map(waitUntil)).toEqual([7000, 7000]);
    expect([NO_CAPACITY, { ...INVALID_TYPE, provesNoInstance: false }].map(waitUntil)).toEqual([67_000, 8000]);
  });

  it('remembers a look that proves nothing until there is one that counts', () => {
    const early = afterEmptyLook(afterSilence(called, 'no answer', 0, SETTINGS, 0), 10, SETTINGS);
    expect(early.emptyLooks).toEqual([10]);
    const first = afterEmptyLook(early, CALL_MS, SETTINGS);
    expect(first.emptyLooks).toEqual([CALL_MS]);
    expect(afterEmptyLook(first, CALL_MS + WINDOW_MS, SETTINGS).emptyLooks).toEqual([CALL_MS, CALL_MS + WINDOW_MS]);
  });

  it('is uncertain where the attempt was taken over, as if a call had just been sent', () => {
    const launch = takenOverLaunch(preparedLaunch(1, 5000), 9000, SETTINGS);
    expect(isOutcomeUnknown(launch)).toBe(true);
    expect(launch).toMatchObject({ firstCallAt: 5000, callsEndAt: 9000 + CALL_MS });
  });

  it('is as before where the call was not made after all', () => {
    expect(afterNoCall(called, fresh)).toEqual(fresh);
    const looked = afterEmptyLook(afterError(called, NO_CAPACITY, 0, SETTINGS, 0), 10, SETTINGS);
    expect(afterNoCall(afterCallBegan(looked, 50_000, SETTINGS), looked)).toEqual(looked);
    const silent = afterSilence(called, 'no answer', 0, SETTINGS, 0);
    const { firstCallAt, callsEndAt, unanswered, refused } = silent;
    expect(afterNoCall(afterCallBegan(silent, 50_000, SETTINGS), silent)).toMatchObject({
      firstCallAt,
      callsEndAt,
      unanswered,
      refused,
    });
  });

  it('is as old as the first call was sent, however long that waited; a clock that cannot be right is not believed', () => {
    expect(afterAnswer(called, fresh, 3_600_000, 3_601_000).firstCallAt).toBe(3_600_000);
    expect(afterAnswer(called, fresh, 9_999_999, 3_601_000).firstCallAt).toBe(3_601_000);
    expect(afterAnswer(called, fresh, -5, 3_601_000).firstCallAt).toBe(0);
    const again = afterCallBegan(called, 10, SETTINGS);
    expect(afterAnswer(again, called, 3_600_000, 3_601_000).firstCallAt).toBe(0);
  });

  it.each([
    ['a server error', UNAVAILABLE],
    ['throttling', THROTTLED],
    ['a mismatched token', MISMATCH],
  ])('is open for as long as a call may take after %s, from the answer on', (_what, failure) => {
    expect(afterError(called, failure, 3_600_000, SETTINGS, 0).callsEndAt).toBe(3_600_000 + CALL_MS);
  });

  it('has its calls given up after silence, and begins to count when the Machine says so', () => {
    const silent = afterSilence(called, 'no answer', 0, SETTINGS, 0);
    expect(silent.prepared.callsGivenUp).toBe(1);
    const looked = afterEmptyLook(silent, CALL_MS, SETTINGS);
    expect(afterGivenUp(looked, 7000, SETTINGS)).toMatchObject({ callsEndAt: 7000 + CALL_MS, emptyLooks: [] });
    expect(takenOverLaunch(silent.prepared, 0, SETTINGS).prepared.callsGivenUp).toBe(2);
  });

  it('counts failures of one kind in a row, over attempts, and starts again with another kind', () => {
    const once = afterError(called, NO_CAPACITY, 0, SETTINGS, 0);
    const next = freshLaunch(preparedLaunch(2), once);
    const twice = afterError(afterCallBegan(next, 0, SETTINGS), NO_CAPACITY, 0, SETTINGS, 0);
    expect([once.retry.failures, twice.retry.failures]).toEqual([1, 2]);
    expect(afterError(twice, THROTTLED, 0, SETTINGS, 0).retry.failures).toBe(1);
  });
});

/** What a call comes to, and when the cloud acts on it and shows it. */
interface Fate {
  readonly outcome: 'capacity' | 'throttle' | 'mismatch' | 'silence' | 'throttleButMade' | 'instance';
  /** How long the call waits for a worker. */
  readonly waitsMs: number;
  /** For silence: whether it makes an instance; besides how late, and how long that stays hidden. */
  readonly makes: boolean;
  readonly takesEffectAfterMs: number;
  readonly hiddenForMs: number;
  /** Time that passes by itself afterwards, and whether the worker's memory is lost. */
  readonly pauseMs: number;
  readonly forgets: boolean;
  /** How late everything is done that waits for a time, from here on. */
  readonly lateMs: number;
}

const fates = fc.array(
  fc.record<Fate>({
    outcome: fc.constantFrom('capacity', 'throttle', 'mismatch', 'silence', 'throttleButMade', 'instance'),
    waitsMs: fc.oneof(fc.constant(0), fc.nat(2 * 3_600_000)),
    makes: fc.boolean(),
    takesEffectAfterMs: fc.nat(CALL_MS),
    hiddenForMs: fc.nat(WINDOW_MS),
    pauseMs: fc.oneof(fc.constant(0), fc.nat(2 * 3_600_000)),
    forgets: fc.boolean(),
    lateMs: fc.oneof(fc.constant(0), fc.nat(2 * WINDOW_MS)),
  }),
  { minLength: 1, maxLength: 25 },
);

/** A cloud as the rule assumes it: what was made shows within the consistency window; tokens are idempotent, if it has any. */
class ReferenceCloud {
  readonly made: { readonly token: string; readonly visibleAt: number }[] = [];
  readonly hasTokens: boolean;

  constructor(hasTokens: boolean) {
    this.hasTokens = hasTokens;
  }

  make(token: string, at: number, hiddenForMs: number): void {
    if (!this.hasTokens || !this.has(token)) this.made.push({ token, visibleAt: at + hiddenForMs });
  }

  has(token: string): boolean {
    return this.made.some((instance) => instance.token === token);
  }

  shows(token: string, now: number): boolean {
    return this.made.some((instance) => instance.token === token && instance.visibleAt <= now);
  }
}

const ANSWERS: Readonly<Record<'capacity' | 'throttle' | 'throttleButMade' | 'mismatch', CloudFailure>> = {
  capacity: NO_CAPACITY,
  throttle: THROTTLED,
  throttleButMade: THROTTLED,
  mismatch: MISMATCH,
};

interface Played {
  readonly answers?: typeof ANSWERS;
  /** As the launches were prepared. @default 'token' */
  readonly idempotency?: Idempotency;
  /** @default one that is as the launches assume */
  readonly cloud?: ReferenceCloud;
}

/** Lets the rule run against the cloud; whether the next attempt was due is checked whenever it begins. */
function play(
  script: readonly Fate[],
  { answers = ANSWERS, idempotency = 'token', cloud = new ReferenceCloud(idempotency === 'token') }: Played = {},
): ReferenceCloud {
  let launch: LaunchRecord = freshLaunch(preparedLaunch(1, 0, idempotency));
  let now = 0;
  let fate = 0;
  let lateMs = 0;
  for (let steps = 0; steps < 500; steps += 1) {
    const { token, attempt } = launch.prepared;
    const step = planLaunch(launch, now, SETTINGS);
    if (step.do === 'wait') {
      now = step.until + lateMs;
    } else if (step.do === 'look') {
      if (cloud.shows(token, now)) return cloud;
      launch = afterEmptyLook(launch, now, SETTINGS);
    } else if (step.do === 'nextAttempt') {
      // An instance may still come of a call that is under way: such a one is in `made`, with a later time.
      expect(cloud.has(token)).toBe(false);
      launch = freshLaunch(preparedLaunch(attempt + 1, now, idempotency), launch);
    } else {
      const next = script[fate++];
      if (next === undefined) return cloud;
      if (step.lookFirst && cloud.shows(token, now)) return cloud;
      const before = launch;
      const owed = afterCallBegan(launch, now, SETTINGS);
      now += next.waitsMs;
      const effectAt = now + next.takesEffectAfterMs;
      if (next.outcome === 'instance' || (cloud.hasTokens && cloud.shows(token, now))) {
        cloud.make(token, now, 0);
        return cloud;
      }
      if (next.outcome === 'silence') {
        if (next.makes) cloud.make(token, effectAt, next.hiddenForMs);
        launch = afterSilence(owed, 'no answer', now, SETTINGS, 0.5);
      } else {
        if (next.outcome === 'throttleButMade') cloud.make(token, effectAt, next.hiddenForMs);
        launch = afterError(afterAnswer(owed, before, now, now), answers[next.outcome], now, SETTINGS, 0.5);
      }
      lateMs = next.lateMs;
      now += next.pauseMs;
      if (next.forgets) launch = takenOverLaunch(launch.prepared, now, SETTINGS);
    }
  }
  return cloud;
}

describe('launch, once', () => {
  it.each(['token', 'lookup'] as const)(
    'never begins the next attempt while an instance of this one exists or may still come (idempotency by %s)',
    (idempotency) => {
      fc.assert(
        fc.property(fates, (script) => {
          expect(play(script, { idempotency }).made.length).toBeLessThanOrEqual(1);
        }),
        { numRuns: 2000 },
      );
    },
  );

  it('would be caught repeating a call to a cloud that has no tokens', () => {
    const property = fc.property(
      fates,
      (script) => play(script, { cloud: new ReferenceCloud(false) }).made.length <= 1,
    );
    expect(fc.check(property, { numRuns: 2000 }).failed).toBe(true);
  });

  it('would be caught doing so: a cloud whose throttling is taken for a refusal gets a second instance', () => {
    const trusting = { ...ANSWERS, throttleButMade: { ...THROTTLED, provesNoInstance: true } };
    const property = fc.property(fates, (script) => play(script, { answers: trusting }).made.length <= 1);
    expect(fc.check(property, { numRuns: 2000 }).failed).toBe(true);
  });
});
