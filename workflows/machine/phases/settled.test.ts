import { describe, expect, it } from '@jest/globals';
import { delay } from '../../../providers/clock.ts';
import { MachineWorld } from '../../../test/world/machine-world.ts';
import { order, silentLaunch, statesOf } from '../../../test/workflow/machine-stages.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { changedSignal } from '../../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

describe('the deletion of a Machine whose launch is open', () => {
  it('settles a launch of unknown outcome first, and terminates what came of it', async () => {
    const { world, handle } = await silentLaunch(temporal, 'unknown-launch', 'instance');
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    // A call that was never answered may have made a second one: it is looked for once more.
    expect(order(world, 'describe', 'terminate')).toEqual(['describe', 'terminate', 'describe']);
    expect(statesOf(world)).toEqual(['terminated']);
    expect(world.launches).toHaveLength(1);
  });

  it('says what it waits for while the cloud has not answered the launch yet, and ends what came of that', async () => {
    const world = new MachineWorld('hanging-launch', temporal.clock);
    const answered = Promise.withResolvers<void>();
    world.cloud.onRequest = async ({ action }, carryOut) => {
      if (action === 'launch') await Promise.race([answered.promise, delay(world.clock, 25_000)]);
      return carryOut();
    };
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.cloud.asked('launch').length === 1);
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.reason === 'LaunchOutcomeUnknown', { within: 10 });
    expect(world.status.waiting?.step).toBe('SettleLaunch');
    expect(world.condition('Deleting')).toMatchObject({ status: 'True', reason: 'DeletionUnderWay' });
    expect(world.condition('InstanceExists')).toMatchObject({ status: 'Unknown', reason: 'LaunchOutcomeUnknown' });
    expect(world.launches).toHaveLength(0);
    answered.resolve();
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(statesOf(world)).toEqual(['terminated']);
    expect(order(world, 'launch', 'terminate')).toEqual(['launch', 'terminate']);
    expect(world.lookUps).toEqual([]);
  });

  it('looks over the whole window when a launch of unknown outcome made nothing', async () => {
    const { world, handle } = await silentLaunch(temporal, 'unknown-nothing', 'nothing');
    const called = Date.parse(world.launches[0]?.at ?? '');
    const said: (string | undefined)[] = [];
    world.kube.store.onChange(() => {
      if (world.condition('Deleting') === undefined) return;
      const reason = world.condition('InstanceExists')?.reason;
      if (reason !== said.at(-1)) said.push(reason);
    });
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect((world.requests.at(-1)?.at ?? 0) - called).toBeGreaterThanOrEqual(360_000);
    expect(world.lookUps.length).toBeGreaterThanOrEqual(3);
    expect(world.cloud.calls('terminate')).toHaveLength(0);
    expect(said).toEqual(['LaunchOutcomeUnknown', 'InstanceNotCreated']);
  });

  it('goes at once when every launch was refused', async () => {
    const world = new MachineWorld('refused', temporal.clock);
    world.cloud.behave({ capacity: 0 });
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting !== undefined);
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.cloud.calls('describe', 'terminate')).toEqual([]);
  });

  it('is not taken for gone because the cloud does not know its instance yet', async () => {
    const { world, handle } = await silentLaunch(temporal, 'lagging', 'instance');
    world.cloud.fail({ action: 'terminate', code: 'InvalidInstanceID.NotFound', times: 1 });
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(statesOf(world)).toEqual(['terminated']);
  });
});
