import { describe, expect, it, test } from '@jest/globals';
import { drainedMachine, nodeOf, report } from '../../test/workflow/drained-machine.ts';
import { provisioned, runningMachine } from '../../test/workflow/machine-stages.ts';
import type { Temporal } from '../../test/workflow/temporal.ts';
import { useTemporal } from '../../test/workflow/use-temporal.ts';
import type { MachineWorld } from '../../test/world/machine-world.ts';
import { changedSignal } from '../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const WEB = { name: 'web-1', labels: { app: 'web' } };
const THEIRS = 'example.com/theirs';

/** What each write of the status says beside the two conditions. */
function restsWrittenTo(world: MachineWorld): readonly string[] {
  const rests: string[] = [];
  let version: string | undefined;
  world.kube.store.onChange(() => {
    const { object, machine } = world;
    if (object === undefined || machine === undefined || object.metadata.resourceVersion === version) return;
    version = object.metadata.resourceVersion;
    const conditions = machine.status.conditions.filter(
      ({ type }) => type !== 'NodeReady' && type !== 'InstanceExists',
    );
    rests.push(JSON.stringify([machine.deletedAt, machine.hasFinalizer, { ...machine.status, conditions }]));
  });
  return rests;
}

/** A deletion whose instance takes so long to end, in milliseconds. */
async function endsSlowly(name: string, terminateMs: number) {
  const { world, handle } = await runningMachine(temporal, name);
  world.cloud.behave({ terminateMs });
  const restsOf = restsWrittenTo(world);
  await world.delete();
  await temporal.signal(handle, changedSignal);
  await temporal.until(() => world.status.waiting?.reason === 'InstanceTerminating');
  return { world, handle, restsOf };
}

describe('while a Machine is deleted', () => {
  it('its condition NodeReady tells how its Node is by now', async () => {
    const lifecycleHooks = { preTerminate: [{ name: 'backup', owner: 'somebody' }] };
    const fleet = { pods: [WEB], budgets: { web: 1 }, spec: { lifecycleHooks } };
    const { world, handle } = await drainedMachine(temporal, 'followed', fleet);
    await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked');
    expect(world.condition('NodeReady')).toMatchObject({ status: 'True' });
    await report(world, 'Unknown');
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('NodeReady')?.status === 'Unknown');
    expect(world.condition('NodeReady')).toMatchObject({ reason: 'NodeNotReady' });
    world.nodeGoes();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('NodeReady')?.reason === 'NodeMissing');
    expect(world.condition('NodeReady')).toMatchObject({
      status: 'Unknown',
      message: `Node ${nodeOf(world)} was deleted`,
    });
  });

  it('its conditions tell that its instance ends, by the writes that there are anyway', async () => {
    const { world, handle, restsOf } = await endsSlowly('ends', 60_000);
    const { instanceId } = world;
    expect(world.condition('InstanceExists')).toMatchObject({
      status: 'True',
      message: `the cloud reports instance ${instanceId} as shutting-down`,
    });
    expect(world.condition('NodeReady')).toMatchObject({
      status: 'Unknown',
      reason: 'InstanceTerminating',
      message: `instance ${instanceId} ends, and its Node is looked at no more`,
    });
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(restsOf.filter((rest, i) => rest === restsOf[i - 1])).toEqual([]);
  });

  it('its conditions tell in the end that its instance is gone, for whom others have the object stay', async () => {
    const { world, handle } = await runningMachine(temporal, 'held');
    await world.edit({ metadata: { finalizers: [...(world.object?.metadata.finalizers ?? []), THEIRS] } });
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.reason === 'HeldByFinalizers');
    const { instanceId } = world;
    expect(world.condition('InstanceExists')).toMatchObject({
      status: 'False',
      reason: 'InstanceMissing',
      message: `instance ${instanceId} is gone: the cloud reports it as terminated`,
    });
    expect(world.condition('NodeReady')).toMatchObject({
      status: 'Unknown',
      reason: 'InstanceMissing',
      message: `instance ${instanceId} is gone, and its Node with it`,
    });
  });

  it('its condition InstanceExists tells that the cloud does not show the instance, and that looks fail', async () => {
    const { world, handle } = await provisioned(temporal, 'forgotten');
    world.cloud.vanish(world.instanceId);
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('InstanceExists')?.reason === 'InstanceMissing', { within: 60 });
    expect(world.condition('InstanceExists')).toMatchObject({ status: 'Unknown' });
    world.cloud.fail({ action: 'describe', code: 'RequestLimitExceeded' });
    await temporal.until(() => world.condition('InstanceExists')?.reason === 'ErrorCheckingProvider', {
      within: 600,
      step: 10,
    });
    world.cloud.fail();
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });
});

test('an instance that is stopped while its Node is drained is told by the look that the drain makes', async () => {
  const { world, handle } = await drainedMachine(temporal, 'stopped', {
    pods: [WEB],
    budgets: { web: 1 },
    isOnlyAsked: true,
  });
  await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked');
  world.cloud.stop(world.instanceId);
  await report(world, 'Unknown');
  await temporal.signal(handle, changedSignal);
  await temporal.until(() => world.condition('InstanceExists')?.message.includes('as stopp') === true, { within: 120 });
  expect(world.condition('InstanceExists')?.status).toBe('True');
});
