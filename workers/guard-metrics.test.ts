import { expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { createGuardMetrics } from './guard-metrics.ts';

it('a cloud that does not answer is a series for as long as that lasts', async () => {
  const registry = new Registry();
  const { onBreaker, onNotSent } = createGuardMetrics(registry);
  const calls = { provider: 'aws', credentials: { namespace: 'ns', region: 'eu-1' }, group: 'launches' } as const;
  onBreaker(calls, true);
  onNotSent('aws', 'launch');
  const shown = await registry.metrics();
  expect(shown).toContain(
    'millwright_cloud_not_answering{provider="aws",namespace="ns",secret="",region="eu-1",calls="launches"} 1',
  );
  expect(shown).toContain('millwright_cloud_calls_not_sent_total{provider="aws",operation="launch"} 1');
  onBreaker(calls, false);
  expect(await registry.metrics()).not.toContain('millwright_cloud_not_answering{');
});
