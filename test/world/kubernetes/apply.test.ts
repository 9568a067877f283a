import { describe, expect, test } from '@jest/globals';
import { isConflict, KubeError } from '../../../k8s/kube-error.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { NODES } from '../../../k8s/resources.ts';
import { aMachine } from '../builders/a-machine.ts';
import { aNode } from '../builders/a-node.ts';
import { ApiServer } from './api-server.ts';
import type { KubeObject } from './kube-object.ts';

const NS = 'default';

function world() {
  let now = Date.parse('2026-01-01T00:00:00Z');
  const server = new ApiServer({ now: () => now });
  const apply = (
    fieldManager: string,
    { metadata, ...parts }: { readonly metadata?: object; readonly [part: string]: unknown },
    options: { subresource?: 'status'; force?: boolean } = {},
  ) => {
    const body = { ...parts, metadata: { name: 'm', ...metadata } };
    return server.client.apply<KubeObject>(MACHINES, NS, 'm', body, { fieldManager, ...options });
  };
  const status = (manager: string, body: object) => apply(manager, { status: body }, { subresource: 'status' });
  return { server, apply, status, pass: (seconds: number) => void (now += seconds * 1000) };
}

const condition = (type: string, status = 'True') => ({ type, status, lastTransitionTime: '2026-01-01T00:00:00Z' });
const managersOf = ({ metadata }: KubeObject) => metadata.managedFields?.map(({ manager }) => manager);
const fieldsOf = ({ metadata }: KubeObject, manager: string) =>
  metadata.managedFields?.find((entry) => entry.manager === manager)?.fieldsV1;

describe('what a manager applied before and leaves out now', () => {
  test('goes where nobody else owns it', async () => {
    const { apply } = world();
    await apply('a', { metadata: { labels: { x: '1', y: '1' } }, spec: { providerID: 'p', providerSpec: {} } });
    const after = await apply('a', { metadata: { labels: { y: '1' } }, spec: { providerSpec: {} } });
    expect(after.metadata.labels).toEqual({ y: '1' });
    expect(after['spec']).toEqual({ providerSpec: {} });
  });

  test('stays where somebody else owns it too, or wrote it since', async () => {
    const { apply, server } = world();
    const both = { metadata: { labels: { x: '1' } } };
    await apply('x', { spec: { providerSpec: {} } });
    await apply('a', { metadata: { labels: { x: '1', z: '1' } } });
    await apply('b', both);
    await server.client.mergePatch(MACHINES, NS, 'm', { metadata: { labels: { z: '2' } } }, { fieldManager: 'c' });
    const after = await apply('a', {});
    expect(after.metadata.labels).toEqual({ x: '1', z: '2' });
    expect(managersOf(after)).toEqual(['b', 'x', 'c']);
  });

  test('goes, and the map that it empties is still of whom it was', async () => {
    const { apply, server } = world();
    const metadata = { name: 'm', annotations: { n: '1' } };
    const spec = { providerSpec: {} };
    await server.client.create(MACHINES, NS, { metadata, spec }, { fieldManager: 'creator' });
    await apply('a', { metadata: { annotations: { n: '2' } } });
    const after = await apply('a', {});
    expect(after.metadata.annotations).toBeUndefined();
    expect(fieldsOf(after, 'creator')).toMatchObject({ 'f:metadata': { 'f:annotations': {} } });
  });

  test('cannot be all of what is applied as empty', async () => {
    const { status, apply } = world();
    await apply('other', { spec: { providerSpec: {} } });
    await status('a', { phase: 'Running' });
    expect(await status('a', {}).catch((error: unknown) => error)).toMatchObject({ status: 422, reason: 'Invalid' });
  });

  test('goes with what held it only', async () => {
    const { status, apply } = world();
    await apply('other', { spec: { providerSpec: {} } });
    await status('a', { phase: 'Running', nodeRef: { name: 'n' }, providerStatus: { instanceId: 'i' } });
    const after = await status('a', { phase: 'Running' });
    expect(after['status']).toEqual({ phase: 'Running' });
  });
});

