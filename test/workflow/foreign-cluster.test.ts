import { describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { refuseCluster, refuseForeign } from '../../activities/failures.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { MachineWorld } from '../world/machine-world.ts';
import { World, type ActivityPassage } from '../world/world.ts';
import { realMachineSet } from './real-machine-set.ts';
import { CLUSTER, Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal(
  (started) => (temporal = started),
  () => Temporal.skippingTime(),
);

/** A worker of another cluster has each of these activities first, and refuses it. */
function foreignAtFirst({ ref }: { readonly ref: ObjectRef }, ...activities: string[]): ActivityPassage {
  const left = new Set(activities);
  return async (name, run) => {
    if (left.delete(name)) refuseForeign({ clusterUid: 'another' }, { ref, clusterUid: 'ours' });
    return run();
  };
}

/** Messages of the tasks that failed. */
async function failedTasks(handle: WorkflowHandle): Promise<string[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) => failed?.failure?.message ?? []);
}

describe('a worker of another cluster', () => {
  it('fails a task of a machine, and not its workflow', async () => {
    const world = new MachineWorld('looked-at', temporal.clock);
    world.onActivity = foreignAtFirst(world, 'observeMachine');
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned');
    expect(world.instances).toHaveLength(1);
    expect((await failedTasks(handle))[0]).toContain(
      'this worker serves the cluster another, and Machine default/looked-at',
    );
  });

  it('fails a task in the middle of a pass, which is taken up again', async () => {
    const world = new MachineWorld('recorded', temporal.clock);
    world.onActivity = foreignAtFirst(world, 'recordInstance');
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned');
    expect(world.instances).toHaveLength(1);
    expect((await failedTasks(handle)).length).toBeGreaterThan(0);
  });

  it('leaves no launch behind whose outcome would be unknown', async () => {
    const world = new MachineWorld('launched', temporal.clock);
    world.onActivity = foreignAtFirst(world, 'launchInstance');
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned');
    const told = world.requests.map(({ body }) => JSON.stringify(body) ?? '');
    expect(told.filter((text) => /got no answer|LaunchOutcomeUnknown/.test(text))).toEqual([]);
    // As a first call: nothing is looked up before it.
    expect(world.cloud.calls('launch', 'describe').map(({ action }) => action)).toEqual(['launch']);
  });

  it('fails a task of a set, and not its workflow', async () => {
    const { world, start } = realMachineSet(temporal, 'looked-at', {});
    world.onActivity = foreignAtFirst(world, 'surveyReplicas');
    const handle = await start();
    await temporal.until(() => world.living.length === 3);
    expect((await failedTasks(handle)).length).toBeGreaterThan(0);
  });

  it('fails a task in the middle of a set’s pass: that is no refusal to be told', async () => {
    const { world, start } = realMachineSet(temporal, 'half-way', {});
    world.add('orphan', { ownerReferences: [] });
    world.onActivity = foreignAtFirst(world, 'adoptAndRelease', 'writeMachineSetStatus');
    const handle = await start();
    await temporal.until(() => world.set?.status?.replicas === 3);
    expect((await failedTasks(handle)).length).toBeGreaterThan(1);
    expect(world.events).toEqual([]);
    expect(world.set?.status?.conditions?.map((c) => c.type)).toEqual(['MachinesCreated']);
  });

  it('leaves a recorded step of a set to the next try', async () => {
    const { world, start } = realMachineSet(temporal, 'created', {});
    world.onActivity = foreignAtFirst(world, 'createMachines');
    const handle = await start();
    await temporal.until(() => world.living.length === 3);
    expect(await failedTasks(handle)).toEqual([]);
  });

  it('leaves an inventory to the next try', async () => {
    const world = new World(temporal.clock);
    let tries = 0;
    world.onActivity = async (_name, run) => {
      tries += 1;
      if (tries === 1) refuseCluster({ clusterUid: 'another' }, CLUSTER, 'this inventory');
      return run();
    };
    await temporal.startInventory(world);
    await temporal.until(() => tries === 2);
    // The round that failed was one of those that come every few minutes.
    await temporal.until(() => tries === 3, { within: 310, step: 5 });
  });
});
