import { describe, expect, it } from '@jest/globals';
import { ProviderError } from '../providers/provider-error.ts';
import type { LaunchTurns, Provider } from '../providers/provider.ts';
import { aLaunch } from '../test/world/builders/a-launch.ts';
import type { MachineFacts } from '../test/world/builders/a-machine.ts';
import { isWrite } from '../test/world/kubernetes/request.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { World } from '../test/world/world.ts';

const TURNED_AWAY = new ProviderError('Throttled', 'launches were not called yet: 40 calls have their turn before it', {
  notSent: true,
  cloudCode: 'AwaitingTurn',
  retryAfterMs: 17_000,
});

function turns(changes: Partial<LaunchTurns>): LaunchTurns {
  return { lineUp: async () => {}, take: async () => {}, ...changes };
}

/** A Machine in a cloud with limits. */
function limited(changes: Partial<Provider>, facts: MachineFacts = {}) {
  const world = new World(ownClock());
  world.replaceWorker({ ...world.cloud.provider, ...changes });
  return { world, cloud: world.cloud, target: world.addMachine(facts) };
}

/** A Machine whose first attempt is prepared. */
function prepared(changes: Partial<Provider> = {}) {
  const { world, cloud, target } = limited(changes, { launch: {} });
  const launch = aLaunch(target.ref);
  return {
    world,
    cloud,
    call: (more: { readonly lookFirst?: boolean; readonly trustToken?: true } = {}) => {
      const request = { ...target, clusterName: 'c1', launch, lookFirst: false, ...more };
      return world.run((own) => own.launchInstance(request), { isLocal: false });
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
      expect(cloud.requests).toEqual([]);
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
    expect(cloud.requests).toEqual([]);
  });
});

describe('a launch that is to be prepared', () => {
  function unprepared(lineUp: LaunchTurns['lineUp']) {
    const take = () => Promise.reject(new Error('the room is not taken yet'));
    const { world, cloud, target } = limited({ launchTurns: { lineUp, take } });
    const request = { ...target, attempt: 1, replace: false, status: { addresses: [], conditions: [] } };
    return { world, cloud, prepare: () => world.run((own) => own.prepareLaunch(request)) };
  }

  it('is neither resolved nor written while its turn is far off', async () => {
    const { prepare, cloud, world } = unprepared(() => Promise.reject(TURNED_AWAY));
    expect(await prepare()).toMatchObject({
      outcome: 'failed',
      failure: { notSent: true, cloudCode: 'AwaitingTurn', retryAfterMs: 17_000 },
    });
    expect([cloud.requests, world.requests.filter(isWrite)]).toEqual([[], []]);
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
    const take = async () => void world.addMachine({ launch: {}, deleting: true });
    const { world, cloud, call } = prepared({ launchTurns: turns({ take }) });
    expect(await call()).toMatchObject({ outcome: 'notCalled', because: 'Changed' });
    expect(cloud.asked('launch')).toEqual([]);
  });
});

describe('the repeat of a launch that was only ever throttled', () => {
  it('needs no look-up, where the cloud has tokens', async () => {
    const { cloud, call } = prepared();
    expect(await call({ lookFirst: true, trustToken: true })).toMatchObject({ outcome: 'instance', found: false });
    expect(cloud.asked('describe')).toEqual([]);
  });

  it('is not sent where the cloud has none any more', async () => {
    const { cloud, call } = prepared({ idempotency: 'lookup' });
    const answer = await call({ lookFirst: true, trustToken: true });
    expect(answer).toMatchObject({ outcome: 'notCalled', because: 'NotAsPrepared' });
    expect(cloud.requests).toEqual([]);
  });
});
