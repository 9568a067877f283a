import { describe, expect, it } from '@jest/globals';
import { changedSignal, inspectSignal } from '../../workflows/signals.ts';
import { spentUntil } from './history-budget.ts';
import { MachineWorld } from './machine-world.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

async function runningMachine(name: string) {
  const world = new MachineWorld(name, temporal.now);
  const handle = await temporal.startMachine(world);
  await temporal.until(() => world.status.phase === 'Provisioned');
  world.nodeRegisters();
  await temporal.signal(handle, changedSignal);
  await temporal.until(() => world.called('lookAtInstance') === 1);
  return { world, handle };
}

describe('a machine that comes up', () => {
  it('launches once and is Running, within 24 events and 4 workflow tasks', async () => {
    const { world, handle } = await runningMachine('up');
    expect(world.status).toMatchObject({ phase: 'Running', nodeRef: { name: 'node-of-up' } });
    expect(world.status.waiting).toBeUndefined();
    expect(world.launches).toEqual([expect.objectContaining({ token: 'token-1', lookFirst: false })]);
    const { events } = await handle.fetchHistory();
    const spent = spentUntil(events ?? [], 'writeMachineStatus');
    expect(spent.events).toBeLessThanOrEqual(24);
    expect(spent.tasks).toBeLessThanOrEqual(4);
  });

  it('sleeps once it runs: an hour costs no activity and no workflow task', async () => {
    const { world, handle } = await runningMachine('idle');
    await temporal.pass(1);
    const before = { calls: world.calls.length, events: (await handle.describe()).historyLength };
    await temporal.pass(3600);
    expect({ calls: world.calls.length, events: (await handle.describe()).historyLength }).toEqual(before);
  });

  it('looks at everything once in six hours, whatever was signalled', async () => {
    const { world } = await runningMachine('resync');
    await temporal.until(() => world.called('lookAtInstance') === 2, { within: 7 * 3600, step: 600 });
  });

  it('writes nothing after a look that finds nothing new', async () => {
    const { world, handle } = await runningMachine('quiet');
    await temporal.pass(1);
    const written = world.statuses.length;
    const looks = world.called('observeMachine');
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.called('observeMachine') > looks);
    await temporal.pass(1);
    expect(world.statuses).toHaveLength(written);
  });

  it('still looks once in six hours when its Node object was deleted', async () => {
    const { world, handle } = await runningMachine('nodeless');
    world.nodes = [];
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('NodeReady')?.reason === 'NodeMissing');
    const looks = world.called('observeMachine');
    await temporal.until(() => world.called('observeMachine') > looks, { within: 7 * 3600, step: 600 });
  });

  it('adopts the instance of a Machine that came with a providerID, and never launches', async () => {
    const world = new MachineWorld('adopted', temporal.now);
    world.change({ providerID: world.addInstance().providerID });
    world.nodeRegisters();
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Running');
    expect(world.status.instance?.id).toBe('i-adopted-1');
    expect(world.launches).toHaveLength(0);
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
    const { world, handle } = await runningMachine('changed');
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

describe('an instance that goes away', () => {
  it('fails the Machine after three looks over five minutes, not before', async () => {
    const { world, handle } = await runningMachine('absent');
    world.instances = [];
    const since = await temporal.now();
    await temporal.signal(handle, inspectSignal);
    await temporal.until(() => world.status.phase === 'Failed', { within: 400, step: 5 });
    expect((await temporal.now()) - since).toBeGreaterThanOrEqual(300_000);
    expect(world.called('lookAtInstance')).toBe(4);
    expect(world.status.error?.reason).toBe('UpdateError');
  });

  it('is proved gone however often the machine is woken meanwhile', async () => {
    const { world, handle } = await runningMachine('nervous');
    world.instances = [];
    for (let woken = 0; woken < 20; woken += 1) {
      await temporal.signal(handle, inspectSignal);
      await temporal.pass(20);
    }
    expect(world.status.phase).toBe('Failed');
  });

  it('is doubted, and nothing is done, while most instances are absent at once', async () => {
    const { world, handle } = await runningMachine('untrusted');
    world.instances = [];
    world.doubt = '9 of 10 instances are absent at once';
    await temporal.signal(handle, inspectSignal);
    await temporal.until(() => world.condition('InstanceExists')?.reason === 'ManyInstancesMissing');
    const since = world.status.waiting?.since;
    await temporal.pass(3600);
    expect(world.status).toMatchObject({ phase: 'Running', waiting: { since, reason: 'ManyInstancesMissing' } });
    expect(world.condition('InstanceExists')?.status).toBe('Unknown');
  });
});
