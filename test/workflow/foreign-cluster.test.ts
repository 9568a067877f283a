import { describe, expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import type { WorkflowHandle } from '@temporalio/client';
import { refuseForeign } from '../../activities/failures.ts';
import { MachineSetWorld } from './machine-set-world.ts';
import { MachineWorld } from './machine-world.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

/** `step` of a world, which a worker of another cluster refuses at first. */
function foreignAtFirst<T, R>(world: { readonly ref: MachineWorld['ref'] }, step: (request: T) => Promise<R>) {
  let isRefused = false;
  return async (request: T): Promise<R> => {
    if (!isRefused) {
      isRefused = true;
      refuseForeign({ cluster: 'another' }, { ref: world.ref, cluster: 'ours' });
    }
    return step(request);
  };
}

/** Messages of the tasks that failed. */
async function failedTasks(handle: WorkflowHandle): Promise<string[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) => failed?.failure?.message ?? []);
}

describe('a worker of another cluster', () => {
  it('fails a task of a machine, and not its workflow', async () => {
    const world = new MachineWorld('looked-at', temporal.now);
    world.observeMachine = foreignAtFirst(world, world.observeMachine.bind(world));
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned');
    expect(world.instances).toHaveLength(1);
    expect((await failedTasks(handle))[0]).toContain(
      'this worker serves the cluster another, and Machine default/looked-at',
    );
  });

  it('fails a task in the middle of a pass, which is taken up again', async () => {
    const world = new MachineWorld('recorded', temporal.now);
    world.recordInstance = foreignAtFirst(world, world.recordInstance.bind(world));
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned');
    expect(world.instances).toHaveLength(1);
    expect((await failedTasks(handle)).length).toBeGreaterThan(0);
  });

  it('leaves no launch behind whose outcome would be unknown', async () => {
    const world = new MachineWorld('launched', temporal.now);
    world.launchInstance = foreignAtFirst(world, world.launchInstance.bind(world));
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned');
    const told = world.statuses.map(({ waiting }) => `${waiting?.reason ?? ''}: ${waiting?.message ?? ''}`);
    expect(told.filter((text) => /got no answer|LaunchOutcomeUnknown/.test(text))).toEqual([]);
    // As a first call: nothing is looked up before it.
    expect(world.calls.filter(({ name }) => name === 'launchInstance').map(({ lookFirst }) => lookFirst)).toEqual([
      false,
    ]);
  });

  it('fails a task of a set, and not its workflow', async () => {
    const world = new MachineSetWorld('looked-at', temporal.now);
    const ref = world.set?.ref;
    if (ref === undefined) throw new Error('a new world has a set');
    world.surveyReplicas = foreignAtFirst({ ref }, world.surveyReplicas.bind(world));
    const handle = await temporal.startMachineSet(world, ref);
    await temporal.until(() => world.active.length === 3);
    expect((await failedTasks(handle)).length).toBeGreaterThan(0);
  });

  it('fails a task in the middle of a set’s pass: that is no refusal to be told', async () => {
    const world = new MachineSetWorld('half-way', temporal.now);
    const ref = world.set?.ref;
    if (ref === undefined) throw new Error('a new world has a set');
    world.add('orphan');
    world.adoptAndRelease = foreignAtFirst({ ref }, world.adoptAndRelease.bind(world));
    world.writeMachineSetStatus = foreignAtFirst({ ref }, world.writeMachineSetStatus.bind(world));
    const handle = await temporal.startMachineSet(world, ref);
    await temporal.until(() => world.status.replicas === 3);
    expect((await failedTasks(handle)).length).toBeGreaterThan(1);
    expect(world.events).toEqual([]);
    expect(world.status.conditions?.map((c) => c.type)).toEqual(['MachinesCreated']);
  });

  it('leaves a recorded step of a set to the next try', async () => {
    const world = new MachineSetWorld('created', temporal.now);
    const ref = world.set?.ref;
    if (ref === undefined) throw new Error('a new world has a set');
    world.createMachines = foreignAtFirst({ ref }, world.createMachines.bind(world));
    const handle = await temporal.startMachineSet(world, ref);
    await temporal.until(() => world.active.length === 3);
    expect(await failedTasks(handle)).toEqual([]);
  });

  it('leaves an inventory to the next try', async () => {
    let tries = 0;
    await temporal.startInventory('ours', {
      async takeInventory() {
        tries += 1;
        if (tries === 1) throw ApplicationFailure.retryable('this worker serves another', 'ForeignCluster');
        return { machines: 0, instances: 0, woken: 0, startedAgain: 0, problems: [], intervalSeconds: 300 };
      },
    });
    await temporal.until(() => tries === 2);
    // The round that failed was one of those that come every few minutes.
    await temporal.until(() => tries === 3, { within: 310, step: 5 });
  });
});
