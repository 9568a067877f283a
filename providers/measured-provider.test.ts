import { expect, test } from '@jest/globals';
import { systemClock } from './clock.ts';
import { measureProvider, type MeasuredCall } from './measured-provider.ts';
import { ProviderError } from './provider-error.ts';
import type { LaunchRequest, Provider } from './provider.ts';

const owner = { clusterName: 'c', namespace: 'ns', name: 'm', uid: 'u', clusterUid: 'cluster-1' };
const credentials = { namespace: 'ns' };

class FakeProvider {
  readonly name = 'fake';
  readonly providerSpecKinds = ['FakeSpec'];
  readonly describeBatchSize = 7;
  readonly #answer = 'own state';
  credentialsOf = () => credentials;
  withDefaults(spec: Readonly<Record<string, unknown>>) {
    return { ...spec, filled: this.#answer };
  }
  async describe() {
    return [];
  }
  async launch(): Promise<never> {
    throw new ProviderError('Throttled', 'slow down');
  }
}

function measured(): { provider: Provider; calls: MeasuredCall[] } {
  const calls: MeasuredCall[] = [];
  const provider = measureProvider(new FakeProvider() as unknown as Provider, systemClock, (call) => calls.push(call));
  return { provider, calls };
}

test('a call that succeeds is told with its duration', async () => {
  const { provider, calls } = measured();
  expect(await provider.describe(credentials, ['i-1'])).toEqual([]);
  expect(calls).toEqual([{ provider: 'fake', operation: 'describe', seconds: expect.any(Number) }]);
});

test('a call that fails is told with its code and its machine, and fails as it did', async () => {
  const { provider, calls } = measured();
  const error = await provider.launch({ owner } as LaunchRequest).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ProviderError);
  expect(calls).toMatchObject([{ operation: 'launch', errorCode: 'Throttled', owner }]);
});

test('what asks nothing of the cloud is handed on, and not told', () => {
  const { provider, calls } = measured();
  expect(provider).toMatchObject({ name: 'fake', providerSpecKinds: ['FakeSpec'], describeBatchSize: 7 });
  expect(provider.withDefaults?.({ a: 1 }, {})).toEqual({ a: 1, filled: 'own state' });
  expect(provider.credentialsOf({ owner, providerSpec: {} })).toBe(credentials);
  expect(provider).not.toHaveProperty('loadBalancing');
  expect(calls).toEqual([]);
});
