import { APIS } from '../k8s/dialects/registry.ts';
import { describe, expect, test } from '@jest/globals';
import type { KubeClient } from '../k8s/client.ts';
import { CLUSTER_LABEL } from '../k8s/dialects/openshift/labels.ts';
import type { Machine } from '../k8s/model/machine.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import { MACHINES } from '../k8s/dialects/openshift/resources.ts';
import type { Resource } from '../k8s/resources.ts';
import { systemClock } from '../providers/clock.ts';
import { workflowIdOf } from '../workflows/ids.ts';
import type { StartedObject } from '../workflows/workflow-start.ts';
import type { WorkflowRun } from '../process/workflow-run.ts';
import { MOST_LOOKED_AT, restartLostWorkflows } from './lost-workflows.ts';

const { apiVersion, kind } = MACHINES;
const ENDED: WorkflowRun = { state: 'ended', how: 'TERMINATED', taskQueue: 'its-own' };
const DELETED_AT = '2026-01-02T00:00:00Z';

function machine(name: string, parts: Partial<Machine> = {}): Machine {
  const ref: ObjectRef = { apiVersion, kind, namespace: 'ns', name, uid: name };
  return { ref, cluster: 'c', paused: false, status: { addresses: [], conditions: [] }, ...parts } as Machine;
}

function storedSet(name: string) {
  const template = {
    metadata: { labels: { [CLUSTER_LABEL]: 'c', set: name } },
    spec: { providerSpec: { value: { kind: 'X' } } },
  };
  return {
    apiVersion,
    kind: 'MachineSet',
    metadata: { name, namespace: 'ns', uid: name, generation: 1, creationTimestamp: DELETED_AT },
    spec: { replicas: 1, selector: { matchLabels: { set: name } }, template },
  };
}

/** Temporal and Kubernetes, as far as they are asked. */
class World {
  runs: Record<string, WorkflowRun | Error> = {};
  /** What the list of running workflows leaves out although it runs. */
  unlisted: string[] = [];
  listFailure: Error | undefined;
  sets: object[] = [];
  clusters: object[] = [];
  readonly lookedAt: string[] = [];
  readonly started: (StartedObject & { readonly taskQueue: string })[] = [];
  readonly problems: string[] = [];

  restart(machines: readonly Machine[]): Promise<number> {
    const kube = {
      list: async ({ kind: listed }: Resource) => ({
        items: listed === 'MachineSet' ? this.sets : listed === 'Cluster' ? this.clusters : [],
      }),
    } as unknown as KubeClient;
    return restartLostWorkflows(
      {
        kube,
        apis: APIS,
        clock: systemClock,
        log: { warn: () => {} } as never,
        workflows: {
          listRunning: async () => {
            if (this.listFailure !== undefined) throw this.listFailure;
            const running = Object.entries(this.runs).flatMap(([id, run]) =>
              'state' in run && run.state === 'running' && !this.unlisted.includes(id) ? [id] : [],
            );
            return new Set(running);
          },
          lookAt: async (ref) => {
            const id = workflowIdOf(ref);
            this.lookedAt.push(id);
            const run = this.runs[id] ?? { state: 'none' };
            if (run instanceof Error) throw run;
            return run;
          },
          start: async (object, taskQueue) => void this.started.push({ ...object, taskQueue }),
        },
      },
      machines,
      this.problems,
    );
  }
}

const idOf = (name: string): string => `machine/ns/${name}/${name}`;
const namesOf = (world: World): string[] => world.started.map(({ ref }) => ref.name);

