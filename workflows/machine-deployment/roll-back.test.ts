import { describe, expect, it } from '@jest/globals';
import type { RolledBack } from '../../k8s/model/machine-deployment.ts';
import { findWayBack } from './roll-back.ts';
import type { SeenSet } from './see-rollout.ts';
import { given } from '../../providers/given.ts';

const set = (templateHash: string, changes: object = {}) =>
  ({
    set: { ref: { name: `d-${templateHash}`, uid: `uid-of-${templateHash}` }, templateHash, revision: 1, ...changes },
    status: {},
    resourceVersion: '7',
  }) as unknown as SeenSet;
const deployment = (rollsBack: boolean, rolledBack?: RolledBack) => ({
  strategy: { type: 'RollingUpdate' as const, maxSurge: 1, maxUnavailable: 0, rollsBack, steps: [], mayReplace: true },
  templateHash: 'new',
  ...given({ rolledBack }),
});
const SETS = [set('old'), set('new', { revision: 2 })];

describe('the way back of a rollout whose new machines fail', () => {
  it('is the set of the last template that was rolled out whole', () => {
    const to = { name: 'd-old', uid: 'uid-of-old', resourceVersion: '7', revision: 1 };
    expect(findWayBack(deployment(true), SETS, 'old')).toEqual({ to });
  });

  it('is not looked for where it is not to go back', () => {
    expect(findWayBack(deployment(false), SETS, 'old')).toBeUndefined();
  });

  it.each<[string, RolledBack | undefined, readonly SeenSet[], string | undefined, string]>([
    ['nothing was rolled out whole', undefined, SETS, undefined, 'no template'],
    ['it would go back to what it has', undefined, SETS, 'new', 'go back to'],
    ['it was before', { from: 'new', revision: 2, why: 'x' }, SETS, 'old', 'in place again'],
    ['the set is gone', undefined, SETS.slice(1), 'old', 'is gone'],
    ['the set goes', undefined, [set('old', { deletedAt: '2026-01-01T00:00:00Z' })], 'old', 'is gone'],
  ])('is barred where %s', (_what, rolledBack, sets, complete, words) => {
    expect(findWayBack(deployment(true, rolledBack), sets, complete)?.barred).toContain(words);
  });

  it('is open for another template than that which was rolled back from', () => {
    const before = { from: 'other', revision: 2, why: 'x' };
    expect(findWayBack(deployment(true, before), SETS, 'old')?.to?.name).toBe('d-old');
  });
});
