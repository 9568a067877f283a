import { describe, expect, it } from '@jest/globals';
import { looks, provisioned, runningMachine } from '../../../test/workflow/machine-stages.ts';
import { INSTANCE_STATE_ANNOTATION } from '../../../k8s/dialects/openshift/labels.ts';
import { aMachine } from '../../../test/world/builders/a-machine.ts';
import { MachineWorld } from '../../../test/world/machine-world.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { changedSignal, inspectSignal } from '../../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

/** Another Machine, whose instance the cloud does not show either. */
function withAbsentInstance({ kube }: MachineWorld, name: string): void {
  const providerStatus = { instanceId: `i-${name.repeat(17)}`, instanceState: 'running' };
  kube.put(aMachine({ name, status: { phase: 'Running', providerStatus } }));
}

const annotationsOf = ({ object }: MachineWorld) => object?.metadata.annotations;

/** A machine that runs, and whose instance the cloud lent and takes back: nobody looked at it since its Node became Ready. */
async function takenBackAfterJoining(name: string) {
  const world = new MachineWorld(name, temporal.clock);
  world.cloud.behave({ interruptible: true });
  const handle = await temporal.startMachine(world);
  await temporal.until(() => world.status.phase === 'Provisioned');
  world.nodeRegisters();
  await temporal.signal(handle, changedSignal);
  await temporal.until(() => world.status.phase === 'Running');
  world.cloud.takeBack(world.instanceId);
  return { world, handle };
}

describe('an instance that goes away', () => {
  it('fails the Machine after three looks over five minutes, not before', async () => {
    const { world, handle } = await runningMachine(temporal, 'absent');
    world.cloud.vanish(world.instanceId);
    const since = await temporal.now();
    await temporal.signal(handle, inspectSignal);
    await temporal.until(() => world.status.phase === 'Failed', { within: 400, step: 5 });
    expect((await temporal.now()) - since).toBeGreaterThanOrEqual(300_000);
    expect(looks(world)).toHaveLength(4);
    expect(world.status.error?.reason).toBe('UpdateError');
    expect(annotationsOf(world)).toMatchObject({ [INSTANCE_STATE_ANNOTATION]: 'terminated' });
  });

  it('is proved gone however often the machine is woken meanwhile', async () => {
    const { world, handle } = await runningMachine(temporal, 'nervous');
    world.cloud.vanish(world.instanceId);
    for (let woken = 0; woken < 20; woken += 1) {
      await temporal.signal(handle, inspectSignal);
      await temporal.pass(20);
    }
    expect(world.status.phase).toBe('Failed');
  });

  it('is doubted, and nothing is done, while most instances are absent at once', async () => {
    const { world, handle } = await runningMachine(temporal, 'untrusted');
    for (const name of ['a', 'b', 'c', 'd']) withAbsentInstance(world, name);
    world.cloud.vanish(world.instanceId);
    await temporal.signal(handle, inspectSignal);
    await temporal.until(() => world.condition('InstanceExists')?.reason === 'ManyInstancesMissing');
    const since = world.status.waiting?.since;
    await temporal.pass(3600);
    expect(world.status).toMatchObject({ phase: 'Running', waiting: { since, reason: 'ManyInstancesMissing' } });
    expect(world.condition('InstanceExists')?.status).toBe('Unknown');
  });
});

describe('an instance that the cloud takes back', () => {
  it.each([
    ['that it lent', { interruptible: true }, 'the cloud took it back, as it may with an interruptible one'],
    [
      'whose launch it had accepted',
      { pendingMs: 60_000 },
      'the cloud had accepted its launch, and has no room for it',
    ],
  ])('says only that there is no room, where its Node had not joined: one %s', async (which, behaviour, how) => {
    const world = new MachineWorld(which.replaceAll(' ', '-'), temporal.clock);
    world.cloud.behave(behaviour);
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned');
    world.cloud.takeBack(world.instanceId);
    await temporal.signal(handle, inspectSignal);
    await temporal.until(() => world.status.phase === 'Failed', { within: 60 });
    expect(world.status.error).toMatchObject({
      reason: 'InsufficientResources',
      message: expect.stringContaining(how),
    });
  });

  it('is gone as any other, where it had', async () => {
    const { world, handle } = await takenBackAfterJoining('later');
    await temporal.signal(handle, inspectSignal);
    await temporal.until(() => world.status.phase === 'Failed', { within: 60 });
    expect(world.status.error).toMatchObject({
      reason: 'UpdateError',
      message: expect.stringContaining('took it back'),
    });
    expect(world.condition('InstanceExists')).toMatchObject({ status: 'False', reason: 'InstanceTakenBack' });
    expect(annotationsOf(world)).toMatchObject({
      [INSTANCE_STATE_ANNOTATION]: world.object?.status?.providerStatus?.instanceState,
    });
  });

  it('is looked at when its Node is not Ready any more, also right after that became so', async () => {
    const { world, handle } = await takenBackAfterJoining('soon');
    world.nodeRegisters('Unknown');
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.phase === 'Failed', { within: 10 });
    expect(world.condition('InstanceExists')).toMatchObject({ status: 'False', reason: 'InstanceTakenBack' });
  });
});

describe('where most instances of the credentials are absent at once', () => {
  it('a Machine that lives is never taken for one whose instance is gone, however often it looks', async () => {
    const { world, handle } = await provisioned(temporal, 'lives');
    for (const name of ['a', 'b', 'c', 'd']) withAbsentInstance(world, name);
    world.cloud.vanish(world.instanceId);
    await temporal.signal(handle, inspectSignal);
    await temporal.pass(1000);
    expect(looks(world).length).toBeGreaterThan(3);
    expect(world.status.phase).toBe('Provisioned');
    expect(world.condition('InstanceExists')).toMatchObject({ status: 'Unknown', reason: 'ManyInstancesMissing' });
  });
});