describe('the workflow of an object that is there', () => {
  test.each(['TERMINATED', 'CANCELLED', 'FAILED', 'TIMED_OUT', 'COMPLETED'])(
    'is started again, where it ran before, after it was %s',
    async (how) => {
      const world = new World();
      world.runs[idOf('a')] = { ...ENDED, how };
      const seen = machine('a', { owner: 'workers', status: { phase: 'Running', addresses: [], conditions: [] } });
      expect(await world.restart([seen])).toBe(1);
      const { ref } = seen;
      expect(world.started).toMatchObject([
        { ref, cluster: 'c', owner: 'workers', phase: 'Running', taskQueue: 'its-own' },
      ]);
    },
  );

  test('is left alone while it runs, and is not even looked at', async () => {
    const world = new World();
    world.runs[idOf('a')] = { state: 'running' };
    expect(await world.restart([machine('a')])).toBe(0);
    expect([world.lookedAt, world.started]).toEqual([[], []]);
  });

  test('is left alone while it runs and the list, which is late, does not show it', async () => {
    const world = new World();
    world.runs[idOf('new')] = { state: 'running' };
    world.unlisted = [idOf('new')];
    expect(await world.restart([machine('new')])).toBe(0);
    expect([world.lookedAt, world.started]).toEqual([[idOf('new')], []]);
  });

  test('is left to the watcher where it never ran', async () => {
    const world = new World();
    expect(await world.restart([machine('of-another-namespace')])).toBe(0);
    expect(world.started).toEqual([]);
  });

  test('is not started again after its last step, while what is left of its object goes', async () => {
    const world = new World();
    world.runs[idOf('done')] = { ...ENDED, how: 'COMPLETED' };
    world.runs[idOf('cut-off')] = ENDED;
    const leaving = { deletedAt: DELETED_AT };
    expect(await world.restart([machine('done', leaving), machine('cut-off', leaving)])).toBe(1);
    expect(namesOf(world)).toEqual(['cut-off']);
  });

  test('is started again for paused and malformed ones too', async () => {
    const world = new World();
    world.runs[idOf('paused')] = ENDED;
    world.runs[idOf('malformed')] = ENDED;
    const malformed = machine('malformed', { malformed: { message: 'spec: is no object' } as never });
    expect(await world.restart([machine('paused', { paused: true }), malformed])).toBe(2);
  });

  test('is started again for a MachineSet', async () => {
    const world = new World();
    world.sets = [storedSet('workers'), storedSet('others')];
    world.runs['machineset/ns/workers/workers'] = ENDED;
    world.runs['machineset/ns/others/others'] = { state: 'running' };
    expect(await world.restart([])).toBe(1);
    expect(world.started).toMatchObject([{ ref: { kind: 'MachineSet', name: 'workers' }, cluster: 'c' }]);
  });

  test('is started again for a Cluster', async () => {
    const world = new World();
    world.clusters = [{ apiVersion, kind: 'Cluster', metadata: { name: 'c', namespace: 'ns', uid: 'c' } }];
    world.runs['cluster/ns/c/c'] = ENDED;
    expect(await world.restart([])).toBe(1);
    expect(world.started).toMatchObject([{ ref: { kind: 'Cluster', name: 'c' }, role: 'cluster', cluster: 'c' }]);
  });
});

describe('what cannot be done', () => {
  test('is told: the list is not to be had', async () => {
    const world = new World();
    world.listFailure = new Error('no visibility');
    expect(await world.restart([machine('a')])).toBe(0);
    expect(world.problems).toEqual(['workflows that have ended: no visibility']);
    expect(world.lookedAt).toEqual([]);
  });

  test('keeps nobody else from being started', async () => {
    const world = new World();
    world.runs[idOf('a')] = new Error('no answer');
    world.runs[idOf('b')] = ENDED;
    expect(await world.restart([machine('a'), machine('b')])).toBe(1);
    expect(world.problems).toEqual(['workflows that have ended: no answer']);
    expect(namesOf(world)).toEqual(['b']);
  });

  test('is bounded in a round, and comes up in a later one', async () => {
    const world = new World();
    const machines = Array.from({ length: MOST_LOOKED_AT + 100 }, (_, n) => machine(`m${n}`));
    // The last one, after more than a round of those that nobody started.
    world.runs[idOf(`m${MOST_LOOKED_AT + 99}`)] = ENDED;
    await world.restart(machines);
    expect(world.lookedAt).toHaveLength(MOST_LOOKED_AT);
    for (let round = 0; round < 50 && world.started.length === 0; round += 1) await world.restart(machines);
    expect(world.started).toHaveLength(1);
  });
});
