import { describe, expect, test } from '@jest/globals';
import { isConflict, isInvalid, isNotFound, isNotServed, KubeError } from '../../../k8s/kube-error.ts';
import { MACHINE_SETS, MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { EVENTS, NODES } from '../../../k8s/resources.ts';
import { aMachine } from '../builders/a-machine.ts';
import { aMachineSet } from '../builders/a-machine-set.ts';
import { aNode } from '../builders/a-node.ts';
import { ApiServer } from './api-server.ts';
import type { KubeObject } from './kube-object.ts';

const NS = 'default';

function world() {
  let now = Date.parse('2026-01-01T00:00:00Z');
  const server = new ApiServer({ now: () => now });
  return { server, kube: server.client, pass: (seconds: number) => void (now += seconds * 1000) };
}

/** Status and reason of what a request is refused with. */
async function refusal(request: Promise<unknown>): Promise<string> {
  return request.then(
    () => 'done',
    (error: unknown) => (error instanceof KubeError ? `${error.status} ${error.reason}` : String(error)),
  );
}

describe('an object that is created', () => {
  test('has an identity of its own, and no status', async () => {
    const { kube } = world();
    const { metadata } = aMachine({ name: 'a' });
    const made = await kube.create<KubeObject>(MACHINES, NS, {
      ...aMachine({ name: 'a', status: { phase: 'Running' } }),
      metadata: { ...metadata, resourceVersion: undefined, generation: 7 },
    });
    expect(made.metadata).toMatchObject({
      name: 'a',
      namespace: NS,
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
    });
    expect(made.metadata.uid).not.toBe(metadata.uid);
    expect(made).not.toHaveProperty('status');
    expect(await kube.get(MACHINES, NS, 'a')).toEqual(made);
  });

  test('has defaults for what it leaves out, and nothing that its definition does not know', async () => {
    const { kube } = world();
    const { selector, template } = aMachineSet().spec;
    const made = await kube.create<KubeObject>(MACHINE_SETS, NS, {
      metadata: { name: 'a' },
      spec: { selector, template, unheardOf: 1 },
    });
    const defaults = { replicas: 1, minReadySeconds: 0, deletePolicy: 'Random', replaceAfter: 'Deleted' };
    expect(made['spec']).toEqual({ selector, template, ...defaults });
  });

  test('has the fields of its spec and its status in the order of their names, at whatever depth', async () => {
    const { kube } = world();
    const providerSpec = { value: { zone: 'z', kind: 'K', image: { name: 'i', id: 1 } } };
    await kube.create<KubeObject>(MACHINES, NS, { metadata: { name: 'a' }, spec: { providerSpec } });
    const status = { phase: 'Running', nodeRef: { name: 'n', kind: 'Node' }, errorMessage: 'm' };
    await kube.mergePatch(MACHINES, NS, 'a', { status }, { subresource: 'status' });
    const { spec, status: stored } = await kube.get<KubeObject>(MACHINES, NS, 'a');
    expect(JSON.stringify(spec)).toContain('{"image":{"id":1,"name":"i"},"kind":"K","zone":"z"}');
    expect(JSON.stringify(stored)).toBe('{"errorMessage":"m","nodeRef":{"kind":"Node","name":"n"},"phase":"Running"}');
  });

  test('may have its name made up, and none that is taken', async () => {
    const { kube } = world();
    const make = (metadata: object) => kube.create<KubeObject>(EVENTS, NS, { metadata });
    const [first, second] = [await make({ generateName: 'e-' }), await make({ generateName: 'e-' })];
    expect(first.metadata.name).toMatch(/^e-\w{5}$/);
    expect(second.metadata.name).not.toBe(first.metadata.name);
    expect(await refusal(make({ name: first.metadata.name }))).toBe('409 AlreadyExists');
    expect(await refusal(make({}))).toBe('422 Invalid');
    expect(await refusal(make({ name: 'x', namespace: 'another' }))).toBe('400 BadRequest');
  });

  test('as a dry run is answered and not kept', async () => {
    const { kube, server } = world();
    const made = await kube.create<KubeObject>(EVENTS, NS, { metadata: { name: 'a' } }, { dryRun: true });
    expect(server.all(EVENTS)).toEqual([]);
    expect(made.kind).toBe('Event');
    expect(made.metadata).not.toHaveProperty('resourceVersion');
  });
});

describe('a request', () => {
  test('for an object that is not there is told so; for a kind that is not served nothing is told', async () => {
    const { kube, server } = world();
    const requests = () => [
      kube.get(MACHINES, NS, 'm'),
      kube.mergePatch(MACHINES, NS, 'm', {}),
      kube.jsonPatch(MACHINES, NS, 'm', []),
      kube.delete(MACHINES, NS, 'm'),
      kube.apply(MACHINES, NS, 'm', { status: {} }, { fieldManager: 'a', subresource: 'status' }),
    ];
    for (const request of requests()) expect(await request.catch(isNotFound)).toBe(true);
    server.withdraw(MACHINES);
    for (const request of [...requests(), kube.list(MACHINES)]) expect(await request.catch(isNotServed)).toBe(true);
    server.restore(MACHINES);
    expect(await kube.list(MACHINES)).toMatchObject({ items: [] });
  });

  test('is answered with a copy', async () => {
    const { kube, server } = world();
    server.put(aMachine());
    const one = await kube.get<KubeObject>(MACHINES, NS, 'm');
    one.metadata.labels = {};
    expect(await kube.get(MACHINES, NS, 'm')).not.toEqual(one);
  });

  test('for a list is answered with those that are meant, in order', async () => {
    const { kube, server } = world();
    server.put(aMachine({ name: 'b' }), aMachine({ name: 'a' }), aMachine({ name: 'c', namespace: 'other' }));
    server.put(aMachine({ name: 'd', set: aMachineSet() }));
    const names = async (options: object) =>
      (await kube.list<KubeObject>(MACHINES, options)).items.map(({ metadata }) => metadata.name);
    expect(await names({})).toEqual(['a', 'b', 'd', 'c']);
    expect(await names({ namespace: NS })).toEqual(['a', 'b', 'd']);
    expect(await names({ labelSelector: 'set=workers' })).toEqual(['d']);
    expect(await names({ fieldSelector: 'metadata.name=a' })).toEqual(['a']);
    expect(await refusal(kube.list(MACHINES, { fieldSelector: 'spec.providerID=x' }))).toBe('400 BadRequest');
  });

  test('for a list of built-in objects is answered without their kind, as by the API server', async () => {
    const { kube, server } = world();
    server.put(aNode(), aMachine());
    expect((await kube.list<KubeObject>(NODES)).items[0]).not.toHaveProperty('kind');
    expect((await kube.list<KubeObject>(MACHINES)).items[0]).toHaveProperty('kind', 'Machine');
  });
});

describe('a change', () => {
  const versionOf = ({ server }: ReturnType<typeof world>) => {
    const { metadata } = server.peek(MACHINES, NS, 'm') ?? aMachine();
    return [metadata.generation, metadata.resourceVersion];
  };

  test('of the spec counts as a generation; of metadata or status it does not; one that changes nothing is none', async () => {
    const it = world();
    it.server.put(aMachine());
    const { kube } = it;
    const [, first] = versionOf(it);
    await kube.mergePatch(MACHINES, NS, 'm', { metadata: { labels: { a: 'b' } } });
    const [generation, second] = versionOf(it);
    expect(generation).toBe(1);
    expect(second).not.toBe(first);
    await kube.mergePatch(MACHINES, NS, 'm', { metadata: { labels: { a: 'b' } } });
    expect(versionOf(it)).toEqual([1, second]);
    await kube.mergePatch(MACHINES, NS, 'm', { status: { phase: 'Running' } }, { subresource: 'status' });
    expect(versionOf(it)[0]).toBe(1);
    await kube.mergePatch(MACHINES, NS, 'm', { spec: { providerID: 'p:///z/i' } });
    expect(versionOf(it)[0]).toBe(2);
  });

  test('goes to the part that is asked for only', async () => {
    const { kube, server } = world();
    server.put(aMachine({ status: { phase: 'Running' } }));
    await kube.mergePatch(MACHINES, NS, 'm', { status: { phase: 'Failed' }, metadata: { labels: { a: 'b' } } });
    expect(server.peek(MACHINES, NS, 'm')).toMatchObject({
      status: { phase: 'Running' },
      metadata: { labels: { a: 'b' } },
    });
    const body = { spec: { providerID: 'x' }, metadata: { labels: { c: 'd' } }, status: { phase: 'Failed' } };
    const after = await kube.mergePatch<KubeObject>(MACHINES, NS, 'm', body, { subresource: 'status' });
    expect(after).toMatchObject({ status: { phase: 'Failed' } });
    expect(after.metadata.labels).not.toHaveProperty('c');
    expect(after['spec']).not.toHaveProperty('providerID');
  });

  test('of an object that is not the one that is meant, by its version or its uid, is a conflict', async () => {
    const { kube, server } = world();
    server.put(aMachine());
    const change = (metadata: object) => kube.mergePatch(MACHINES, NS, 'm', { metadata });
    expect(await refusal(change({ resourceVersion: '1', labels: { a: 'b' } }))).toBe('409 Conflict');
    expect(await refusal(change({ uid: 'another' }))).toBe('409 Conflict');
    const applied = kube.apply(MACHINES, NS, 'm', { metadata: { uid: 'another' } }, { fieldManager: 'a' });
    expect(await refusal(applied)).toBe('409 Conflict');
    const missing = kube.apply(MACHINES, NS, 'none', { metadata: { uid: 'another' } }, { fieldManager: 'a' });
    expect(await missing.catch(isConflict)).toBe(true);
  });

  test('of a custom resource’s status asks for no uid: what is said of it is not looked at', async () => {
    const { kube, server } = world();
    server.put(aMachine());
    const body = { metadata: { uid: 'another' }, status: { phase: 'Running' } };
    await kube.apply(MACHINES, NS, 'm', body, { fieldManager: 'a', subresource: 'status' });
    expect(server.peek(MACHINES, NS, 'm')).toMatchObject({
      metadata: { uid: 'uid-of-m' },
      status: { phase: 'Running' },
    });
  });

  test('by steps is made whole or not at all', async () => {
    const { kube, server } = world();
    server.put(aMachine({ metadata: { finalizers: ['a', 'b'] } }));
    const steps = (value: string) => [
      { op: 'test', path: '/metadata/finalizers/1', value },
      { op: 'remove', path: '/metadata/finalizers/1' },
    ];
    expect(await kube.jsonPatch(MACHINES, NS, 'm', steps('c')).catch(isInvalid)).toBe(true);
    await kube.jsonPatch(MACHINES, NS, 'm', steps('b'));
    expect(server.peek(MACHINES, NS, 'm')?.metadata.finalizers).toEqual(['a']);
    expect(await kube.jsonPatch(MACHINES, NS, 'm', steps('b')).catch(isInvalid)).toBe(true);
  });

  test('of the number of replicas goes through the scale', async () => {
    const { kube, server } = world();
    server.put(aMachineSet({ replicas: 3, status: { replicas: 2 } }));
    const scale = await kube.mergePatch(
      MACHINE_SETS,
      NS,
      'workers',
      { spec: { replicas: 5 } },
      { subresource: 'scale' },
    );
    expect(scale).toMatchObject({ kind: 'Scale', spec: { replicas: 5 }, status: { replicas: 2 } });
    expect(server.peek(MACHINE_SETS, NS, 'workers')).toMatchObject({
      spec: { replicas: 5 },
      metadata: { generation: 2 },
    });
  });

  test('to no replicas leaves them without an owner, whom a further one through the scale does not give them', async () => {
    const { kube } = world();
    const set = aMachineSet({ replicas: 3, metadata: { resourceVersion: '' } });
    await kube.create(MACHINE_SETS, NS, set, { fieldManager: 'creator' });
    const scaled = async (fieldManager: string, replicas: number) => {
      const options = { fieldManager, subresource: 'scale' as const };
      const { spec } = await kube.mergePatch<KubeObject>(MACHINE_SETS, NS, 'workers', { spec: { replicas } }, options);
      const { metadata } = await kube.get<KubeObject>(MACHINE_SETS, NS, 'workers');
      return [spec, metadata.managedFields?.map(({ manager }) => manager)];
    };
    expect(await scaled('a', 2)).toEqual([{ replicas: 2 }, expect.arrayContaining(['a', 'creator'])]);
    expect(await scaled('a', 0)).toEqual([{}, ['creator']]);
    expect(await scaled('a', 2)).toEqual([{ replicas: 2 }, ['creator']]);
  });

  test('that empties a list or a map of metadata takes it away, and from who owned it', async () => {
    const { kube } = world();
    const { metadata, ...parts } = aMachine();
    const body = { ...parts, metadata: { name: metadata.name, labels: {}, finalizers: ['a'] } };
    const made = await kube.create<KubeObject>(MACHINES, NS, body, { fieldManager: 'creator' });
    expect(made.metadata).not.toHaveProperty('labels');
    const emptied = { metadata: { finalizers: [], annotations: {} } };
    const after = await kube.mergePatch<KubeObject>(MACHINES, NS, 'm', emptied, { fieldManager: 'a' });
    expect(after.metadata).not.toHaveProperty('finalizers');
    expect(after.metadata.managedFields).toMatchObject([{ manager: 'creator' }]);
    expect(JSON.stringify(after.metadata.managedFields)).not.toContain('f:finalizers');
    expect(await kube.mergePatch(MACHINES, NS, 'm', emptied, { fieldManager: 'a' })).toEqual(after);
  });

  test('of a field that the definition does not know is none', async () => {
    const { kube } = world();
    const machine = aMachine({ metadata: { resourceVersion: '' } });
    const made = await kube.create<KubeObject>(MACHINES, NS, machine, { fieldManager: 'creator' });
    const body = { spec: { unheardOf: 1 } };
    expect(await kube.mergePatch(MACHINES, NS, 'm', body, { fieldManager: 'a' })).toEqual(made);
  });

  test('that gives an object two controllers is refused', async () => {
    const { kube, server } = world();
    server.put(aMachine());
    const owner = (uid: string) => ({ apiVersion: 'v1', kind: 'Node', name: uid, uid, controller: true });
    const body = { metadata: { ownerReferences: [owner('a'), owner('b')] } };
    expect(await refusal(kube.mergePatch(MACHINES, NS, 'm', body))).toBe('422 Invalid');
  });
});

describe('a deletion', () => {
  test('takes an object that nothing holds at once', async () => {
    const { kube, server } = world();
    server.put(aMachine({ metadata: { finalizers: [] } }));
    await kube.delete(MACHINES, NS, 'm');
    expect(server.peek(MACHINES, NS, 'm')).toBeUndefined();
  });

  test('marks an object that finalizers hold, once, and ends with the last of them', async () => {
    const { kube, server, pass } = world();
    server.put(aMachine({ metadata: { finalizers: ['a'] } }));
    await kube.delete(MACHINES, NS, 'm');
    const marked = server.peek(MACHINES, NS, 'm');
    expect(marked?.metadata).toMatchObject({ deletionTimestamp: '2026-01-01T00:00:00Z', generation: 2 });
    pass(60);
    await kube.delete(MACHINES, NS, 'm');
    expect(server.peek(MACHINES, NS, 'm')).toEqual(marked);
    const more = kube.mergePatch(MACHINES, NS, 'm', { metadata: { finalizers: ['a', 'b'] } });
    expect(await refusal(more)).toBe('422 Invalid');
    await kube.mergePatch(MACHINES, NS, 'm', { metadata: { finalizers: [] } });
    expect(server.peek(MACHINES, NS, 'm')).toBeUndefined();
  });

  test('of an object that is not as it was seen is refused', async () => {
    const { kube, server } = world();
    server.put(aMachine());
    expect(await kube.delete(MACHINES, NS, 'm', { uid: 'another' }).catch(isConflict)).toBe(true);
    expect(await kube.delete(MACHINES, NS, 'm', { resourceVersion: '1' }).catch(isConflict)).toBe(true);
    const { uid, resourceVersion } = server.require(MACHINES, NS, 'm').metadata;
    await kube.delete(MACHINES, NS, 'm', { uid, resourceVersion });
  });
});
