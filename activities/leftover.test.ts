import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { MACHINES } from '../k8s/dialects/openshift/resources.ts';
import { ProviderError } from '../providers/provider-error.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { refused } from '../test/world/world-cloud.ts';
import { World } from '../test/world/world.ts';
import type { MachineTarget } from '../workflows/machine/machine-activities.ts';

let world: World;
beforeEach(() => {
  world = new World(ownClock());
});

const aTold = (address: string) => ({ type: 'InternalIP', address }) as const;
const HERE = { provider: 'simulated', credentials: { namespace: 'default', region: 'sim-1' } };
const launched = (name: string) => world.addLaunched({ name, status: { phase: 'Running', observedGeneration: 1 } });
const stateOf = (id: string) => world.cloud.instance(id)?.state;
const look = (target: MachineTarget, id: string) =>
  world.run((on) => on.lookAtLeftover({ ...target, id, cloud: HERE }));
const end = (target: MachineTarget, id: string) =>
  world.run((on) => on.lookAtLeftover({ ...target, id, cloud: HERE, ends: true }));

describe('what a Machine that is gone left behind', () => {
  it('is gone only where the cloud shows that it ended', async () => {
    const { target, id } = await launched('web');
    expect(await look(target, id)).toEqual({ outcome: 'there' });
    await world.cloud.end(id);
    expect(await look(target, id)).toEqual({ outcome: 'gone' });
    expect(await look(target, 'i-00000000000000000')).toEqual({ outcome: 'absent' });
  });

  it('is unknown where it has no id of the cloud, which shares no call with others', async () => {
    const { target } = await launched('web');
    expect(await look(target, '*')).toEqual({ outcome: 'unknown' });
    expect(world.cloud.requests).toEqual([]);
  });

  it('is asked to end, where that is due, but not where it carries another Machine’s uid', async () => {
    const [{ target, id }, other] = [await launched('web'), await launched('db')];
    expect(await end(target, other.id)).toEqual({ outcome: 'there' });
    expect(await end(target, id)).toEqual({ outcome: 'gone' });
    expect([stateOf(id), stateOf(other.id)]).toEqual(['terminated', 'running']);
  });

  it('is not asked to end once more while it ends', async () => {
    const { target, id } = await launched('web');
    world.cloud.behave({ terminateMs: 60_000 });
    expect(await end(target, id)).toEqual({ outcome: 'there' });
    expect(await end(target, id)).toEqual({ outcome: 'there' });
    expect(world.cloud.asked('terminate')).toHaveLength(1);
  });

  it('is taken from behind its load balancers, where it is the Machine’s', async () => {
    const [{ target, id }, other] = [await launched('web'), await launched('db')];
    const balanced = { loadBalancers: [{ name: 'lb', type: 'network' }] };
    const take = (of: string) =>
      world.run((on) => on.lookAtLeftover({ ...target, id: of, cloud: HERE, ends: true, balanced }));
    expect(await take(other.id)).toEqual({ outcome: 'there' });
    expect(world.cloud.balancers.calls).toEqual([]);
    expect(await take(id)).toEqual({ outcome: 'gone', isDetached: true });
    expect(world.cloud.balancers.calls).toMatchObject([{ action: 'deregister', id }]);
  });

  it('is taken from there by the addresses that it had, but for those that another Machine has by now', async () => {
    const [{ target, id }, other] = [await launched('web'), await launched('db')];
    const told = [aTold('10.0.0.1'), aTold('10.0.0.2')];
    const status = { addresses: told.slice(1) };
    await world.kube.others.mergePatch(
      MACHINES,
      'default',
      other.target.ref.name,
      { status },
      { subresource: 'status' },
    );
    world.cloud.vanish(id);
    const balanced = { loadBalancers: [{ name: 'lb', type: 'network' }], addresses: told };
    const request = { ...target, id, cloud: HERE, ends: true, isKnownOwn: true, balanced } as const;
    expect(await world.run((on) => on.lookAtLeftover(request))).toEqual({ outcome: 'absent', isDetached: true });
    expect(world.cloud.balancers.calls).toMatchObject([{ action: 'deregister', id, addresses: told.slice(0, 1) }]);
  });

  it('ends also where its load balancers refuse to let it go, and the log names them', async () => {
    const { target, id } = await launched('web');
    const warn = jest.spyOn(world.deps.log, 'warn');
    world.cloud.onRequest = refused('deregister', new ProviderError('PermissionDenied', 'no'));
    const balanced = { loadBalancers: [{ name: 'lb', type: 'network' }] };
    const request = { ...target, id, cloud: HERE, ends: true, balanced } as const;
    expect(await world.run((on) => on.lookAtLeftover(request))).toEqual({ outcome: 'gone' });
    expect(stateOf(id)).toBe('terminated');
    expect(warn.mock.calls).toMatchObject([
      [
        { object: target.ref, instance: id, loadBalancers: ['lb'], error: expect.stringContaining('no') },
        expect.stringContaining('load balancers'),
      ],
    ]);
  });

  it('ends also where its load balancers do not let it go for now, which is tried again', async () => {
    const { target, id } = await launched('web');
    world.cloud.onRequest = refused('deregister', new ProviderError('Unavailable', 'not now'));
    const balanced = { loadBalancers: [{ name: 'lb', type: 'network' }] };
    const request = { ...target, id, cloud: HERE, ends: true, balanced } as const;
    await expect(world.run((on) => on.lookAtLeftover(request))).rejects.toMatchObject({ type: 'Unavailable' });
    expect(stateOf(id)).toBe('terminated');
  });

  it('is not looked at by the worker of another cluster', async () => {
    const { target, id } = await launched('web');
    await expect(look({ ...target, clusterUid: 'another' }, id)).rejects.toThrow('this worker serves the cluster');
  });
});

