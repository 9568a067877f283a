import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Machine } from '../k8s/model/machine.ts';
import type { WorkflowRun } from '../process/workflow-run.ts';
import { WITH_ROOMS } from '../test/second-api/k8s/dialects/registry.ts';
import { aCluster } from '../test/world/builders/a-cluster.ts';
import { aMachineSet } from '../test/world/builders/a-machine-set.ts';
import { aMachine, readMachine, type MachineFacts } from '../test/world/builders/a-machine.ts';
import { refOf, type Named } from '../test/world/builders/metadata.ts';
import { spoiled } from '../test/world/builders/spoiled.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { World } from '../test/world/world.ts';
import { workflowIdOf } from '../workflows/ids.ts';
import { MOST_LOOKED_AT, restartLostWorkflows } from './lost-workflows.ts';

const ENDED: WorkflowRun = { state: 'ended', how: 'TERMINATED', taskQueue: 'its-own' };
const RUNNING: WorkflowRun = { state: 'running' };

let world: World;
let problems: string[];
beforeEach(() => {
  world = new World(ownClock());
  problems = [];
});

const machine = (name: string, facts: MachineFacts = {}) => readMachine(aMachine({ name, ...facts }));
const idOf = (name: string) => workflowIdOf(machine(name).ref);
/** What became of the workflows of Machines. */
const ran = (runs: Readonly<Record<string, WorkflowRun | Error>>) => {
  world.workflows.runs = Object.fromEntries(Object.entries(runs).map(([name, run]) => [idOf(name), run]));
};
const ranOf = (object: Named, run: WorkflowRun) => [workflowIdOf(refOf(object)), run] as const;
const restart = (...machines: Machine[]) =>
  restartLostWorkflows({ ...world.deps, ...world.workflows.reached }, machines, problems);
const started = () => world.workflows.started.map(({ ref }) => ref.name);

describe('the workflow of an object that is there', () => {
  test.each(['TERMINATED', 'CANCELLED', 'FAILED', 'TIMED_OUT', 'COMPLETED'])(
    'is started again, where it ran before, after it was %s',
    async (how) => {
      ran({ a: { ...ENDED, how } });
      const seen = machine('a', { set: aMachineSet(), status: { phase: 'Running' } });
      expect(await restart(seen)).toBe(1);
      const { ref } = seen;
      expect(world.workflows.started).toMatchObject([
        { ref, clusterName: 'c1', owner: 'workers', phase: 'Running', taskQueue: 'its-own' },
      ]);
    },
  );

  test('is left alone while it runs, and is not even looked at', async () => {
    ran({ a: RUNNING });
    expect(await restart(machine('a'))).toBe(0);
    expect([world.workflows.lookedAt, started()]).toEqual([[], []]);
  });

  test('is left alone while it runs and the list, which is late, does not show it', async () => {
    ran({ new: RUNNING });
    world.workflows.unlisted = [idOf('new')];
    expect(await restart(machine('new'))).toBe(0);
    expect([world.workflows.lookedAt, started()]).toEqual([[idOf('new')], []]);
  });

  test('is left to the watcher where it never ran', async () => {
    expect(await restart(machine('of-another-namespace'))).toBe(0);
    expect(started()).toEqual([]);
  });

  test('is not started again after its last step, while what is left of its object goes', async () => {
    ran({ done: { ...ENDED, how: 'COMPLETED' }, 'cut-off': ENDED });
    const leaving = { deleting: true };
    expect(await restart(machine('done', leaving), machine('cut-off', leaving))).toBe(1);
    expect(started()).toEqual(['cut-off']);
  });

  test('is started again for paused and malformed ones too', async () => {
    ran({ paused: ENDED, malformed: ENDED });
    const malformed = readMachine(spoiled(aMachine({ name: 'malformed' }), { spec: { providerSpec: 7 } }));
    expect(malformed.malformed).toBeDefined();
    expect(await restart(machine('paused', { paused: true }), malformed)).toBe(2);
  });

  test('is started again for a MachineSet', async () => {
    const [workers, others] = [aMachineSet(), aMachineSet({ name: 'others' })];
    world.kube.put(workers, others);
    world.workflows.runs = Object.fromEntries([ranOf(workers, ENDED), ranOf(others, RUNNING)]);
    expect(await restart()).toBe(1);
    expect(world.workflows.started).toMatchObject([{ ref: refOf(workers), clusterName: 'c1' }]);
  });

  test('is started again for a Cluster', async () => {
    const cluster = aCluster();
    world.kube.put(cluster);
    world.workflows.runs = Object.fromEntries([ranOf(cluster, ENDED)]);
    expect(await restart()).toBe(1);
    expect(world.workflows.started).toMatchObject([{ ref: refOf(cluster), role: 'cluster', clusterName: 'c1' }]);
  });
});

describe('what cannot be done', () => {
  test('is told: the list is not to be had', async () => {
    world.workflows.listFailure = new Error('no visibility');
    expect(await restart(machine('a'))).toBe(0);
    expect(problems).toEqual(['workflows that have ended: no visibility']);
    expect(world.workflows.lookedAt).toEqual([]);
  });

  test('keeps nobody else from being started', async () => {
    ran({ a: new Error('no answer'), b: ENDED });
    expect(await restart(machine('a'), machine('b'))).toBe(1);
    expect(problems).toEqual(['workflows that have ended: no answer']);
    expect(started()).toEqual(['b']);
  });

  test('is bounded in a round, and comes up in a later one', async () => {
    const machines = Array.from({ length: MOST_LOOKED_AT + 100 }, (_, n) => machine(`m${n}`));
    // The last one, after more than a round of those that nobody started.
    ran({ [`m${MOST_LOOKED_AT + 99}`]: ENDED });
    await restart(...machines);
    expect(world.workflows.lookedAt).toHaveLength(MOST_LOOKED_AT);
    for (let round = 0; round < 50 && started().length === 0; round += 1) await restart(...machines);
    expect(started()).toHaveLength(1);
  });
});

describe('a workflow whose object went while nobody watched', () => {
  test('is woken, and those of objects that are there are not', async () => {
    ran({ there: RUNNING, gone: RUNNING });
    world.workflows.runs = { ...world.workflows.runs, 'inventory/of-the-cluster': RUNNING };
    await restart(machine('there'));
    expect(world.workflows.woken).toEqual([idOf('gone')]);
  });

  test('is woken, whichever API its object was of', async () => {
    world = new World(ownClock(), { apis: WITH_ROOMS });
    const id = 'server/default/gone/uid-of-gone';
    world.workflows.runs = { [id]: RUNNING };
    await restart();
    expect([problems, world.workflows.woken]).toEqual([[], [id]]);
  });

  test('is left alone while not everything can be listed: it may be there', async () => {
    ran({ gone: RUNNING });
    problems.push('Machines cannot be listed');
    await restart();
    expect(world.workflows.woken).toEqual([]);
  });
});