describe('a cordon', () => {
  const unschedulable = { spec: { unschedulable: true } };

  async function cordonWorld(name: string) {
    const { server } = world();
    const { metadata: _made, ...node } = aNode({ name, providerID: 'p' });
    const { others } = server;
    const made = await others.create<KubeObject>(NODES, undefined, { ...node, metadata: { name } }, KUBELET);
    const { uid } = made.metadata;
    const apply = (metadata: object, parts: object) => {
      const body = { metadata: { uid, ...metadata }, ...parts };
      return server.client.apply<KubeObject>(NODES, undefined, name, body, { fieldManager: 'drain' });
    };
    return {
      byHand: (spec: object) =>
        others.mergePatch<KubeObject>(NODES, undefined, name, { spec }, { fieldManager: 'kubectl-cordon' }),
      drain: () => apply({ annotations: { why: 'a drain' } }, unschedulable),
      takeBack: () => apply({}, {}),
    };
  }
  const KUBELET = { fieldManager: 'kubelet' };

  test('goes with whom it is of, and with it what is beside it', async () => {
    const node = await cordonWorld('n');
    await node.drain();
    const after = await node.takeBack();
    expect(after['spec']).toEqual({ providerID: 'p' });
    expect(after.metadata.annotations).toBeUndefined();
    expect(managersOf(after)).toEqual(['kubelet']);
  });

  test('stays where somebody had cordoned the Node before', async () => {
    const node = await cordonWorld('n');
    await node.byHand({ unschedulable: true });
    expect(managersOf(await node.drain())).toEqual(['drain', 'kubectl-cordon', 'kubelet']);
    const after = await node.takeBack();
    expect(after['spec']).toEqual({ providerID: 'p', unschedulable: true });
    expect(after.metadata.annotations).toBeUndefined();
    expect(managersOf(after)).toEqual(['kubectl-cordon', 'kubelet']);
  });

  test('stays where that was before anybody’s fields were tracked', async () => {
    const { server } = world();
    const node = aNode(unschedulable);
    const untracked = { ...node.metadata, managedFields: [] };
    server.put({ ...node, metadata: untracked });
    const apply = (body: object) =>
      server.client.apply<KubeObject>(NODES, undefined, 'n', body, { fieldManager: 'drain' });
    await apply(unschedulable);
    expect((await apply({ metadata: { name: 'n' } }))['spec']).toEqual({ unschedulable: true });
  });

  test('that somebody takes away is nobody’s any more', async () => {
    const node = await cordonWorld('n');
    await node.byHand({ unschedulable: true });
    await node.drain();
    const after = await node.byHand({ unschedulable: null });
    expect(after['spec']).toEqual({ providerID: 'p' });
    expect(fieldsOf(after, 'drain')).toEqual({ 'f:metadata': { 'f:annotations': { 'f:why': {} } } });
  });
});

describe('a list', () => {
  test('of conditions has one owner for each of its items', async () => {
    const { apply, status } = world();
    await apply('x', { spec: { providerSpec: {} } });
    await status('a', { conditions: [condition('A'), condition('Shared')] });
    await status('b', { conditions: [condition('B')] });
    const after = await status('a', { conditions: [condition('A', 'False')] });
    expect(after['status']).toEqual({ conditions: [condition('A', 'False'), condition('B')] });
    expect(fieldsOf(after, 'b')).toEqual({
      'f:status': {
        'f:conditions': {
          'k:{"type":"B"}': { '.': {}, 'f:type': {}, 'f:status': {}, 'f:lastTransitionTime': {} },
        },
      },
    });
  });

  test('of finalizers is a set', async () => {
    const { apply } = world();
    await apply('a', { metadata: { finalizers: ['x'] }, spec: { providerSpec: {} } });
    const after = await apply('b', { metadata: { finalizers: ['y', 'x'] } });
    expect(after.metadata.finalizers).toEqual(['y', 'x']);
    expect(fieldsOf(after, 'b')).toEqual({ 'f:metadata': { 'f:finalizers': { 'v:"x"': {}, 'v:"y"': {} } } });
    expect((await apply('b', {})).metadata.finalizers).toEqual(['x']);
  });

  test('that is written whole has one owner', async () => {
    const { server } = world();
    server.put(aNode());
    const taint = (key: string) => ({ key, effect: 'NoSchedule' });
    const write = (fieldManager: string, key: string) =>
      server.client.apply<KubeObject>(NODES, undefined, 'n', { spec: { taints: [taint(key)] } }, { fieldManager });
    await write('a', 'x');
    const after = await write('b', 'y');
    expect(after['spec']).toEqual({ taints: [taint('y')] });
    expect(managersOf(after)).not.toContain('a');
  });
});

