import { beforeAll, expect, test } from '@jest/globals';
import { MACHINES, MACHINE_SETS } from '../../../k8s/dialects/openshift/resources.ts';
import { EVENTS, NAMESPACES, NODES, type Resource } from '../../../k8s/resources.ts';
import { ApiServer } from '../../world/kubernetes/api-server.ts';
import type { KubeObject } from '../../world/kubernetes/kube-object.ts';
import { getStack } from '../stack.ts';
import { LABELS, ParityStory } from './parity-story.ts';

const { kube: real } = getStack();
// Of its own in each run, so that a kept stack can be used again.
const NAMESPACE = `world-parity-${Date.now()}`;
const VALUE = { apiVersion: 'machine.millwright.dev/v1alpha1', kind: 'SimulatedMachineProviderConfig' };
const ANOTHER_UID = '11111111-2222-4333-8444-555555555555';

const BODY = { metadata: { name: NAMESPACE } };
let namespace: KubeObject;

beforeAll(async () => {
  namespace = await real.apply(NAMESPACES, undefined, NAMESPACE, BODY, { fieldManager: 'test' });
});

const MACHINE = { spec: { providerSpec: { value: VALUE } } };
const SET = {
  spec: { selector: { matchLabels: LABELS }, template: { metadata: { labels: LABELS }, spec: MACHINE.spec } },
};
const condition = (type: string, status = 'True') => ({ type, status, lastTransitionTime: '2026-01-01T00:00:00Z' });
const owner = (uid: string) => ({ apiVersion: 'v1', kind: 'Namespace', name: NAMESPACE, uid, controller: true });
const held = (...finalizers: string[]) => ({ metadata: { finalizers } });

