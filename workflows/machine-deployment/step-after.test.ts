import { describe, expect, it } from '@jest/globals';
import type { RolloutFailures } from './failures.ts';
import type { FoundRollout } from './machine-deployment-activities.ts';
import { stepAfter } from './step-after.ts';
import { anOldSet, aRolloutSet, aSurvey } from './survey-for-tests.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const SINCE = '2026-01-01T12:00:00.000Z';
const known = { templateHash: 'hash-new', revision: 2, passed: 0, since: '2026-01-01T11:00:00.000Z' };
const MACHINES = { number: 1, of: 2, step: { kind: 'machines', machines: 1 }, mostNew: 1, known } as const;
const sets = (old: number, fresh: Parameters<typeof aRolloutSet>[0] = {}) => [
  anOldSet({ existing: old }),
  aRolloutSet({ existing: 1, ...fresh }),
];
const failures: RolloutFailures = {
  hash: 'hash-new',
  failed: [{ name: 'm', uid: 'm', why: 'no Node joined', isLate: false }],
  isStopped: false,
};
const PASSED = { ...known, passed: 1, since: SINCE };

describe('the step that is on record next', () => {
  it('is none of a rollout without steps, or without a set of its template', () => {
    expect(stepAfter(aSurvey(), undefined, NOW)).toBeUndefined();
    expect(stepAfter(aSurvey([anOldSet()], { step: MACHINES }), undefined, NOW)).toBeUndefined();
  });

  it('is the first, before anything follows from it', () => {
    const { known: _none, ...fresh } = MACHINES;
    expect(stepAfter(aSurvey(sets(2), { step: fresh }), undefined, NOW)).toEqual({ ...known, since: SINCE });
  });

  it('is the one after it, when its machines are available, and no more old ones are left than there may be', () => {
    expect(stepAfter(aSurvey(sets(2), { step: MACHINES }), undefined, NOW)).toEqual(PASSED);
    expect(stepAfter(aSurvey(sets(3), { step: MACHINES }), undefined, NOW)).toEqual(known);
    expect(stepAfter(aSurvey(sets(2, { available: 0 }), { step: MACHINES }), undefined, NOW)).toEqual(known);
  });

  it('is the one after a pause when that is over, and all new machines are available', () => {
    const pause = { number: 1, of: 2, step: { kind: 'pause', forMs: 3_600_000 }, known } as const;
    expect(stepAfter(aSurvey(sets(2), { step: pause }), undefined, NOW)).toEqual(PASSED);
    expect(stepAfter(aSurvey(sets(2), { step: pause }), undefined, NOW - 1)).toEqual(known);
    const coming = sets(2, { existing: 2, active: 2, available: 1 });
    expect(stepAfter(aSurvey(coming, { step: pause }), undefined, NOW)).toEqual(known);
    const going = sets(2, { existing: 2, active: 1, available: 1, replicas: 1 });
    expect(stepAfter(aSurvey(going, { step: pause }), undefined, NOW)).toEqual(PASSED);
    // The canary was deleted: another one comes.
    const lost = sets(2, { existing: 0, active: 0, available: 0, replicas: 1 });
    expect(stepAfter(aSurvey(lost, { step: pause }), undefined, NOW)).toEqual(known);
    const more = sets(2, { existing: 2, active: 2, available: 1, replicas: 1 });
    expect(stepAfter(aSurvey(more, { step: pause }), undefined, NOW)).toEqual(known);
  });

  it.each<[string, Partial<FoundRollout>, RolloutFailures | undefined]>([
    ['is paused', { paused: true }, undefined],
    ['stands still', { hold: { reason: 'DeploymentPaused', status: 'Unknown', message: '' } }, undefined],
    ['is to stop as machines failed', {}, failures],
  ])('stays the same while the deployment %s', (_what, changes, failed) => {
    expect(stepAfter(aSurvey(sets(2), { step: MACHINES, ...changes }), failed, NOW)).toEqual(known);
  });

  it('moves on where what holds the rollout is the step itself, or fewer have failed than may', () => {
    const approval = { number: 1, of: 2, step: { kind: 'approval' }, known, word: { token: '2.1' } } as never;
    const hold = { reason: 'WaitingForApproval', status: 'Unknown', message: '' } as const;
    expect(stepAfter(aSurvey(sets(2), { step: approval, hold }), undefined, NOW)).toEqual(PASSED);
    const some = aSurvey(sets(2), { step: MACHINES, failureThreshold: 2 });
    expect(stepAfter(some, failures, NOW)).toEqual(PASSED);
  });
});
