import { describe, expect, it } from '@jest/globals';
import type { DisruptionBudget } from '../../k8s/model/disruption-budget.ts';
import { readPod } from '../../k8s/model/pod.ts';
import { aPod } from '../../test/world/builders/a-pod.ts';
import { areFewEnough, describeBudget } from './describe-budget.ts';

const STATUS = { disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2 };

function budget(name: string, spec: DisruptionBudget['spec'] = { selector: { matchLabels: { app: 'web' } } }) {
  return { metadata: { name, namespace: 'default' }, spec, status: STATUS };
}
const pod = (ready = true) => readPod(aPod({ labels: { app: 'web' }, ready }));
const words = (budgets: readonly DisruptionBudget[], ready = true, by: 'budget' | 'budgets' = 'budget') =>
  describeBudget(pod(ready), budgets, { by, words: 'as it came' });

describe('a pod that is kept by its budget', () => {
  it('is told with the name of the budget, and with what it still allows', () => {
    const other = budget('db', { selector: { matchLabels: { app: 'db' } } });
    expect(words([other, budget('web')])).toBe(
      'PodDisruptionBudget web allows 0 disruptions now (2 healthy, 2 needed)',
    );
    expect(words([budget('all', { selector: {} })])).toContain('PodDisruptionBudget all');
  });

  it('is told that nothing is allowed where the budget has no status yet', () => {
    const { status: _none, ...fresh } = budget('web');
    expect(words([fresh])).toBe('PodDisruptionBudget web allows 0 disruptions now (0 healthy, 0 needed)');
  });

  it('is told with why nothing is allowed although more are healthy than are needed', () => {
    const status = { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 0, expectedPods: 0 };
    expect(words([{ ...budget('web', { selector: {} }), status }])).toBe(
      'PodDisruptionBudget web allows 0 disruptions now (1 healthy, 0 needed; with maxUnavailable pods without a controller count for nothing)',
    );
    // Here no more are.
    expect(words([{ ...budget('web', { selector: {} }), status: { ...status, currentHealthy: 0 } }])).toBe(
      'PodDisruptionBudget web allows 0 disruptions now (0 healthy, 0 needed)',
    );
  });

  it('is told with a way out where it is not Ready itself', () => {
    expect(words([budget('web')], false)).toContain('unhealthyPodEvictionPolicy: AlwaysAllow');
    const spec = { selector: {}, unhealthyPodEvictionPolicy: 'AlwaysAllow' };
    expect(words([budget('web', spec)], false)).not.toContain('unhealthyPodEvictionPolicy');
  });

  it('is told with both budgets where there are two', () => {
    const both = [budget('web'), budget('all', { selector: {} })];
    expect(words(both, true, 'budgets')).toMatch(/web and all both apply/);
  });

  it('is told by what its last try was answered, where its budgets are others by now', () => {
    const allowing = { ...budget('web'), status: { ...STATUS, disruptionsAllowed: 1, desiredHealthy: 1 } };
    const tried = 'at the last try';
    expect(words([allowing])).toBe(
      `PodDisruptionBudget web did not allow the eviction ${tried}, and allows 1 disruption now (2 healthy, 1 needed): the next try comes by itself`,
    );
    expect(words([budget('web'), budget('all', { selector: {} })])).toBe(
      `one PodDisruptionBudget did not allow the eviction ${tried}, and web and all both apply now`,
    );
    expect(words([allowing], true, 'budgets')).toBe(
      `several PodDisruptionBudgets applied ${tried}, and only web does now: the next try comes by itself`,
    );
    expect(words([], true, 'budgets')).toBe(
      `several PodDisruptionBudgets applied ${tried}, and none does now: the next try comes by itself`,
    );
  });

  it('is told in the words of the API server where no budget is found', () => {
    const elsewhere = { ...budget('web'), metadata: { name: 'web', namespace: 'elsewhere' } };
    expect([words([]), words([budget('none', {})]), words([elsewhere])]).toEqual(Array(3).fill('as it came'));
  });
});

it('a pod may leave with one budget of its own or none, and not with two', () => {
  const [web, all] = [budget('web'), budget('all', { selector: {} })];
  const other = budget('db', { selector: { matchLabels: { app: 'db' } } });
  const few = [[], [other], [web, other], [web, all], [web, all, other]].map((budgets) => areFewEnough(pod(), budgets));
  expect(few).toEqual([true, true, true, false, false]);
});
