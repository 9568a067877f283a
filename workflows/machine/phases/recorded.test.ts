import { describe, expect, it } from '@jest/globals';
import type { MachineStatus } from '../../../k8s/model/machine.ts';
import { NO_CAPACITY, THROTTLED } from '../../../test/workflow/cloud-failures.ts';
import { MachineWorld } from '../../../test/workflow/machine-world.ts';
import { DELETED, provisioned } from '../../../test/workflow/stages.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { changedSignal } from '../../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const EMPTY: MachineStatus = { addresses: [], conditions: [] };

/** As an older backup has it, or a PUT without them: no status and no providerID. */
function lose(world: MachineWorld): void {
  const { providerID: _lost, ...left } = world.object ?? {};
  if (world.object === undefined) throw new Error('the object is gone');
  world.object = { ...world.object, ...left, status: EMPTY };
  delete (world.object as { providerID?: string }).providerID;
}

describe('a Machine whose status and providerID were lost under a workflow that knows its instance', () => {
  it('gets them back, and no second instance', async () => {
    const { world, handle } = await provisioned(temporal, 'overwritten');
    lose(world);
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.object?.providerID !== undefined);
    await temporal.pass(2);
    expect(world.launches).toHaveLength(1);
    expect(world.object?.providerID).toBe(world.instances[0]?.providerID);
    expect(world.status).toMatchObject({
      phase: 'Provisioned',
      instance: { id: 'i-overwritten-1' },
      launch: { attempt: 1, token: 'token-1' },
    });
    expect(world.events).toContainEqual(expect.objectContaining({ type: 'Warning', reason: 'RecordRestored' }));
    expect(world.called('findInstances')).toBe(0);
  });

  it('goes only after its instance went', async () => {
    const { world, handle } = await provisioned(temporal, 'overwritten-end');
    lose(world);
    world.change(DELETED);
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.instances.map((i) => i.state)).toEqual(['terminated']);
  });

  it('gets its record back also where it is lost while the Machine is paused', async () => {
    const { world, handle } = await provisioned(temporal, 'paused');
    lose(world);
    world.change({ paused: true });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('Paused')?.status === 'True');
    lose(world);
    world.change({ paused: false });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.object?.providerID !== undefined);
    expect(world.status.launch?.token).toBe('token-1');
    expect(world.launches).toHaveLength(1);
  });

  it('stays Failed where it had failed, and launches nothing', async () => {
    const { world, handle } = await provisioned(temporal, 'failed');
    world.setInstanceState('terminated');
    await temporal.signal(handle, 'inspect');
    await temporal.until(() => world.status.phase === 'Failed');
    lose(world);
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.phase === 'Failed');
    await temporal.pass(60);
    expect(world.status.error?.reason).toBe('UpdateError');
    expect(world.launches).toHaveLength(1);
  });
});

describe('a launch whose record was lost', () => {
  it('goes on with the attempt it had come to, its record and the finalizer in place before the next call', async () => {
    const world = new MachineWorld('attempts', temporal.now);
    world.fateOf = (call) => (call < 3 ? NO_CAPACITY : 'instance');
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.launches.length === 2, { within: 200 });
    lose(world);
    world.change({ hasFinalizer: false });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.object?.hasFinalizer === true && world.status.launch !== undefined);
    expect(world.status.launch?.attempt).toBe(2);
    expect(world.launches).toHaveLength(2);
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 700 });
    expect(world.launches.map((c) => c.token)).toEqual(['token-1', 'token-2', 'token-3']);
  });
});

describe('a living Machine', () => {
  it.each([
    ['its finalizer', (world: MachineWorld) => world.change({ hasFinalizer: false })],
    ['its providerID', (world: MachineWorld) => delete (world.object as { providerID?: string }).providerID],
  ])('gets %s back at once, with an event, by what the workflow knows', async (_what, drop) => {
    const { world, handle } = await provisioned(temporal, `dropped-${drop.length}${String(drop).length}`);
    drop(world);
    const looks = world.called('lookAtInstance');
    world.lookFailure = THROTTLED;
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.called('lookAtInstance') > looks);
    expect(world.object).toMatchObject({ hasFinalizer: true, providerID: world.instances[0]?.providerID });
    expect(world.events.filter(({ reason }) => reason === 'RecordRestored')).toHaveLength(1);
  });

  it('gets them back from a workflow that never saw its instance, which looks for itself', async () => {
    const { world } = await provisioned(temporal, 'dropped-anew');
    await temporal.endAll();
    world.change({ hasFinalizer: false });
    delete (world.object as { providerID?: string }).providerID;
    await temporal.startMachine(world);
    await temporal.until(() => world.object?.providerID !== undefined);
    expect(world.object?.hasFinalizer).toBe(true);
    expect(world.events.filter(({ reason }) => reason === 'RecordRestored')).toHaveLength(1);
  });
});
