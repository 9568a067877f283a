import { APIS } from '../k8s/dialects/registry.ts';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { KubeClient } from '../k8s/client.ts';
import { KubeError, NOT_SERVED } from '../k8s/kube-error.ts';
import { FINALIZER } from '../k8s/dialects/openshift/labels.ts';
import { MACHINES } from '../k8s/dialects/openshift/resources.ts';
import { systemClock } from '../providers/clock.ts';
import { createProviderRegistry } from '../providers/registry.ts';
import { createMachineDeps, type ActivityDeps, type MachineDeps } from './deps.ts';
import { createLetGo } from './let-go.ts';

const { apiVersion, kind } = MACHINES;
const ref = { apiVersion, kind, namespace: 'ns', name: 'm', uid: 'u' };
const EVENT = { type: 'Normal', reason: 'Delete', message: 'it is gone' } as const;

/** A Machine on its way out, and what was done about it, in its order. */
class World {
  readonly done: string[] = [];
  /** What is answered to each step, once. */
  readonly failures = new Map<string, Error>();
  uid: string | undefined = 'u';
  reads = 0;
  readonly #kube = { get: () => this.#get() } as unknown as KubeClient;

  letGo(clusterUid = 'uid') {
    const steps = { deleteNode: this.#step('delete the Node'), removeFinalizer: this.#step('take the finalizer off') };
    return createLetGo(this.deps, steps).letGo({ ref, clusterUid, events: [EVENT] });
  }

  readonly deps = this.#deps();

  #deps(): MachineDeps {
    const events = { record: async () => void this.done.push('tell') };
    const providers = createProviderRegistry([]);
    const given = { kube: this.#kube, apis: APIS, clusterUid: 'uid', events, providers, clock: systemClock };
    return createMachineDeps(given as unknown as ActivityDeps);
  }

  async #get(): Promise<object> {
    this.reads += 1;
    const failure = this.failures.get('read');
    if (failure !== undefined) throw failure;
    if (this.uid === undefined) throw new KubeError(404, 'NotFound', 'no m');
    const metadata = { name: 'm', namespace: 'ns', uid: this.uid, generation: 1, finalizers: [FINALIZER], labels: {} };
    return { apiVersion, kind, metadata, spec: { providerSpec: { value: { kind: 'X' } } } };
  }

  #step(what: string) {
    return async (target: object): Promise<void> => {
      expect(target).toEqual({ ref, clusterUid: 'uid' });
      const failure = this.failures.get(what);
      if (failure !== undefined) throw failure;
      this.done.push(what);
    };
  }
}

const WHOLE = ['delete the Node', 'take the finalizer off', 'tell'];

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('a Machine that is let go', () => {
  test('loses its Node first, then our finalizer, and then it is told', async () => {
    const world = new World();
    expect(await world.letGo()).toEqual({ outcome: 'done' });
    expect(world.done).toEqual(WHOLE);
  });

  test('is refused where it is of another cluster', async () => {
    const world = new World();
    await expect(world.letGo('another')).rejects.toMatchObject({ type: 'ForeignCluster' });
    expect([world.done, world.reads]).toEqual([[], 0]);
  });

  test.each([
    ['it is gone', undefined],
    ['another one has its name', 'another'],
  ])('has no step left where %s', async (_what, uid) => {
    const world = new World();
    world.uid = uid;
    expect(await world.letGo()).toEqual({ outcome: 'done' });
    expect(world.done).toEqual(['tell']);
  });

  test('goes by a look of a second ago, and by none that is older', async () => {
    const world = new World();
    await world.deps.reader.read(ref);
    jest.advanceTimersByTime(900);
    await world.letGo();
    expect(world.reads).toBe(1);
    jest.advanceTimersByTime(200);
    await world.letGo();
    expect(world.reads).toBe(2);
  });
});

describe('an end that fails', () => {
  test.each([
    ['no answer', 0, 'Unreachable'],
    ['throttling', 429, 'TooManyRequests'],
    ['trouble of the API server', 500, 'InternalError'],
    ['a kind that is not served for a moment', 404, NOT_SERVED],
  ])('is told, to be tried again, where it passes: %s', async (_what, status, reason) => {
    for (const step of ['read', 'delete the Node', 'take the finalizer off']) {
      const world = new World();
      world.failures.set(step, new KubeError(status, reason, `${step}: no`));
      expect(await world.letGo()).toEqual({ outcome: 'failed', message: `${step}: no` });
      expect(world.done).not.toContain('take the finalizer off');
      expect(world.done).not.toContain('tell');
    }
  });

  test('fails the activity where it does not pass by itself', async () => {
    const world = new World();
    const refusal = new KubeError(403, 'Forbidden', 'you may not');
    world.failures.set('delete the Node', refusal);
    await expect(world.letGo()).rejects.toBe(refusal);
    expect(world.done).toEqual([]);
  });
});
