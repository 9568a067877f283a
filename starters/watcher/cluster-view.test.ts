import { expect, test } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { KubeConfig } from '@kubernetes/client-node';
import { pino } from 'pino';
import type { KubeClient } from '../../k8s/client.ts';
import { APIS } from '../../k8s/dialects/registry.ts';
import { MACHINE_FIELD_MANAGER } from '../../k8s/model/field-managers.ts';
import { CLUSTER_RULES } from '../../k8s/dialects/openshift/health-check-kind.ts';
import { systemClock } from '../../providers/clock.ts';
import { aCluster } from '../../test/world/builders/a-cluster.ts';
import { aMachineClass } from '../../test/world/builders/a-machine-class.ts';
import { aMachineHealthCheck } from '../../test/world/builders/a-machine-health-check.ts';
import { aMachineSet } from '../../test/world/builders/a-machine-set.ts';
import { aMachine } from '../../test/world/builders/a-machine.ts';
import { aNode } from '../../test/world/builders/a-node.ts';
import { spoiled } from '../../test/world/builders/spoiled.ts';
import { ApiServer } from '../../test/world/kubernetes/api-server.ts';
import { ClusterView } from './cluster-view.ts';
import type { ObjectWatch } from './object-source.ts';
import { ReportingWatch } from './reporting-watch.ts';

const OURS = { manager: MACHINE_FIELD_MANAGER, fieldsV1: { 'f:spec': { 'f:providerID': {} } } };
const broken = { name: 'broken' };

/** What the API server answers a list with: the malformed beside the healthy. */
function clientOfBroken(): KubeClient {
  const server = new ApiServer();
  server.put(
    spoiled(aMachine(broken), { spec: null, status: { conditions: 'x', addresses: {} } }),
    // Not even its metadata can be read, which no API server answers.
    spoiled(aMachine(), { metadata: { ...aMachine({ name: 'unreadable' }).metadata, finalizers: 7 } }),
    aMachine({ name: 'healthy', providerID: 'x:///z/i-1', metadata: { managedFields: [OURS] } }),
    spoiled(aMachineSet(broken), { spec: { selector: 'x', template: [] }, status: 1 }),
    spoiled(aMachineClass(broken), { status: 'x' }),
    spoiled(aCluster(broken), { spec: [] }),
    aNode({ name: 'node' }),
  );
  return server.client;
}

/** Watches that say what the test has them say. */
class ToldWatch implements ObjectWatch {
  readonly #open = new Map<string, (phase: string, object: object) => void>();

  async watch(
    path: string,
    _query: object,
    onEvent: (phase: string, object: object) => void,
  ): Promise<AbortController> {
    this.#open.set(path, onEvent);
    return new AbortController();
  }

  /** The API server tells those that watch a path. */
  async tell(path: string, phase: 'ADDED' | 'MODIFIED' | 'DELETED', object: object): Promise<void> {
    while (!this.#open.has(path)) await delay(1);
    this.#open.get(path)?.(phase, object);
  }
}

test('a list is taken up whatever is in it, but for what nothing can be read of', async () => {
  const config = new KubeConfig();
  // Nobody listens there: the lists come from below, and what follows them does not matter here.
  config.loadFromClusterAndUser({ name: 'c', server: 'http://127.0.0.1:1', skipTLSVerify: true }, { name: 'u' });
  const listed = Promise.withResolvers<void>();
  const view = new ClusterView({
    onMachine: () => {},
    watch: new ReportingWatch(config),
    kube: clientOfBroken(),
    apis: APIS,
    namespace: undefined,
    watchRetryMostMs: 60_000,
    onWakes: () => {},
    onListed: () => listed.resolve(),
    clock: systemClock,
    log: pino({ level: 'silent' }),
  });
  view.start();
  await listed.promise;
  await view.stop();
  const { index } = view;
  expect(index.refs().map(({ name }) => name)).toEqual(['broken', 'broken', 'broken', 'broken', 'healthy']);
  // Who wrote the providerID is read before what is large is dropped.
  expect([...index.machines.values()].find(({ ref }) => ref.name === 'healthy')).toMatchObject({
    providerID: 'x:///z/i-1',
    foreignProviderID: '',
  });
  expect([index.machineClasses.size, index.clusters.size, index.nodes.size]).toEqual([1, 1, 1]);
});

test('a change of the cluster’s own rules wakes the checks that have none', async () => {
  const server = new ApiServer();
  const unhealthyConditions = [{ type: 'Ready', status: 'False' as const, timeout: '1m' }];
  server.put(aMachineHealthCheck('by-the-clusters'), aMachineHealthCheck('by-its-own', { unhealthyConditions }));
  const listed = Promise.withResolvers<void>();
  const watch = new ToldWatch();
  const woken: string[] = [];
  const view = new ClusterView({
    onMachine: () => {},
    watch,
    kube: server.client,
    apis: APIS,
    namespace: undefined,
    watchRetryMostMs: 60_000,
    onWakes: (wakes) => woken.push(...wakes.map(({ target, because }) => `${target.name}: ${because}`)),
    onListed: () => listed.resolve(),
    clock: systemClock,
    log: pino({ level: 'silent' }),
  });
  view.start();
  await listed.promise;
  woken.length = 0;
  const { namespace, name, key } = CLUSTER_RULES;
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  for (const [phase, resourceVersion] of [
    ['ADDED', '11'],
    ['MODIFIED', '12'],
    ['DELETED', '13'],
  ] as const) {
    const metadata = { name, namespace, uid: 'u', resourceVersion };
    await watch.tell(path, phase, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { [key]: '' } });
    expect(woken.splice(0)).toEqual(['by-the-clusters: health']);
  }
  await view.stop();
});
