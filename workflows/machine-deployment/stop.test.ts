import { describe, expect, it } from '@jest/globals';
import type { RolloutFailures } from './failures.ts';
import { chooseStop, mayBeToStop } from './stop.ts';
import { anOldSet, aRolloutSet, aSurvey } from './survey-for-tests.ts';

const WHY = 'Machine m: no Node joined';
const failures: RolloutFailures = {
  hash: 'hash-new',
  failed: [{ name: 'm', uid: 'm', why: 'no Node joined', isLate: false }],
  isStopped: false,
};
const ROLLING = [anOldSet({ existing: 2 }), aRolloutSet({ existing: 1 })];
const to = { name: 'old', uid: 'old', resourceVersion: '7', revision: 1 };
const refused = { rollBack: { message: 'Forbidden: no', failures: 1, until: 0 } };

describe('a rollout whose new machines fail', () => {
  it('goes back, where it is to and can', () => {
    expect(chooseStop(aSurvey(ROLLING, { wayBack: { to } }), { failures, refusals: {} })).toEqual({
      how: 'back',
      why: WHY,
      to,
      from: 'hash-new',
      revision: 2,
    });
  });

  it('goes back also when no machine of an earlier template is left', () => {
    expect(chooseStop(aSurvey(undefined, { wayBack: { to } }), { failures, refusals: {} })).toMatchObject({
      how: 'back',
      to,
    });
  });

  it('pauses, where it is not to go back, or cannot, and says why not', () => {
    const paused = { how: 'pause', why: WHY };
    expect(chooseStop(aSurvey(ROLLING), { failures, refusals: {} })).toEqual(paused);
    const barred = 'no template of it was rolled out whole so far';
    expect(chooseStop(aSurvey(ROLLING, { wayBack: { barred } }), { failures, refusals: {} })).toEqual({
      ...paused,
      barred,
    });
    expect(chooseStop(aSurvey(ROLLING, { wayBack: { to } }), { failures, refusals: refused })).toEqual({
      ...paused,
      barred: 'Forbidden: no',
    });
    expect(chooseStop(aSurvey([anOldSet()], { wayBack: { to } }), { failures, refusals: {} })).toEqual(paused);
  });

  it('is left where it is, when no machine of an earlier template is left, or none has failed that counts', () => {
    expect(chooseStop(aSurvey(), { failures, refusals: {} })).toBeUndefined();
    expect(chooseStop(aSurvey(undefined, { wayBack: { to } }), { failures, refusals: refused })).toBeUndefined();
    expect(
      chooseStop(aSurvey(undefined, { wayBack: { barred: 'it was before' } }), { failures, refusals: {} }),
    ).toBeUndefined();
    expect(chooseStop(aSurvey(ROLLING), { refusals: {} })).toBeUndefined();
    expect(chooseStop(aSurvey(ROLLING), { failures: { ...failures, failed: [] }, refusals: {} })).toBeUndefined();
  });

  it('is to stop for late ones when as many failed as may, and something is left to stop', () => {
    const late = { coming: { failed: [{ name: 'm', uid: 'm', why: 'no Node joined', isLate: true }] } };
    const isToStop = (...[sets, changes]: Parameters<typeof aSurvey>) =>
      mayBeToStop(aSurvey(sets, { ...late, ...changes }), { refusals: {} }, 0);
    expect(isToStop(ROLLING)).toBe(true);
    expect(isToStop(ROLLING, { failureThreshold: 2 })).toBe(false);
    // No machine of an earlier template is left, and there is no way back.
    const coming = [aRolloutSet({ existing: 3, available: 2 })];
    expect([isToStop(coming), isToStop(coming, { wayBack: { to } })]).toEqual([false, true]);
  });
});
