import { describe, expect, it } from '@jest/globals';
import { changedSignal } from '../../workflows/signals.ts';
import { ProviderError } from '../../providers/provider-error.ts';
import { straight } from '../world/kubernetes/request.ts';
import { MachineWorld } from '../world/machine-world.ts';
import { refused } from '../world/world-cloud.ts';
import { holdBack, provisioned } from './machine-stages.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

/** The limits that the worker keeps to have no room for the call before 20 s. */
const NO_ROOM = new ProviderError('Throttled', 'not called yet: 40 calls of the account have their turn before it', {
  cloudCode: 'AwaitingTurn',
  retryAfterMs: 20_000,
  notSent: true,
});

const isWaiting = (world: MachineWorld) => () => world.status.waiting?.reason === 'AwaitingTurn';

describe('a machine whose call the limits have no room for', () => {
  it('sleeps until its turn, says so, and counts and looks up nothing', async () => {
    const world = new MachineWorld('turned-away', temporal.clock);
    const launches = holdBack(world, 'launch', NO_ROOM, (nth) => nth <= 3);
    await temporal.startMachine(world);
    await temporal.until(isWaiting(world));
    const { message, nextTry } = world.status.waiting ?? {};
    expect(message).toBe(NO_ROOM.message);
    const waitMs = Date.parse(nextTry ?? '') - (launches[0] ?? 0);
    expect(waitMs).toBeGreaterThanOrEqual(20_000);
    expect(waitMs).toBeLessThan(22_000);
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 70, step: 1 });
    // Each time after 20 s, however often it was so.
    expect(launches).toHaveLength(4);
    launches.slice(1).forEach((at, i) => expect(at - (launches[i] ?? 0)).toBeLessThan(23_000));
    expect(world.launches.map(({ token }) => token)).toEqual([world.token(1)]);
    expect(world.cloud.calls('describe')).toEqual([]);
    expect(world.events.filter((e) => e.type === 'Warning')).toEqual([]);
    expect(world.condition('MachineCreation')?.status).toBe('True');
  });

  it('waits as long for capacity as it would have', async () => {
    const world = new MachineWorld('turned-away-twice', temporal.clock);
    world.cloud.fail({ action: 'launch', code: 'InsufficientInstanceCapacity', times: 2 });
    const launches = holdBack(world, 'launch', NO_ROOM, (nth) => nth === 2 || nth === 4);
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 400, step: 2 });
    const [, , second = 0, , third = 0] = launches;
    expect(third - second).toBeGreaterThanOrEqual(120_000);
    expect(world.launches.map(({ ok }) => ok)).toEqual([false, false, true]);
  });

  it('is told so where already the reads for the launch have to wait', async () => {
    const world = new MachineWorld('unread', temporal.clock);
    world.cloud.onRequest = refused('catalog', NO_ROOM);
    await temporal.startMachine(world);
    await temporal.until(isWaiting(world));
    expect(world.condition('MachineCreation')).toBeUndefined();
    world.cloud.onRequest = straight;
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 23, step: 1 });
    expect(world.events.filter((e) => e.type === 'Warning')).toEqual([]);
  });

  it('goes at once when it is deleted before its turn: nothing was launched', async () => {
    const world = new MachineWorld('deleted-before', temporal.clock);
    holdBack(world, 'launch', NO_ROOM);
    const handle = await temporal.startMachine(world);
    await temporal.until(isWaiting(world));
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.object === undefined, { within: 5 });
    expect(world.cloud.calls('describe', 'terminate')).toEqual([]);
  });
});

describe('an instance whose call the limits have no room for', () => {
  it('is terminated at its turn, in the same short way', async () => {
    const { world, handle } = await provisioned(temporal, 'late-end');
    const asked = holdBack(world, 'terminate', NO_ROOM, (nth) => nth === 1);
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.until(isWaiting(world));
    expect(asked).toHaveLength(1);
    await temporal.until(() => world.object === undefined, { within: 30 });
    expect(asked).toHaveLength(2);
    expect(world.events.filter((e) => e.type === 'Warning')).toEqual([]);
    // No step of it was recorded on its own.
    const { events } = await handle.fetchHistory();
    const scheduled = events?.filter((e) => e.activityTaskScheduledEventAttributes !== null).length;
    expect(scheduled).toBe(1);
  });

  it('stays what it was known to be when a look has to wait', async () => {
    const { world, handle } = await provisioned(temporal, 'late-look');
    world.cloud.onRequest = refused('describe', NO_ROOM);
    world.nodeRegisters();
    await temporal.signal(handle, changedSignal);
    await temporal.until(isWaiting(world), { within: 60 });
    expect(world.condition('InstanceExists')).toMatchObject({ status: 'True' });
    world.cloud.onRequest = straight;
    await temporal.until(() => world.status.waiting === undefined, { within: 30 });
    expect(world.status.phase).toBe('Running');
  });
});