describe('who wrote what', () => {
  test('is kept for each way of writing, with its time', async () => {
    const { apply, status, server, pass } = world();
    const machine = aMachine({ metadata: { resourceVersion: '' } });
    await server.client.create(MACHINES, NS, machine, { fieldManager: 'set' });
    pass(1);
    await apply('own', { metadata: { finalizers: ['x'] }, spec: { providerID: 'p' } });
    pass(1);
    const after = await status('own', { phase: 'Running' });
    expect(after.metadata.managedFields).toMatchObject([
      {
        manager: 'own',
        operation: 'Apply',
        time: '2026-01-01T00:00:01Z',
        fieldsV1: { 'f:spec': { 'f:providerID': {} } },
      },
      { manager: 'own', operation: 'Apply', time: '2026-01-01T00:00:02Z', subresource: 'status' },
      { manager: 'set', operation: 'Update', time: '2026-01-01T00:00:00Z', fieldsType: 'FieldsV1' },
    ]);
    expect(fieldsOf(after, 'set')).toMatchObject({
      'f:metadata': { 'f:labels': { '.': {}, 'f:machine.openshift.io/cluster-api-cluster': {} } },
      'f:spec': { '.': {}, 'f:providerSpec': { '.': {} } },
    });
  });

  test('changes hands with the value', async () => {
    const { apply, server } = world();
    await apply('a', { spec: { providerID: 'p', providerSpec: {} } });
    await server.client.mergePatch(MACHINES, NS, 'm', { spec: { providerID: 'q' } }, { fieldManager: 'b' });
    const after = server.require(MACHINES, NS, 'm');
    expect(fieldsOf(after, 'a')).toEqual({ 'f:spec': { 'f:providerSpec': {} } });
    expect(fieldsOf(after, 'b')).toEqual({ 'f:spec': { 'f:providerID': {} } });
  });

  test('is shared by those who apply the same value; another one is refused, unless it is forced', async () => {
    const { apply } = world();
    await apply('a', { spec: { providerID: 'p', providerSpec: {} } });
    expect(managersOf(await apply('b', { spec: { providerID: 'p' } }, { force: false }))).toEqual(['a', 'b']);
    const other = { spec: { providerID: 'q' } };
    expect(await apply('c', other, { force: false }).catch(isConflict)).toBe(true);
    expect(managersOf(await apply('c', other))).toEqual(['a', 'c']);
  });

  test('is nothing to write anew where nothing is changed', async () => {
    const { apply, server, pass } = world();
    const first = await apply('a', { spec: { providerSpec: {} } });
    pass(60);
    expect(await apply('a', { spec: { providerSpec: {} } })).toEqual(first);
    expect(server.store.version).toBe(Number(first.metadata.resourceVersion));
  });

  test('is told of what was there before the first apply', async () => {
    const { apply, server } = world();
    server.put(aMachine());
    expect(managersOf(await apply('a', { metadata: { labels: { x: '1' } } }))).toEqual(['a', 'before-first-apply']);
  });

  test('is not told by who writes a status of what stands beside it', async () => {
    const { status, server } = world();
    server.put(aMachine());
    expect(managersOf(await status('a', { phase: 'Running' }))).toEqual(['a']);
  });
});

test('an object is not created of what does not name it', async () => {
  const { apply } = world();
  for (const name of [undefined, 'another']) {
    const failure = await apply('a', { metadata: { name } }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ status: 400, reason: 'BadRequest' });
  }
  await apply('a', { spec: { providerSpec: {} } });
  await apply('a', { metadata: { name: undefined }, spec: { providerSpec: {} } });
});

test('a field that the definition does not know cannot be applied', async () => {
  const { apply } = world();
  const failure = await apply('a', { spec: { unheardOf: 1 } }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(KubeError);
  expect(failure).toMatchObject({
    status: 500,
    message: expect.stringMatching(/\.spec\.unheardOf: field not declared/),
  });
});