describe('a look at what a Machine left that fails', () => {
  it('leaves it unknown where the credentials lead to another account: there it is absent, which proves nothing', async () => {
    const { target } = await launched('web');
    const id = 'i-00000000000000000';
    const inAccount = (account: string) =>
      world.run((on) => on.lookAtLeftover({ ...target, id, cloud: HERE, account }));
    world.replaceWorker({ ...world.cloud.provider, accountOf: () => Promise.resolve('home') });
    expect(await inAccount('home')).toEqual({ outcome: 'absent' });
    expect(await inAccount('left')).toEqual({ outcome: 'unknown' });
  });

  it('is tried again while the cloud is away', async () => {
    const { target, id } = await launched('web');
    world.cloud.fail({ action: 'describe', code: 'ServiceUnavailable' });
    const message = expect.stringContaining('ServiceUnavailable');
    await expect(look(target, id)).rejects.toMatchObject({ type: 'Unavailable', message, nextRetryDelay: 6000 });
  });

  it('is tried again when the cloud has room for it', async () => {
    const { target, id } = await launched('web');
    for (const [retryAfterMs, nextRetryDelay] of [
      [20_000, 20_000],
      [1000, 6000],
    ] as const) {
      world.cloud.onRequest = refused('describe', new ProviderError('Throttled', 'slow down', { retryAfterMs }));
      await expect(look(target, id)).rejects.toMatchObject({ type: 'Throttled', nextRetryDelay });
    }
  });

  it('leaves it unknown where the cloud refuses, and the log says so', async () => {
    const { target, id } = await launched('web');
    const warn = jest.spyOn(world.deps.log, 'warn');
    world.cloud.fail({ action: 'describe', code: 'UnauthorizedOperation' });
    expect(await look(target, id)).toEqual({ outcome: 'unknown' });
    const told = { object: target.ref, instance: id, error: expect.stringContaining('UnauthorizedOperation') };
    expect(warn.mock.calls).toEqual([[told, 'could not look at it']]);
  });

  it('leaves it unknown where this worker does not have its provider', async () => {
    const { target, id } = await launched('web');
    const cloud = { ...HERE, provider: 'another' };
    expect(await world.run((on) => on.lookAtLeftover({ ...target, id, cloud }))).toEqual({ outcome: 'unknown' });
  });
});
