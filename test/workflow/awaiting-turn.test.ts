import { describe, expect, it } from '@jest/globals';
import { changedSignal } from '../../workflows/signals.ts';
import { NO_CAPACITY, NOT_SENT } from './cloud-failures.ts';
import { MachineWorld, type LaunchFate } from './machine-world.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const TURNED_AWAY: LaunchFate = { outcome: 'notCalled', because: 'NotSent', failure: NOT_SENT };

const isWaiting = (world: MachineWorld) => () => world.status.waiting?.reason === 'AwaitingTurn';

describe('a machine whose call the limits have no room for', () => {
  it('sleeps until its turn, says so, and counts and looks up nothing', async () => {
    const world = new MachineWorld('turned-away', temporal.now);
    world.fateOf = (call) => (call <= 3 ? TURNED_AWAY : 'instance');
    await temporal.startMachine(world);
    await temporal.until(isWaiting(world));
    const { message, nextTry } = world.status.waiting ?? {};
    expect(message).toBe(NOT_SENT.message);
    const [first] = world.launches;
    const waitMs = Date.parse(nextTry ?? '') - (first?.at ?? 0);
    expect(waitMs).toBeGreaterThanOrEqual(20_000);
    expect(waitMs).toBeLessThan(22_000);
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 70, step: 1 });
    // Each time after 20 s, however often it was so.
    const [, second, third, fourth] = world.launches;
    for (const [before, after] of [
      [first, second],
      [second, third],
      [third, fourth],
    ]) {
      expect((after?.at ?? 0) - (before?.at ?? 0)).toBeLessThan(23_000);
    }
    expect(world.launches.map((c) => [c.token, c.lookFirst])).toEqual(
      Array.from({ length: 4 }, () => ['token-1', false]),
    );
    expect(world.called('findInstances')).toBe(0);
    expect(world.events.filter((e) => e.type === 'Warning')).toEqual([]);
    expect(world.condition('MachineCreation')?.status).toBe('True');
  });

  it('waits as long for capacity as it would have', async () => {
    const world = new MachineWorld('turned-away-twice', temporal.now);
    world.fateOf = (call) => [NO_CAPACITY, TURNED_AWAY, NO_CAPACITY, TURNED_AWAY][call - 1] ?? 'instance';
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 400, step: 2 });
    const [, , second, , third] = world.launches;
    expect((third?.at ?? 0) - (second?.at ?? 0)).toBeGreaterThanOrEqual(120_000);
  });

  it('is told so where already the reads for the launch have to wait', async () => {
    const world = new MachineWorld('unread', temporal.now);
    world.resolveFailure = NOT_SENT;
    await temporal.startMachine(world);
    await temporal.until(isWaiting(world));
    expect(world.condition('MachineCreation')).toBeUndefined();
    world.resolveFailure = undefined;
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 23, step: 1 });
    expect(world.events.filter((e) => e.type === 'Warning')).toEqual([]);
  });

  it('goes at once when it is deleted before its turn: nothing was launched', async () => {
    const world = new MachineWorld('deleted-before', temporal.now);
    world.fateOf = () => TURNED_AWAY;
    const handle = await temporal.startMachine(world);
    await temporal.until(isWaiting(world));
    world.change({ deletedAt: new Date(0).toISOString() });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.object === undefined, { within: 5 });
    expect(world.called('findInstances')).toBe(0);
    expect(world.called('terminateInstance')).toBe(0);
  });
});

describe('an instance whose call the limits have no room for', () => {
  it('is terminated at its turn, in the same short way', async () => {
    const world = new MachineWorld('late-end', temporal.now);
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned');
    world.terminationFailure = NOT_SENT;
    world.change({ deletedAt: new Date(0).toISOString() });
    await temporal.signal(handle, changedSignal);
    await temporal.until(isWaiting(world));
    expect(world.called('terminateInstance')).toBe(1);
    await temporal.until(() => world.object === undefined, { within: 30 });
    expect(world.called('terminateInstance')).toBe(2);
    expect(world.events.filter((e) => e.type === 'Warning')).toEqual([]);
    // No step of it was recorded on its own.
    const { events } = await handle.fetchHistory();
    const scheduled = events?.filter((e) => e.activityTaskScheduledEventAttributes !== null).length;
    expect(scheduled).toBe(1);
  });

  it('stays what it was known to be when a look has to wait', async () => {
    const world = new MachineWorld('late-look', temporal.now);
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned');
    world.lookFailure = NOT_SENT;
    world.nodeRegisters();
    await temporal.signal(handle, changedSignal);
    await temporal.until(isWaiting(world), { within: 60 });
    expect(world.condition('InstanceExists')).toMatchObject({ status: 'True' });
    world.lookFailure = undefined;
    await temporal.until(() => world.status.waiting === undefined, { within: 30 });
    expect(world.status.phase).toBe('Running');
  });
});
