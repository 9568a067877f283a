import { expect, test } from '@jest/globals';
import { KubeConfig } from '@kubernetes/client-node';
import { pino } from 'pino';
import type { KubeClient } from '../../k8s/client.ts';
import { MACHINE_FIELD_MANAGER } from '../../k8s/model/field-managers.ts';
import type { Resource } from '../../k8s/resources.ts';
import { systemClock } from '../../providers/clock.ts';
import { ClusterView } from './cluster-view.ts';

const stored = (name: string, metadata: object, parts: object) => ({
  metadata: { name, namespace: 'ns', uid: name, generation: 1, resourceVersion: '1', ...metadata },
  ...parts,
});
const OURS = { manager: MACHINE_FIELD_MANAGER, fieldsV1: { 'f:spec': { 'f:providerID': {} } } };
const OBJECTS: Readonly<Record<string, readonly object[]>> = {
  Machine: [
    stored('broken', {}, { spec: null, status: { conditions: 'x', addresses: {} } }),
    // Not even its metadata can be read, which no API server answers.
    stored('unreadable', { finalizers: 7 }, {}),
    stored('healthy', { managedFields: [OURS] }, { spec: { providerSpec: {}, providerID: 'x:///z/i-1' } }),
  ],
  MachineSet: [stored('broken', {}, { spec: { selector: 'x', template: [] }, status: 1 })],
  MachineClass: [stored('broken', {}, { status: 'x' })],
  Cluster: [stored('broken', {}, { spec: [] })],
  Node: [stored('broken', {}, { spec: 'x', status: null })],
};

test('a list is taken up whatever is in it, but for what nothing can be read of', async () => {
  const config = new KubeConfig();
  // Nobody listens there: the lists come from below, and what follows them does not matter here.
  config.loadFromClusterAndUser({ name: 'c', server: 'http://127.0.0.1:1', skipTLSVerify: true }, { name: 'u' });
  const kube = {
    list: async ({ kind }: Resource) => ({ items: structuredClone(OBJECTS[kind] ?? []), resourceVersion: '1' }),
  } as unknown as KubeClient;
  const listed = Promise.withResolvers<void>();
  const view = new ClusterView({
    onMachine: () => {},
    config,
    kube,
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
  expect(index.refs().map(({ name }) => name)).toEqual(['broken', 'broken', 'healthy']);
  // Who wrote the providerID is read before what is large is dropped.
  expect(index.machines.get('ns/healthy')).toMatchObject({ providerID: 'x:///z/i-1', foreignProviderID: '' });
  expect([index.machineClasses.size, index.clusters.size, index.nodes.size]).toEqual([1, 1, 1]);
});
