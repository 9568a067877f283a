import { describe, expect, it } from '@jest/globals';
import type { PreparedLaunch } from '../k8s/model/machine.ts';
import { ProviderError, type LaunchTurns, type Provider } from '../providers/provider.ts';
import { createCloudActivities, targetOf } from '../test/unit/cloud-activities.ts';

const TURNED_AWAY = new ProviderError('Throttled', 'launches were not called yet: 40 calls have their turn before it', {
  notSent: true,
  cloudCode: 'AwaitingTurn',
  retryAfterMs: 17_000,
});

function turns(changes: Partial<LaunchTurns>): LaunchTurns {
  return { lineUp: async () => {}, take: async () => {}, ...changes };
}

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
      const request = { ...targetOf('m'), clusterName: 'c', launch: status.launch, lookFirst: false, ...more };
      return run((own) => own.launchInstance(request), { isLocal: false });
    },
  };
}

describe('a launch that the limits have no room for', () => {
  it.each([false, true])(
    'is not called, and the cloud is asked for nothing else (look first: %s)',
    async (lookFirst) => {
      const { cloud, call } = prepared({ launchTurns: turns({ take: () => Promise.reject(TURNED_AWAY) }) });
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
    const { cloud, call } = prepared({ launchTurns: turns({ take: () => Promise.reject(noSecret) }) });
    expect(await call()).toMatchObject({ outcome: 'notCalled', because: 'LookFailed' });
    expect(cloud.calls).toEqual([]);
  });
});

describe('a launch that is to be prepared', () => {
  function unprepared(lineUp: LaunchTurns['lineUp']) {
    const take = () => Promise.reject(new Error('the room is not taken yet'));
    const world = createCloudActivities((provider) => ({ ...provider, launchTurns: { lineUp, take } }));
    world.addMachine('m');
    const writes: string[] = [];
    world.kube.beforeWrite = (write) => void writes.push(write);
    const request = { ...targetOf('m'), attempt: 1, replace: false, status: { addresses: [], conditions: [] } };
    return { ...world, writes, prepare: () => world.run((own) => own.prepareLaunch(request)) };
  }

  it('is neither resolved nor written while its turn is far off', async () => {
    const { prepare, cloud, writes } = unprepared(() => Promise.reject(TURNED_AWAY));
    expect(await prepare()).toMatchObject({
      outcome: 'failed',
      failure: { notSent: true, cloudCode: 'AwaitingTurn', retryAfterMs: 17_000 },
    });
    expect([cloud.calls, writes]).toEqual([[], []]);
  });

  it('lines up under the token of its call, and takes no room', async () => {
    const tokens: string[] = [];
    const { prepare } = unprepared(async (_credentials, token) => void tokens.push(token));
    const answer = await prepare();
    expect(answer).toMatchObject({ outcome: 'prepared' });
    expect(tokens).toEqual([answer.outcome === 'prepared' && answer.launch.token]);
  });

  it('is told what is wrong with it, although it cannot line up', async () => {
    const { prepare } = unprepared(() => Promise.reject(new ProviderError('Unauthenticated', 'there is no Secret')));
    expect(await prepare()).toMatchObject({ outcome: 'prepared' });
  });
});

describe('a launch that waited for its turn', () => {
  it('goes by what the Machine says after the wait', async () => {
    const { kube, cloud, call } = prepared({
      launchTurns: turns({
        take: async () => {
          kube.change('Machine', 'm', (object) => ({
            ...object,
            metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
          }));
        },
      }),
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
