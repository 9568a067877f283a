import { describe, expect, it } from '@jest/globals';
import type { PreparedLaunch } from '../k8s/model/machine.ts';
import { ProviderError, type Provider } from '../providers/provider.ts';
import { createCloudActivities, targetOf } from '../test/unit/cloud-activities.ts';

const TURNED_AWAY = new ProviderError('Throttled', 'launches were not called yet: 40 calls have their turn before it', {
  notSent: true,
  cloudCode: 'AwaitingTurn',
  retryAfterMs: 17_000,
});

/** A Machine m whose first attempt is prepared, in a cloud with limits. */
function prepared(changes: Partial<Provider> = {}) {
  const world = createCloudActivities((provider) => ({ ...provider, ...changes }));
  const { kube, cloud, run } = world;
  world.addMachine('m', { launched: {} });
  const status = kube.all('Machine')[0]?.status?.['providerStatus'] as { readonly launch: PreparedLaunch };
  return {
    kube,
    cloud,
    call: (more: { readonly lookFirst?: boolean; readonly trustToken?: true } = {}) => {
      const request = { ...targetOf('m'), machineCluster: 'c', launch: status.launch, lookFirst: false, ...more };
      return run((own) => own.launchInstance(request), { isLocal: false });
    },
  };
}

describe('a launch that the limits have no room for', () => {
  it.each([false, true])(
    'is not called, and the cloud is asked for nothing else (look first: %s)',
    async (lookFirst) => {
      const { cloud, call } = prepared({ awaitLaunch: () => Promise.reject(TURNED_AWAY) });
      expect(await call({ lookFirst })).toMatchObject({
        outcome: 'notCalled',
        because: 'NotSent',
        failure: { notSent: true, retryAfterMs: 17_000, message: TURNED_AWAY.message },
      });
      expect(cloud.calls).toEqual([]);
    },
  );

  it('is not called either where that turns out only when it is sent', async () => {
    const { call } = prepared({ launch: () => Promise.reject(TURNED_AWAY) });
    expect(await call()).toMatchObject({ outcome: 'notCalled', because: 'NotSent', failure: { retryAfterMs: 17_000 } });
  });

  it('is not called where its turn cannot be asked for', async () => {
    const noSecret = new ProviderError('Unauthenticated', 'there is no Secret');
    const { cloud, call } = prepared({ awaitLaunch: () => Promise.reject(noSecret) });
    expect(await call()).toMatchObject({ outcome: 'notCalled', because: 'LookFailed' });
    expect(cloud.calls).toEqual([]);
  });
});

describe('a launch that waited for its turn', () => {
  it('goes by what the Machine says after the wait', async () => {
    const { kube, cloud, call } = prepared({
      awaitLaunch: async () => {
        kube.change('Machine', 'm', (object) => ({
          ...object,
          metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
        }));
      },
    });
    expect(await call()).toMatchObject({ outcome: 'notCalled', because: 'Changed' });
    expect(cloud.called('launch')).toHaveLength(0);
  });
});

describe('the repeat of a launch that was only ever throttled', () => {
  it('needs no look-up, where the cloud has tokens', async () => {
    const { cloud, call } = prepared();
    expect(await call({ lookFirst: true, trustToken: true })).toMatchObject({ outcome: 'instance', found: false });
    expect(cloud.called('findByMachine')).toHaveLength(0);
  });

  it('is not sent where the cloud has none any more', async () => {
    const { cloud, call } = prepared({ idempotency: 'lookup' });
    const answer = await call({ lookFirst: true, trustToken: true });
    expect(answer).toMatchObject({ outcome: 'notCalled', because: 'NotAsPrepared' });
    expect(cloud.calls).toEqual([]);
  });
});
