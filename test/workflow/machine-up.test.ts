import { describe, expect, it } from '@jest/globals';
import { changedSignal } from '../../workflows/signals.ts';
import { spentUntil } from './history-budget.ts';
import { MachineWorld } from '../world/machine-world.ts';
import { looks, runningMachine } from './machine-stages.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

describe('a machine that comes up', () => {
  it('launches once and is Running, within 24 events and 4 workflow tasks', async () => {
    const { world, handle } = await runningMachine(temporal, 'up');
    expect(world.status).toMatchObject({ phase: 'Running', nodeRef: { name: 'node-of-up' } });
    expect(world.status.waiting).toBeUndefined();
    expect(world.cloud.calls('launch', 'describe').map(({ action, token }) => [action, token])).toEqual([
      ['launch', world.token(1)],
      ['describe', null],
    ]);
    const { events } = await handle.fetchHistory();
    const spent = spentUntil(events ?? [], 'writeMachineStatus');
    expect(spent.events).toBeLessThanOrEqual(24);
    expect(spent.tasks).toBeLessThanOrEqual(4);
  });

  it('sleeps once it runs: an hour costs no activity and no workflow task', async () => {
    const { world, handle } = await runningMachine(temporal, 'idle');
    await temporal.pass(1);
    const spent = async () => [world.requests.length, (await handle.describe()).historyLength];
    const before = await spent();
    await temporal.pass(3600);
    expect(await spent()).toEqual(before);
  });

  it('looks at everything once in six hours, whatever was signalled', async () => {
    const { world } = await runningMachine(temporal, 'resync');
    await temporal.until(() => looks(world).length === 2, { within: 7 * 3600, step: 600 });
  });

  it('writes nothing after a look that finds nothing new', async () => {
    const { world, handle } = await runningMachine(temporal, 'quiet');
    await temporal.pass(1);
    const written = world.asked('apply', 'status').length;
    const reads = world.asked('get').length;
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.asked('get').length > reads);
    await temporal.pass(1);
    expect(world.asked('apply', 'status')).toHaveLength(written);
  });

  it('still looks once in six hours when its Node object was deleted', async () => {
    const { world, handle } = await runningMachine(temporal, 'nodeless');
    world.nodeGoes();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('NodeReady')?.reason === 'NodeMissing');
    const reads = world.asked('get').length;
    await temporal.until(() => world.asked('get').length > reads, { within: 7 * 3600, step: 600 });
  });

  it('finds the instance of an earlier workflow before it would launch: the stored attempt is taken over', async () => {
    const world = new MachineWorld('taken-over', temporal.clock);
    world.cloud.fail({ action: 'launch', when: 'after', answer: 'reset', times: 1 });
    await temporal.startMachine(world);
    await temporal.until(() => world.instances.length === 1);
    await temporal.endAll();

    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 400 });
    expect(world.instances).toHaveLength(1);
    expect(world.launches).toHaveLength(1);
    expect(world.status.launch).toMatchObject({ attempt: 1, token: world.token(1) });
  });

  it('leaves its instance alone when the spec changes after the launch, and says so', async () => {
    const { world, handle } = await runningMachine(temporal, 'changed');
    await world.setSpec({ instanceType: 'sim.large' });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('UpToDate')?.reason === 'UnsupportedChange');
    expect(world.launches).toHaveLength(1);
    expect(world.cloud.calls('terminate')).toHaveLength(0);
    expect(world.status.phase).toBe('Running');
  });

  it('does nothing while it is paused, and goes on when the pause ends', async () => {
    const world = new MachineWorld('paused', temporal.clock);
    await world.pause();
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.condition('Paused')?.status === 'True');
    await temporal.pass(3600);
    expect([world.status.launch, world.launches]).toEqual([undefined, []]);
    await world.resume();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.phase === 'Provisioned');
    expect(world.condition('Paused')).toBeUndefined();
  });

  it('clears a search attribute that the run before it had set', async () => {
    const world = new MachineWorld('attributes', temporal.clock);
    const handle = await temporal.startMachine(world, { reason: 'InsufficientInstanceCapacity' });
    await temporal.until(() => world.status.phase === 'Provisioned');
    await temporal.pass(1);
    const { events } = await handle.fetchHistory();
    const upserts = (events ?? []).flatMap((e) =>
      Object.keys(e.upsertWorkflowSearchAttributesEventAttributes?.searchAttributes?.indexedFields ?? {}),
    );
    expect(upserts).toContain('MachineReason');
  });
});
