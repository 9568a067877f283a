import { APIS } from '../k8s/dialects/registry.ts';
import { describe, expect, test } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import type { KubeClient } from '../k8s/client.ts';
import { KubeError } from '../k8s/kube-error.ts';
import { tokenOf } from '../k8s/launch-token.ts';
import { PAUSED_ANNOTATION } from '../k8s/model/paused-annotation.ts';
import { MACHINES } from '../k8s/dialects/openshift/resources.ts';
import { ProviderError, type Credentials, type LoadBalancer, type Provider } from '../providers/provider.ts';
import { systemClock } from '../providers/clock.ts';
import { createProviderRegistry } from '../providers/registry.ts';
import { OBJECT_CHANGED } from '../workflows/failure-types.ts';
import { createMachineDeps, type ActivityDeps, type MachineDeps } from './deps.ts';
import { createLoadBalancerActivities } from './load-balancers.ts';
import { given } from '../providers/given.ts';

const { apiVersion, kind } = MACHINES;
const ref = { apiVersion, kind, namespace: 'ns', name: 'm', uid: 'u' };
const request = { ref, clusterUid: 'uid', id: 'i-1' };
const FROZEN: LoadBalancer = { name: 'frozen', type: 'pool' };
const OF_SPEC: LoadBalancer = { name: 'of-spec', type: 'pool' };
const CREDENTIALS: Credentials = { namespace: 'ns', secretName: 'its-own' };

function launchedWith(loadBalancers: readonly LoadBalancer[] | undefined) {
  const parameters = { provider: 'fake', credentials: CREDENTIALS, zone: 'z', instanceType: 't', request: {} };
  return {
    attempt: 1,
    token: tokenOf(ref.uid, 1),
    specHash: 'h',
    preparedAt: '2026-01-01T00:00:00Z',
    idempotency: 'token',
    parameters: { ...parameters, ...given({ loadBalancers }) },
  };
}

/** A Machine with an instance, its cloud, and what the load balancers were asked for. */
class World {
  readonly asked: unknown[][] = [];
  failure: Error | undefined;
  hasLoadBalancers = true;
  isThere = true;
  annotations: Record<string, string> = {};
  spec: object = { providerSpec: { value: { kind: 'Fake' } } };
  /** Undefined: it came with its instance. */
  launch: object | undefined = launchedWith([FROZEN]);

  run(how: 'attachLoadBalancers' | 'detachLoadBalancers', target: typeof request = request) {
    const activities = createLoadBalancerActivities(this.#deps());
    return new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') }).run(activities[how], target);
  }

  #deps(): MachineDeps {
    const ask =
      (how: string) =>
      async (...parameters: unknown[]): Promise<void> => {
        this.asked.push([how, ...parameters.slice(0, 3)]);
        if (this.failure !== undefined) throw this.failure;
      };
    const loadBalancing = {
      loadBalancersOf: () => [OF_SPEC],
      register: ask('register'),
      deregister: ask('deregister'),
    };
    const provider = {
      name: 'fake',
      providerSpecKinds: ['Fake'],
      credentialsOf: () => CREDENTIALS,
      describe: async () => [{ id: 'i-1', machineUid: ref.uid }],
      ...(this.hasLoadBalancers ? { loadBalancing } : {}),
    } as unknown as Provider;
    const kube = {
      get: async () => {
        if (!this.isThere) throw new KubeError(404, 'NotFound', 'no m');
        return this.#stored();
      },
    } as unknown as KubeClient;
    const given = {
      kube,
      apis: APIS,
      clusterUid: 'uid',
      providers: createProviderRegistry([provider]),
      clock: systemClock,
    };
    return createMachineDeps(given as unknown as ActivityDeps);
  }

  #stored(): object {
    const metadata = { name: 'm', namespace: 'ns', uid: 'u', generation: 1, labels: {}, annotations: this.annotations };
    const addresses = [{ type: 'InternalIP', address: '10.0.0.1' }];
    const providerStatus = { instanceId: 'i-1', instanceState: 'running', ...(this.launch && { launch: this.launch }) };
    return { apiVersion, kind, metadata, spec: this.spec, status: { addresses, providerStatus } };
  }
}

const INSTANCE = { id: 'i-1', addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] };

describe('an instance', () => {
  test.each([
    ['attachLoadBalancers', 'register'],
    ['detachLoadBalancers', 'deregister'],
  ] as const)('goes by what was frozen at its launch, whatever its spec says by now: %s', async (how, asked) => {
    const world = new World();
    expect(await world.run(how)).toEqual({ outcome: 'done', loadBalancers: ['frozen'] });
    expect(world.asked).toEqual([[asked, CREDENTIALS, [FROZEN], INSTANCE]]);
  });

  test('that came without a launch of ours goes by its spec', async () => {
    const world = new World();
    world.launch = undefined;
    expect(await world.run('attachLoadBalancers')).toEqual({ outcome: 'done', loadBalancers: ['of-spec'] });
    expect(world.asked).toEqual([['register', CREDENTIALS, [OF_SPEC], INSTANCE]]);
  });

  test.each([
    ['that was launched without load balancers', undefined],
    ['that was launched with an empty list', []],
  ])('%s gets none, although its spec names some by now', async (_what, frozen) => {
    const world = new World();
    world.launch = launchedWith(frozen);
    expect(await world.run('attachLoadBalancers')).toEqual({ outcome: 'done', loadBalancers: [] });
    expect(world.asked).toEqual([]);
  });

  test('of a cloud without load balancers is done with', async () => {
    const world = new World();
    world.hasLoadBalancers = false;
    expect(await world.run('attachLoadBalancers')).toEqual({ outcome: 'done', loadBalancers: [] });
  });
});

describe('nothing is asked of the load balancers', () => {
  test('of a Machine of another cluster', async () => {
    const world = new World();
    const foreign = world.run('attachLoadBalancers', { ...request, clusterUid: 'another' });
    await expect(foreign).rejects.toMatchObject({ type: 'ForeignCluster' });
    expect(world.asked).toEqual([]);
  });

  test.each<[string, (world: World) => void]>([
    ['paused meanwhile', (world) => void (world.annotations = { [PAUSED_ANNOTATION]: '' })],
    ['gone', (world) => void (world.isThere = false)],
    ['malformed', (world) => void (world.spec = { providerSpec: 7 })],
  ])('of a Machine that is %s', async (_what, change) => {
    const world = new World();
    change(world);
    for (const how of ['attachLoadBalancers', 'detachLoadBalancers'] as const) {
      await expect(world.run(how)).rejects.toMatchObject({ type: OBJECT_CHANGED });
    }
    expect(world.asked).toEqual([]);
  });
});

describe('a failure', () => {
  test('of the cloud is told', async () => {
    const world = new World();
    world.failure = new ProviderError('Throttled', 'slow', { retryAfterMs: 1000 });
    expect(await world.run('attachLoadBalancers')).toMatchObject({
      outcome: 'failed',
      failure: { code: 'Throttled', message: 'slow', retryAfterMs: 1000 },
    });
  });

  test('to find the cloud is told', async () => {
    const world = new World();
    world.launch = undefined;
    world.spec = { providerSpec: { value: { kind: 'Unknown' } } };
    expect(await world.run('attachLoadBalancers')).toMatchObject({ outcome: 'failed' });
  });

  test('that is a defect fails the activity', async () => {
    const world = new World();
    world.failure = new TypeError('a defect');
    await expect(world.run('attachLoadBalancers')).rejects.toThrow('a defect');
  });
});
