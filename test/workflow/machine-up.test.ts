import { describe, expect, it } from '@jest/globals';
import { changedSignal } from '../../workflows/signals.ts';
import { spentUntil } from './history-budget.ts';
import { MachineWorld } from './machine-world.ts';
import { runningMachine } from './stages.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

describe('a machine that comes up', () => {
  it('launches once and is Running, within 24 events and 4 workflow tasks', async () => {
    const { world, handle } = await runningMachine(temporal, 'up');
    expect(world.status).toMatchObject({ phase: 'Running', nodeRef: { name: 'node-of-up' } });
    expect(world.status.waiting).toBeUndefined();
    expect(world.launches).toEqual([expect.objectContaining({ token: 'token-1', lookFirst: false })]);
    const { events } = await handle.fetchHistory();
    const spent = spentUntil(events ?? [], 'writeMachineStatus');
    expect(spent.events).toBeLessThanOrEqual(24);
    expect(spent.tasks).toBeLessThanOrEqual(4);
  });

  it('sleeps once it runs: an hour costs no activity and no workflow task', async () => {
    const { world, handle } = await runningMachine(temporal, 'idle');
    await temporal.pass(1);
    const before = { calls: world.calls.length, events: (await handle.describe()).historyLength };
    await temporal.pass(3600);
    expect({ calls: world.calls.length, events: (await handle.describe()).historyLength }).toEqual(before);
  });

  it('looks at everything once in six hours, whatever was signalled', async () => {
    const { world } = await runningMachine(temporal, 'resync');
    await temporal.until(() => world.called('lookAtInstance') === 2, { within: 7 * 3600, step: 600 });
  });

  it('writes nothing after a look that finds nothing new', async () => {
    const { world, handle } = await runningMachine(temporal, 'quiet');
    await temporal.pass(1);
    const written = world.statuses.length;
    const looks = world.called('observeMachine');
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.called('observeMachine') > looks);
    await temporal.pass(1);
    expect(world.statuses).toHaveLength(written);
  });

  it('still looks once in six hours when its Node object was deleted', async () => {
    const { world, handle } = await runningMachine(temporal, 'nodeless');
    world.nodes = [];
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('NodeReady')?.reason === 'NodeMissing');
    const looks = world.called('observeMachine');
    await temporal.until(() => world.called('observeMachine') > looks, { within: 7 * 3600, step: 600 });
  });

  it('finds the instance of an earlier workflow before it would launch: the stored attempt is taken over', async () => {
    const first = new MachineWorld('taken-over', temporal.now);
    first.fateOf = () => 'unansweredInstance';
    await temporal.startMachine(first);
    await temporal.until(() => first.instances.length === 1);
    await temporal.endAll();

    await temporal.startMachine(first);
    await temporal.until(() => first.status.phase === 'Provisioned', { within: 400 });
    expect(first.instances).toHaveLength(1);
    expect(first.launches.at(-1)).toMatchObject({ token: 'token-1', lookFirst: true });
  });

  it('leaves its instance alone when the spec changes after the launch, and says so', async () => {
    const { world, handle } = await runningMachine(temporal, 'changed');
    world.change({ specHash: 'spec-2', generation: 2 });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('UpToDate')?.reason === 'UnsupportedChange');
    expect(world.launches).toHaveLength(1);
    expect(world.called('terminateInstance')).toBe(0);
    expect(world.status.phase).toBe('Running');
  });

  it('does nothing while it is paused, and goes on when the pause ends', async () => {
    const world = new MachineWorld('paused', temporal.now);
    world.change({ paused: true });
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.condition('Paused')?.status === 'True');
    await temporal.pass(3600);
    expect(world.called('prepareLaunch')).toBe(0);
    world.change({ paused: false });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.phase === 'Provisioned');
    expect(world.condition('Paused')).toBeUndefined();
  });

  it('clears a search attribute that the run before it had set', async () => {
    const world = new MachineWorld('attributes', temporal.now);
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
