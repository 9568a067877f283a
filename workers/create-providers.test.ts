import { describe, expect, it } from '@jest/globals';
import type { KubeClient } from '../k8s/client.ts';
import { systemClock } from '../providers/clock.ts';
import { parseCloudRates } from '../providers/cloud-rates.ts';
import { createProviders } from './create-providers.ts';
import { given } from '../providers/given.ts';

function providersWith(rates?: string) {
  const options = {
    temporal: { address: 'nowhere:7233', namespace: 'default', access: {} },
    simulatedEndpoint: 'http://127.0.0.1:1',
    ...given({ cloudRates: rates === undefined ? undefined : parseCloudRates(rates) }),
  };
  let shown = 0;
  const kube = {} as KubeClient;
  const providers = createProviders(options, kube, systemClock, {
    onCloudCall: () => {},
    showRates: () => (shown += 1),
  });
  const isHeld = (name: string) => providers.byName(name)?.launchTurns !== undefined;
  return { aws: isHeld('aws'), simulated: isHeld('simulated'), shown };
}

describe('the clouds of a worker', () => {
  it('are held to the limits that they document, and to no others', () => {
    expect(providersWith()).toEqual({ aws: true, simulated: false, shown: 1 });
  });

  it('are held to what the operator says instead', () => {
    expect(providersWith('aws=none')).toEqual({ aws: false, simulated: false, shown: 0 });
    expect(providersWith('simulated:launch=5+2')).toEqual({ aws: true, simulated: true, shown: 2 });
  });

  it('are told apart from those that are not there', () => {
    expect(() => providersWith('azure=none')).toThrow('rates are given for the cloud azure');
  });
});
