import { expect, test } from '@jest/globals';
import { MACHINE_CLASSES, MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { KubeError } from '../../../k8s/kube-error.ts';
import { NODES, SECRETS } from '../../../k8s/resources.ts';
import { aMachine } from '../builders/a-machine.ts';
import { aNode } from '../builders/a-node.ts';
import { ApiServer } from './api-server.ts';
import type { KubeObject } from './kube-object.ts';

const NS = 'default';
const SPEC = { providerSpec: { value: { kind: 'A' } } };

const refusal = (answer: Promise<unknown>) =>
  answer.then(
    () => 'done',
    (error: unknown) => (error instanceof KubeError ? `${error.status} ${error.reason}` : String(error)),
  );

test('an object is not created at a version, and applied it is, where there is none', async () => {
  const { client } = new ApiServer();
  const body = { metadata: { name: 'm', resourceVersion: '7' }, spec: SPEC };
  expect(await refusal(client.create(MACHINES, NS, body))).toBe('500 500');
  expect(await refusal(client.apply(MACHINES, NS, 'm', body, { fieldManager: 'a' }))).toBe('done');
});

test('what the definition does not allow is refused before it is looked whether it is there', async () => {
  const { client } = new ApiServer();
  const create = (spec: object | undefined) => refusal(client.create(MACHINES, NS, { metadata: { name: 'm' }, spec }));
  expect(await create(SPEC)).toBe('done');
  expect(await create(undefined)).toBe('422 Invalid');
  expect(await create(SPEC)).toBe('409 AlreadyExists');
  const status = (phase: string) =>
    refusal(client.mergePatch(MACHINES, NS, 'm', { status: { phase } }, { subresource: 'status' }));
  expect(await status('Flying')).toBe('422 Invalid');
  expect(await status('Running')).toBe('done');
  const machineClass = { metadata: { name: 'c' }, provider: 'simulated' };
  expect(await refusal(client.create(MACHINE_CLASSES, NS, machineClass))).toBe('422 Invalid');
});

test('a write that names another namespace is refused, but of a kind that has none', async () => {
  const server = new ApiServer();
  server.put(aMachine(), aNode());
  const { client } = server;
  const body = { metadata: { namespace: 'another' } };
  expect(await refusal(client.mergePatch(MACHINES, NS, 'm', body))).toBe('400 BadRequest');
  const applied = client.apply(MACHINES, NS, 'm', { metadata: { name: 'm', ...body.metadata } }, { fieldManager: 'a' });
  expect(await refusal(applied)).toBe('400 BadRequest');
  expect(await refusal(client.mergePatch(NODES, undefined, 'n', body))).toBe('done');
});

test('a version or an object that is another one is told before anything else', async () => {
  const server = new ApiServer();
  server.put(aMachine());
  const patch = (metadata: object, spec?: unknown) =>
    refusal(server.client.mergePatch(MACHINES, NS, 'm', { metadata, spec }));
  expect(await patch({ uid: 'another', deletionTimestamp: '2026-01-01T00:00:00Z' })).toBe('409 Conflict');
  expect(await patch({ resourceVersion: '1' }, null)).toBe('409 Conflict');
});

test('a Secret says its type, and no data where it has none', async () => {
  const { client } = new ApiServer();
  const made = await client.create<KubeObject>(SECRETS, NS, { metadata: { name: 's' }, data: {} });
  expect(made).toMatchObject({ type: 'Opaque' });
  expect(made).not.toHaveProperty('data');
});

test('a field that the definition does not know is dropped, also of what is written as a whole', async () => {
  const server = new ApiServer();
  server.put(aMachine());
  const status = { nodeRef: { name: 'n', unheardOf: 1 } };
  const after = await server.client.mergePatch<KubeObject>(MACHINES, NS, 'm', { status }, { subresource: 'status' });
  expect(after).toMatchObject({ status: { nodeRef: { name: 'n' } } });
  expect(JSON.stringify(after)).not.toContain('unheardOf');
});

test('whoever writes a status takes nobody’s metadata over', async () => {
  const server = new ApiServer();
  const body = { metadata: { name: 'm', finalizers: ['e.com/a'] }, spec: SPEC };
  await server.client.create(MACHINES, NS, body, { fieldManager: 'creator' });
  const patch = { metadata: { finalizers: [] } };
  const { resourceVersion } = server.require(MACHINES, NS, 'm').metadata;
  const options = { fieldManager: 'b', subresource: 'status' as const };
  const after = await server.client.mergePatch<KubeObject>(MACHINES, NS, 'm', patch, options);
  expect(after.metadata.resourceVersion).toBe(resourceVersion);
});
