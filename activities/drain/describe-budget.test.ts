import { describe, expect, it } from '@jest/globals';
import type { DisruptionBudget } from '../../k8s/model/disruption-budget.ts';
import { readPod } from '../../k8s/model/pod.ts';
import { aPod } from '../../test/world/builders/a-pod.ts';
import { describeBudget } from './describe-budget.ts';

const STATUS = { disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2 };

function budget(name: string, spec: DisruptionBudget['spec'] = { selector: { matchLabels: { app: 'web' } } }) {
  return { metadata: { name, namespace: 'default' }, spec, status: STATUS };
}
const pod = (ready = true) => readPod(aPod({ labels: { app: 'web' }, ready }));
const words = (budgets: readonly DisruptionBudget[], ready = true) => describeBudget(pod(ready), budgets, 'as it came');

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

  it('is told with a way out where it is not Ready itself', () => {
    expect(words([budget('web')], false)).toContain('unhealthyPodEvictionPolicy: AlwaysAllow');
    const spec = { selector: {}, unhealthyPodEvictionPolicy: 'AlwaysAllow' };
    expect(words([budget('web', spec)], false)).not.toContain('unhealthyPodEvictionPolicy');
  });

  it('is told with both budgets where there are two', () => {
    expect(words([budget('web'), budget('all', { selector: {} })])).toMatch(/web and all both select it/);
  });

  it('is told in the words of the API server where no budget is found', () => {
    const elsewhere = { ...budget('web'), metadata: { name: 'web', namespace: 'elsewhere' } };
    expect([words([]), words([budget('none', {})]), words([elsewhere])]).toEqual(Array(3).fill('as it came'));
  });
});
