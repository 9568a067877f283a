import { describe, expect, it } from '@jest/globals';
import { ProviderError } from '../../../providers/provider-error.ts';
import { eventsOf, provisioned, statesOf } from '../../../test/workflow/machine-stages.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { straight } from '../../../test/world/kubernetes/request.ts';
import { MachineWorld } from '../../../test/world/machine-world.ts';
import { refused } from '../../../test/world/world-cloud.ts';
import { diesAfter } from '../../../test/world/world.ts';
import { changedSignal, inspectSignal, recountSignal } from '../../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

/** Another instance that is tagged as the Machine's, and bears the token of one of its attempts if it is told. Its id. */
async function addAnother({ cloud, ref }: MachineWorld, token?: string): Promise<string> {
  return (await cloud.launch({ machineUid: ref.uid }, token)).id;
}

describe('more than one living instance of a Machine', () => {
  it('is named in a condition and an event; the one on record stays, and the other that it launched is ended', async () => {
    const { world, handle } = await provisioned(temporal, 'two');
    const recorded = world.instanceId;
    const another = await addAnother(world, world.token(2));
    await temporal.signal(handle, recountSignal);
    await temporal.until(() => world.condition('InstancesUnique')?.status === 'False');
    expect(world.condition('InstancesUnique')).toMatchObject({
      reason: 'MultipleInstances',
      message: expect.stringMatching(new RegExp(`${recorded} .*stays.*${another}`)),
    });
    expect(eventsOf(world, 'MultipleInstances')).toHaveLength(1);
    expect(statesOf(world)).toEqual(['running', 'terminated']);
    expect(world.status.instance?.id).toBe(recorded);
    await temporal.until(() => world.condition('InstancesUnique') === undefined, { within: 30 });
  });

  it('is only named where it was not launched by the Machine, and looked at again slowly', async () => {
    const { world, handle } = await provisioned(temporal, 'others');
    const another = await addAnother(world);
    await temporal.signal(handle, recountSignal);
    await temporal.until(() => world.condition('InstancesUnique')?.status === 'False');
    await temporal.pass(600);
    expect(statesOf(world)).toEqual(['running', 'running']);
    expect(world.lookUps.length).toBeGreaterThan(1);
    expect(world.lookUps.length).toBeLessThanOrEqual(3);
    expect(eventsOf(world, 'MultipleInstances')).toHaveLength(1);
    world.cloud.vanish(another);
    await temporal.until(() => world.condition('InstancesUnique') === undefined, { within: 400, step: 10 });
  });

  it('is not concluded from a look that failed', async () => {
    const { world, handle } = await provisioned(temporal, 'unseen');
    await addAnother(world, world.token(2));
    await temporal.signal(handle, recountSignal);
    await temporal.until(() => world.condition('InstancesUnique') !== undefined);
    world.cloud.onRequest = refused('describe', new ProviderError('Throttled', 'too many requests'));
    await temporal.pass(60);
    expect(world.condition('InstancesUnique')?.status).toBe('False');
    world.cloud.onRequest = straight;
    await temporal.until(() => world.condition('InstancesUnique') === undefined, { within: 60 });
  });

  it('is looked for once where the instance was found, and not answered by its call', async () => {
    const world = new MachineWorld('found', temporal.clock);
    world.onActivity = diesAfter('launchInstance');
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned');
    const found = world.instanceId;
    world.nodeRegisters();
    await addAnother(world, world.token(2));
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => statesOf(world)[1] === 'terminated');
    expect(world.status.instance?.id).toBe(found);
  });

  it('is named and ended also where the machine has failed, whose own instance stays', async () => {
    const { world, handle } = await provisioned(temporal, 'failed');
    const recorded = world.instanceId;
    await temporal.until(() => world.status.phase === 'Failed', { within: 1300, step: 60 });
    const another = await addAnother(world, world.token(2));
    await temporal.signal(handle, recountSignal);
    await temporal.until(() => world.condition('InstancesUnique')?.status === 'False');
    expect(world.condition('InstancesUnique')?.message).toMatch(new RegExp(`${recorded} .*stays.*${another}`));
    expect(statesOf(world)).toEqual(['running', 'terminated']);
    await temporal.until(() => world.condition('InstancesUnique') === undefined, { within: 30 });
    expect(world.status).toMatchObject({ phase: 'Failed', error: { reason: 'JoinClusterTimeoutError' } });
  });

  it('is not waited for where the one on record is gone: what else the machine launched is ended', async () => {
    const { world, handle } = await provisioned(temporal, 'gone');
    const recorded = world.instanceId;
    await world.cloud.end(recorded);
    await temporal.signal(handle, inspectSignal);
    await temporal.until(() => world.status.phase === 'Failed');
    const another = await addAnother(world, world.token(2));
    await temporal.signal(handle, recountSignal);
    await temporal.until(() => world.condition('InstancesUnique')?.status === 'False');
    expect(world.condition('InstancesUnique')?.message).toMatch(new RegExp(`${recorded}, .*is gone.*${another}`));
    expect(statesOf(world)).toEqual(['terminated', 'terminated']);
  });

  it('is only named where the machine has failed, and this workflow never saw whose the one on record is', async () => {
    const { world } = await provisioned(temporal, 'failed-before');
    const recorded = world.instanceId;
    await temporal.until(() => world.status.phase === 'Failed', { within: 1300, step: 60 });
    await temporal.endAll();
    const another = await addAnother(world, world.token(2));
    const handle = await temporal.startMachine(world);
    await temporal.pass(1);
    await temporal.signal(handle, recountSignal);
    await temporal.until(() => world.condition('InstancesUnique')?.status === 'False');
    expect(world.condition('InstancesUnique')?.message).toMatch(new RegExp(`${recorded} .*${another} is left alone`));
    expect(statesOf(world)).toEqual(['running', 'running']);
  });
});
