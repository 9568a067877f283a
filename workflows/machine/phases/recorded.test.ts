import { describe, expect, it } from '@jest/globals';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { FINALIZER } from '../../../k8s/dialects/openshift/labels.ts';
import { MachineWorld } from '../../../test/world/machine-world.ts';
import { aPass } from '../../../test/workflow/a-pass.ts';
import { eventsOf, provisioned, statesOf } from '../../../test/workflow/machine-stages.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { changedSignal } from '../../signals.ts';
import { recorded } from './recorded.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const THROTTLED = { action: 'describe', code: 'RequestLimitExceeded' } as const;

function withoutProviderID({ object }: MachineWorld): Pick<MachineObject, 'spec' | 'metadata'> {
  if (object === undefined) throw new Error('the object is gone');
  const { providerID: _lost, ...spec } = object.spec;
  return { spec, metadata: { ...object.metadata, generation: object.metadata.generation + 1 } };
}

/** As an older backup has it, or a PUT without them: no status and no providerID. */
function lose(world: MachineWorld): void {
  world.overwrite({ ...withoutProviderID(world), status: {} });
}

const providerID = (world: MachineWorld) => world.object?.spec.providerID;
const hasFinalizer = (world: MachineWorld) => world.object?.metadata.finalizers?.includes(FINALIZER) === true;
const dropFinalizer = (world: MachineWorld) => world.edit({ metadata: { finalizers: null } });

describe('a Machine whose status and providerID were lost under a workflow that knows its instance', () => {
  it('gets them back, and no second instance', async () => {
    const { world, handle } = await provisioned(temporal, 'overwritten');
    lose(world);
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => providerID(world) !== undefined);
    await temporal.pass(2);
    expect(world.launches).toHaveLength(1);
    expect(providerID(world)).toContain(world.instanceId);
    expect(world.status).toMatchObject({
      phase: 'Provisioned',
      instance: { id: world.instanceId },
      launch: { attempt: 1, token: world.token(1) },
      observedGeneration: world.object?.metadata.generation,
      pastKnown: true,
    });
    expect(eventsOf(world, 'RecordRestored')).toMatchObject([{ type: 'Warning' }]);
    expect(world.lookUps).toEqual([]);
  });

  it('goes only after its instance went', async () => {
    const { world, handle } = await provisioned(temporal, 'overwritten-end');
    lose(world);
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(statesOf(world)).toEqual(['terminated']);
  });

  it('gets its record back also where it is lost while the Machine is paused', async () => {
    const { world, handle } = await provisioned(temporal, 'paused');
    lose(world);
    await world.pause();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('Paused')?.status === 'True');
    lose(world);
    await world.resume();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => providerID(world) !== undefined);
    expect(world.status.launch?.token).toBe(world.token(1));
    expect(world.launches).toHaveLength(1);
  });

  it('stays Failed where it had failed, and launches nothing', async () => {
    const { world, handle } = await provisioned(temporal, 'failed');
    await world.cloud.end(world.instanceId);
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
    const world = new MachineWorld('attempts', temporal.clock);
    world.cloud.fail({ action: 'launch', code: 'InsufficientInstanceCapacity', times: 2 });
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.launches.length === 2, { within: 200 });
    lose(world);
    await dropFinalizer(world);
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => hasFinalizer(world) && world.status.launch !== undefined);
    expect(world.status.launch?.attempt).toBe(2);
    expect(world.launches).toHaveLength(2);
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 700 });
    expect(world.launches.map(({ token }) => token)).toEqual([1, 2, 3].map((n) => world.token(n)));
  });
});

describe('a living Machine', () => {
  it.each([
    ['its finalizer', dropFinalizer],
    ['its providerID', async (world: MachineWorld) => world.overwrite(withoutProviderID(world))],
  ])('gets %s back at once, with an event, by what the workflow knows', async (_what, drop) => {
    const { world, handle } = await provisioned(temporal, 'dropped');
    await drop(world);
    world.cloud.fail(THROTTLED);
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.cloud.calls('describe').length > 0);
    expect([hasFinalizer(world), providerID(world)]).toEqual([true, expect.stringContaining(world.instanceId)]);
    expect(eventsOf(world, 'RecordRestored')).toHaveLength(1);
  });

  it('gets them back from a workflow that never saw its instance, which looks for itself', async () => {
    const { world } = await provisioned(temporal, 'dropped-anew');
    await temporal.endAll();
    await dropFinalizer(world);
    world.overwrite(withoutProviderID(world));
    await temporal.startMachine(world);
    await temporal.until(() => providerID(world) !== undefined);
    expect(hasFinalizer(world)).toBe(true);
    expect(eventsOf(world, 'RecordRestored')).toHaveLength(1);
  });

  it('is told once that only the cloud can tell its providerID, however often the cloud fails to', async () => {
    const { world } = await provisioned(temporal, 'dropped-unseen');
    await temporal.endAll();
    world.overwrite(withoutProviderID(world));
    world.cloud.fail({ ...THROTTLED, times: 3 });
    const handle = await temporal.startMachine(world);
    for (const times of [1, 2]) {
      await temporal.until(() => world.cloud.calls('describe').length > times);
      await temporal.signal(handle, changedSignal);
    }
    await temporal.until(() => providerID(world) !== undefined, { within: 60 });
    expect(eventsOf(world, 'RecordRestored')).toHaveLength(1);
  });
});

it.each([
  ['was recorded', true, 1],
  ['was found while its Machine was to go, and never recorded', false, 0],
])('that spec.providerID is lost is told of an instance that %s: %#', async (_which, wasRecorded, told) => {
  const status = { phase: 'Running', instance: { id: 'i-1', state: 'running' } } as const;
  const pass = aPass({ machine: { hasFinalizer: true }, status });
  const reason = 'MachineCreationSucceeded';
  if (wasRecorded) pass.setCondition({ type: 'MachineCreation', status: 'True', reason, message: 'it is made' });
  // It is written by an activity, which there is none of here.
  await recorded(pass).catch(() => undefined);
  expect(pass.events.filter((event) => event.reason === 'RecordRestored')).toHaveLength(told);
});
