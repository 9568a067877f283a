import { describe, expect, it } from '@jest/globals';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { aMachine } from '../../../test/world/builders/a-machine.ts';
import { NAMESPACE } from '../../../test/world/builders/metadata.ts';
import { MachineWorld } from '../../../test/world/machine-world.ts';
import { looks, provisioned, statesOf } from '../../../test/workflow/machine-stages.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { changedSignal } from '../../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

/** One that is being deleted is not expected any more. */
const DOUBT = '4 of 4 instances of these credentials are absent at once';

/** So many other Machines, whose instances the cloud does not show either. */
function withAbsentInstances({ kube }: MachineWorld, count: number): void {
  for (const digit of ['a', 'b', 'c', 'd', 'e'].slice(0, count)) {
    const providerStatus = { instanceId: `i-${digit.repeat(17)}`, instanceState: 'running' };
    kube.put(aMachine({ name: digit, status: { phase: 'Running', providerStatus } }));
  }
}

it('a termination that the cloud did not take is asked for again, and said', async () => {
  const { world, handle } = await provisioned(temporal, 'throttled-end');
  world.cloud.fail({ action: 'terminate', code: 'RequestLimitExceeded', times: 1 });
  await world.delete();
  await temporal.signal(handle, changedSignal);
  await temporal.until(() => world.status.waiting?.reason === 'RequestLimitExceeded');
  await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  expect(world.cloud.calls('terminate')).toHaveLength(2);
});

describe('a Machine that is deleted', () => {
  it('counts an instance that the cloud forgot as gone only after three looks over five minutes', async () => {
    const { world, handle } = await provisioned(temporal, 'forgotten');
    world.cloud.vanish(world.instanceId);
    await world.delete();
    const since = await temporal.now();
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect((world.requests.at(-1)?.at ?? 0) - since).toBeGreaterThanOrEqual(300_000);
    expect(world.cloud.calls('describe')).toHaveLength(3);
  });
});

describe('where most instances of the credentials are absent at once', () => {
  it('a deletion whose instance is gone ends after the ordinary proof, and says meanwhile what is doubted', async () => {
    const { world, handle } = await provisioned(temporal, 'doubted');
    withAbsentInstances(world, 4);
    world.cloud.vanish(world.instanceId);
    await world.delete();
    const since = await temporal.now();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.reason === 'ManyInstancesMissing');
    expect(world.status.waiting?.message).toContain(DOUBT);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect((world.requests.at(-1)?.at ?? 0) - since).toBeGreaterThanOrEqual(300_000);
    expect(looks(world).filter(({ instance }) => instance === world.instanceId)).toHaveLength(3);
  });

  it('the deletion of a Machine that only names an instance ends too, and nothing is terminated for it', async () => {
    const providerID = `simulated:///zone-a/i-${'f'.repeat(17)}`;
    const world = new MachineWorld('only-names', temporal.clock, { known: { providerID, deleting: true } });
    withAbsentInstances(world, 5);
    const since = await temporal.now();
    const handle = await temporal.startMachine(world);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect((world.requests.at(-1)?.at ?? 0) - since).toBeGreaterThanOrEqual(300_000);
    expect(world.cloud.calls('terminate')).toEqual([]);
  });

  it('a look that shows the instance after all begins the proof anew, and it is terminated', async () => {
    const { world, handle } = await provisioned(temporal, 'shown-again');
    withAbsentInstances(world, 4);
    world.cloud.vanish(world.instanceId);
    await world.delete();
    await temporal.signal(handle, changedSignal);
    const ownLooks = () => looks(world).filter(({ instance }) => instance === world.instanceId);
    await temporal.until(() => ownLooks().length === 2, { within: 300, step: 10 });
    world.cloud.reappear(world.instanceId);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(statesOf(world)).toEqual(['terminated']);
    expect(world.cloud.calls('terminate')).toHaveLength(2);
  });
});

it('a deletion that fails at once tells that it began, and that it failed', async () => {
  const { world, handle } = await provisioned(temporal, 'told-both');
  world.cloud.fail({ action: 'terminate', code: 'RequestLimitExceeded', times: 1 });
  await world.delete();
  await temporal.signal(handle, changedSignal);
  await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  const told = world.events.map(({ reason }) => reason);
  expect(told.slice(told.indexOf('Delete'))).toEqual(['Delete', 'FailedDelete']);
});

describe('a Machine that only names an instance', () => {
  /** It never came to record the instance: deleted before its first look. */
  async function naming(name: string, tags: Readonly<Record<string, string>>): Promise<MachineWorld> {
    const world = new MachineWorld(name, temporal.clock, { known: { name } });
    const { providerID } = await world.cloud.launch(tags);
    await world.edit({ spec: { providerID } });
    await world.delete();
    return world;
  }

  it('does not end it while nobody can tell whose it is', async () => {
    const world = await naming('throttled', { machineUid: 'uid-of-throttled' });
    world.cloud.fail({ action: 'describe', code: 'RequestLimitExceeded' });
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.step === 'SettleLaunch');
    await temporal.pass(600);
    expect(world.cloud.calls('terminate')).toEqual([]);
    world.cloud.fail();
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.cloud.calls('terminate')).toHaveLength(1);
  });

  it('goes without it where it is another Machine’s', async () => {
    const world = await naming('copied', { machineUid: 'uid-of-original' });
    world.kube.put(aMachine({ name: 'original' }));
    const handle = await temporal.startMachine(world);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.cloud.calls('terminate')).toEqual([]);
  });
});

describe('a Machine whose status somebody edited to name the instance of another', () => {
  async function edited(name: string) {
    const { world, handle } = await provisioned(temporal, name);
    const own = world.instanceId;
    const other = await world.addLaunched({ name: `other-of-${name}` });
    const edit = async () => {
      const status = { providerStatus: { instanceId: other.id } };
      await world.kube.others.mergePatch(MACHINES, NAMESPACE, name, { status }, { subresource: 'status' });
      await world.delete();
    };
    const states = () => [own, other.id].map((id) => world.cloud.instance(id)?.state);
    return { world, handle, edit, states };
  }

  it('ends its own alone', async () => {
    const { handle, edit, states } = await edited('edited');
    await edit();
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(states()).toEqual(['terminated', 'running']);
  });

  it('ends its own alone, too, by a workflow that knows nothing of its launch', async () => {
    const { world, edit, states } = await edited('edited-and-lost');
    await temporal.endAll();
    await edit();
    const handle = await temporal.startMachine(world);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(states()).toEqual(['terminated', 'running']);
  });
});
