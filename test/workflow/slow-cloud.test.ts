import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, it } from '@jest/globals';
import { changedSignal, inspectSignal } from '../../workflows/signals.ts';
import { NOT_ASKED } from './cloud-failures.ts';
import { MachineWorld, type Call } from './machine-world.ts';
import { DELETED, provisioned } from './stages.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

/** When the next try is due, in milliseconds, less what a workflow's clock may lag behind its activities'. */
const DUE_MS = (NOT_ASKED.retryAfterMs ?? 0) - 1000;

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const timesOf = (world: MachineWorld, name: Call['name']) =>
  world.calls.filter((call) => call.name === name).map(({ at }) => at);

describe('a cloud that does not answer', () => {
  it('is told in conditions, with the time of the next try, before which nobody looks', async () => {
    const { world, handle } = await provisioned(temporal, 'unlooked');
    world.lookFailure = NOT_ASKED;
    await temporal.signal(handle, inspectSignal);
    await temporal.until(() => world.status.waiting?.reason === 'CloudNotAnswering');
    expect(world.condition('InstanceExists')).toMatchObject({ status: 'Unknown', reason: 'CloudNotAnswering' });
    const [first = 0] = timesOf(world, 'lookAtInstance');
    expect(Date.parse(world.status.waiting?.nextTry ?? '')).toBeGreaterThanOrEqual(first + DUE_MS);
    await temporal.until(() => world.called('lookAtInstance') === 2, { within: 300, step: 5 });
    expect((timesOf(world, 'lookAtInstance')[1] ?? 0) - first).toBeGreaterThanOrEqual(DUE_MS);
  });

  it('is looked at when the worker asks it again, however often it was not asked before', async () => {
    const { world, handle } = await provisioned(temporal, 'refused-often');
    world.lookFailure = { ...NOT_ASKED, retryAfterMs: 12_000 };
    await temporal.signal(handle, inspectSignal);
    await temporal.until(() => world.called('lookAtInstance') === 10, { within: 300, step: 5 });
    const times = timesOf(world, 'lookAtInstance');
    const pauses = times.slice(1).map((at, i) => at - (times[i] ?? 0));
    expect(Math.max(...pauses)).toBeLessThan(20_000);
  });

  it('is not asked to terminate before its time', async () => {
    const { world, handle } = await provisioned(temporal, 'unended');
    world.terminationFailure = NOT_ASKED;
    world.change(DELETED);
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.reason === 'CloudNotAnswering');
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    const [first = 0, second = 0] = timesOf(world, 'terminateInstance');
    expect(second - first).toBeGreaterThanOrEqual(DUE_MS);
  });

  it('owes nothing for launches that were never sent: the Machine can be deleted at once', async () => {
    const world = new MachineWorld('unsent', temporal.now);
    world.fateOf = () => NOT_ASKED;
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'CloudNotAnswering');
    await temporal.until(() => world.launches.length === 2, { within: 300, step: 5 });
    const [first, second] = world.launches;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(DUE_MS);
    expect(second).toMatchObject({ attempt: 1, lookFirst: false });
    world.change(DELETED);
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle, 30)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.called('findInstances') + world.called('terminateInstance')).toBe(0);
  });

  it('proves an absence by when it was asked, not by when its answer was fetched', async () => {
    const { world, handle } = await provisioned(temporal, 'late-answer');
    world.instances = [];
    const since = await temporal.now();
    world.change(DELETED);
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.called('lookAtInstance') === 2, { within: 300, step: 10 });
    world.lookAgoMs = 40_000;
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    const last = timesOf(world, 'lookAtInstance').at(-1) ?? 0;
    expect(last - world.lookAgoMs - since).toBeGreaterThanOrEqual(300_000);
  });

  it('is asked by timers for what a vanished Machine left: no workflow task waits for that', async () => {
    const { world, handle } = await provisioned(temporal, 'left');
    let looks = 0;
    world.lookAtLeftover = async () => {
      looks += 1;
      if (looks > 2) return { outcome: 'unknown' };
      throw ApplicationFailure.create({ type: 'Unavailable', message: 'not yet', nextRetryDelay: 6000 });
    };
    world.object = undefined;
    await temporal.signal(handle, changedSignal);
    await temporal.resultOf(handle);
    expect(looks).toBe(3);
    const { events } = await handle.fetchHistory();
    const timers = (events ?? []).flatMap(({ timerStartedEventAttributes: timer }) => timer?.startToFireTimeout ?? []);
    expect(timers.filter(({ seconds }) => Number(seconds) === 6)).toHaveLength(2);
  });
});