const STORIES: readonly [string, Resource, (story: ParityStory) => Promise<void>][] = [
  [
    'creation, by name, twice, as a dry run and without a name',
    MACHINES,
    async (story) => {
      await story.dryRun(MACHINE);
      await story.get();
      await story.create({ ...MACHINE, status: { phase: 'Running' } });
      await story.create(MACHINE);
      await story.create(MACHINE, { name: undefined });
    },
  ],
  ['defaults', MACHINE_SETS, (story) => story.create(SET)],
  [
    'fields that a manager leaves out',
    MACHINES,
    async (story) => {
      await story.apply('a', { metadata: { labels: { ...LABELS, x: '1', y: '1' } }, ...MACHINE });
      await story.apply('b', { metadata: { labels: { x: '1' }, annotations: { z: '1' } } });
      await story.merge('c', { metadata: { labels: { y: '2' } }, spec: { creationTimeoutSeconds: 60 } });
      await story.apply('a', { metadata: { labels: LABELS }, ...MACHINE });
      await story.apply('b', {});
    },
  ],
  [
    'a field that somebody else had written before, and of a manager that leaves it out',
    MACHINES,
    async (story) => {
      const spec = { creationTimeoutSeconds: 60 };
      await story.create(MACHINE);
      await story.merge('by-hand', { spec });
      await story.apply('a', { spec, metadata: { annotations: { why: 'a' } } });
      await story.apply('a', {});
      await story.apply('a', { spec });
      await story.merge('by-hand', { spec: { creationTimeoutSeconds: null } });
      await story.apply('a', {});
    },
  ],
  [
    'a policy for the deletion, which is only lowered while that is under way',
    MACHINES,
    async (story) => {
      const write = (spec: object) => story.merge('by-hand', { spec });
      await story.create(MACHINE, { finalizers: ['e.com/a'] });
      await write({ deletionPolicy: 'forced' });
      await write({ deletionPolicy: 'unsafe', delete: true });
      await write({ deletionPolicy: 'graceful' });
      await write({ deletionPolicy: 'graceful', delete: false });
      await write({ delete: true });
      await write({ deletionPolicy: 'unsafe' });
      await write({ deletionPolicy: null });
      await story.delete();
      await write({ delete: false, deletionPolicy: 'graceful' });
      await write({ delete: null, deletionPolicy: 'forced' });
      await story.apply('a', { spec: { deletionPolicy: 'unsafe' } });
    },
  ],
  [
    'fields of a status that a manager leaves out',
    MACHINES,
    async (story) => {
      const providerStatus = { instanceId: 'i', conditions: [condition('X')] };
      const status = { phase: 'Running', nodeRef: { kind: 'Node', name: 'n' }, addresses: [], providerStatus };
      await story.create(MACHINE);
      await story.apply('a', { status }, { subresource: 'status' });
      await story.apply('a', { status: { phase: 'Running', conditions: [] } }, { subresource: 'status' });
      await story.apply('a', { status: {} }, { subresource: 'status' });
    },
  ],
  [
    'conditions of two managers',
    MACHINES,
    async (story) => {
      const write = (manager: string, ...conditions: object[]) =>
        story.apply(manager, { status: { conditions } }, { subresource: 'status' });
      await story.create(MACHINE);
      await write('a', condition('A'), condition('Shared'));
      await write('b', condition('B'), condition('Shared'));
      await write('a', condition('Shared', 'False'), condition('A'));
      await write('b', condition('B'));
      await write('a');
    },
  ],
  [
    'finalizers of two managers, and steps with tests',
    MACHINES,
    async (story) => {
      await story.create(MACHINE, { finalizers: ['e.com/a', 'e.com/b'] });
      await story.apply('x', held('e.com/c', 'e.com/a'));
      const at = (index: number, value: string) => ({ op: 'test', path: `/metadata/finalizers/${index}`, value });
      await story.patch(at(0, 'e.com/none'), { op: 'remove', path: '/metadata/finalizers/0' });
      await story.patch(at(9, 'e.com/none'));
      await story.patch({ op: 'remove', path: '/metadata/finalizers/9' });
      await story.patch({ op: 'test', path: '/metadata/uid', value: ANOTHER_UID });
      await story.apply('x', {});
    },
  ],
  [
    'main and status, each by itself',
    MACHINES,
    async (story) => {
      await story.create(MACHINE);
      await story.merge('a', { status: { phase: 'Running' }, metadata: { annotations: { a: '1' } } });
      const both = {
        status: { phase: 'Running' },
        spec: { creationTimeoutSeconds: 60 },
        metadata: { annotations: { b: '1' } },
      };
      await story.merge('a', both, { subresource: 'status' });
      await story.apply('b', both, { subresource: 'status' });
      await story.merge('a', { spec: { creationTimeoutSeconds: 60 } });
      await story.merge('a', { spec: { creationTimeoutSeconds: 60 } });
      await story.apply('b', { status: { phase: 'Running' } }, { subresource: 'status' });
      await story.merge('a', { status: null }, { subresource: 'status' });
    },
  ],
  [
    'writes that name another object',
    MACHINES,
    async (story) => {
      const metadata = { uid: ANOTHER_UID, annotations: { a: '1' } };
      await story.apply('a', { metadata: { name: undefined }, ...MACHINE });
      await story.apply('a', { metadata: { name: 'another' }, ...MACHINE });
      await story.apply('a', { metadata: { ...metadata, name: undefined }, ...MACHINE });
      await story.apply('a', { metadata: { name: undefined }, spec: { unheardOf: 1 } });
      await story.apply('a', { metadata, ...MACHINE });
      await story.apply('a', { metadata, status: { phase: 'Running' } }, { subresource: 'status' });
      await story.merge('a', { metadata });
      await story.delete({ uid: ANOTHER_UID });
      await story.create(MACHINE);
      await story.apply('a', { metadata: { name: 'another' }, ...MACHINE });
      await story.merge('a', { metadata: { name: null } });
      await story.apply('a', { metadata, ...MACHINE });
      await story.merge('a', { metadata });
      await story.delete({ uid: ANOTHER_UID });
      await story.delete({ resourceVersion: '1' });
      await story.merge('a', { metadata: { resourceVersion: '1', annotations: { a: '1' } } });
      await story.apply('a', { metadata: { resourceVersion: '1' }, status: {} }, { subresource: 'status' });
      await story.merge(
        'a',
        { metadata: { uid: ANOTHER_UID }, status: { phase: 'Failed' } },
        { subresource: 'status' },
      );
      await story.apply('a', { metadata, status: { phase: 'Running' } }, { subresource: 'status' });
      await story.get();
    },
  ],
  [
    'fields that others own',
    MACHINES,
    async (story) => {
      await story.apply('a', { metadata: { labels: LABELS }, spec: { ...MACHINE.spec, creationTimeoutSeconds: 60 } });
      await story.apply('b', { spec: { creationTimeoutSeconds: 60 } }, { force: false });
      await story.apply('c', { spec: { creationTimeoutSeconds: 61 } }, { force: false });
      await story.apply('c', { spec: { creationTimeoutSeconds: 61 } });
      await story.apply('c', { spec: { unheardOf: 1 } });
      await story.merge('c', { spec: { unheardOf: 1 } });
    },
  ],
  [
    'metadata that is emptied',
    MACHINES,
    async (story) => {
      const emptied = { labels: {}, annotations: {}, finalizers: [], ownerReferences: [] };
      await story.create(MACHINE, { ...emptied, labels: LABELS });
      const metadata = { labels: { x: '1' }, annotations: { x: '1' }, finalizers: ['e.com/a'] };
      // One that is there: the real garbage collector takes what belongs to nobody.
      await story.merge('a', { metadata: { ...metadata, ownerReferences: [owner(namespace.metadata.uid)] } });
      await story.merge('b', { metadata: { ...emptied, labels: { x: null }, annotations: { x: null } } });
      await story.merge('b', { metadata: { finalizers: [] } });
      await story.apply('c', { metadata });
      await story.apply('c', { metadata: emptied });
    },
  ],
  [
    'owners',
    MACHINES,
    async (story) => {
      await story.create(MACHINE);
      await story.merge('a', { metadata: { ownerReferences: [owner(ANOTHER_UID), owner(`${ANOTHER_UID}0`)] } });
    },
  ],
  [
    'deletion',
    MACHINES,
    async (story) => {
      await story.create(MACHINE);
      await story.merge('a', held('e.com/a', 'e.com/b'));
      await story.delete();
      await story.get();
      await story.delete();
      await story.get();
      await story.merge('a', held('e.com/a', 'e.com/b', 'e.com/c'));
      await story.merge('a', held('e.com/a'));
      await story.merge('a', { spec: { creationTimeoutSeconds: 60 } });
      await story.patch({ op: 'remove', path: '/metadata/finalizers/0' });
      await story.get();
      await story.delete();
    },
  ],
  [
    'the scale',
    MACHINE_SETS,
    async (story) => {
      await story.create(SET);
      await story.merge('a', { spec: { replicas: 2 } }, { subresource: 'scale' });
      await story.get();
      await story.merge('a', { spec: { replicas: 0 } }, { subresource: 'scale' });
      await story.get();
      await story.merge('a', { metadata: { resourceVersion: '1' }, spec: { replicas: 1 } }, { subresource: 'scale' });
      await story.merge('b', { spec: { replicas: 3 } }, { subresource: 'scale' });
      await story.get();
    },
  ],
  [
    'a Node',
    NODES,
    async (story) => {
      // Without this taint an admission plugin of the real one adds it; without the condition a controller takes it off.
      const taint = (key: string) => ({ key, effect: 'NoSchedule' });
      const taints = [taint('node.kubernetes.io/not-ready')];
      const status = { conditions: [{ type: 'Ready', status: 'False' }] };
      await story.create({ spec: { providerID: 'parity:///z/i', taints }, status });
      await story.merge('a', { spec: { taints: [...taints, taint('a')] }, metadata: { labels: { a: '1' } } });
      await story.apply('b', { spec: { taints: [...taints, taint('b')] } });
      await story.merge('a', { metadata: { uid: ANOTHER_UID } });
      await story.delete();
      await story.get();
    },
  ],
  [
    'selectors',
    EVENTS,
    async (story) => {
      const involvedObject = { kind: 'Machine', namespace: NAMESPACE, name: 'm', uid: ANOTHER_UID };
      await story.create({ involvedObject, reason: 'A', message: 'a', type: 'Normal' });
      await story.list({ fieldSelector: `involvedObject.uid=${ANOTHER_UID}` });
      await story.list({ fieldSelector: 'involvedObject.uid=none' });
      await story.list({ fieldSelector: 'message=a' });
      await story.list({ labelSelector: 'machine.openshift.io/cluster-api-cluster in (c,d)' });
      await story.list({ labelSelector: 'a notin (b),!c' });
      await story.list({ labelSelector: 'a=' });
    },
  ],
];

test.each(STORIES)('%s: as the real one does', async (what, resource, tell) => {
  const name = `parity-${STORIES.findIndex(([story]) => story === what)}`;
  const there = new ParityStory(real, resource, NAMESPACE, name);
  const server = new ApiServer();
  server.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE, uid: namespace.metadata.uid } });
  const here = new ParityStory(server.client, resource, NAMESPACE, name);
  await tell(there);
  await tell(here);
  expect(here.outcomes).toEqual(there.outcomes);
  // What holds what is left behind is not for anybody to take off.
  await real.mergePatch(resource, resource.namespaced ? NAMESPACE : undefined, name, held()).catch(() => undefined);
});
