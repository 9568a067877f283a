import { describe, expect, test } from '@jest/globals';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { NODES } from '../../../k8s/resources.ts';
import { aMachine } from '../builders/a-machine.ts';
import { aMachineSet } from '../builders/a-machine-set.ts';
import { aNode } from '../builders/a-node.ts';
import { ApiServer } from './api-server.ts';
import type { WatchEvent } from './watch.ts';

const NS = 'default';

/** `ADDED m`, or the type alone where it is about no object. */
const told = (events: readonly WatchEvent[]) =>
  events.map(({ type, object }) => ('kind' in object ? `${type} ${object.metadata.name}` : type));
const label = (server: ApiServer, labels: Record<string, string | null>) =>
  server.client.mergePatch(MACHINES, NS, 'm', { metadata: { labels } });

describe('a watch', () => {
  test('tells what changed since a version, in order, of its kind only', async () => {
    const server = new ApiServer();
    const { resourceVersion } = await server.client.list(MACHINES);
    const watch = await server.watch(MACHINES, { resourceVersion });
    server.put(aMachine({ metadata: { finalizers: [] } }), aNode());
    await label(server, { a: 'b' });
    await label(server, { a: 'b' });
    await server.client.delete(MACHINES, NS, 'm');
    expect(told(watch.take())).toEqual(['ADDED m', 'MODIFIED m', 'DELETED m']);
    expect(watch.take()).toEqual([]);
  });

  test('without a version tells first of what is there', async () => {
    const server = new ApiServer();
    server.put(aNode());
    const watch = await server.watch(NODES);
    server.put(aNode({ name: 'n2' }));
    expect(told(watch.take())).toEqual(['ADDED n', 'ADDED n2']);
  });

  test('tells of an object that begins or ceases to match as of one that comes or goes', async () => {
    const server = new ApiServer();
    server.put(aMachine());
    const watch = await server.watch(MACHINES, { labelSelector: 'a', resourceVersion: String(server.store.version) });
    await label(server, { a: '1' });
    await label(server, { a: '2' });
    await label(server, { a: null });
    const events = watch.take();
    expect(told(events)).toEqual(['ADDED m', 'MODIFIED m', 'DELETED m']);
    const { resourceVersion } = server.require(MACHINES, NS, 'm').metadata;
    // As it was when it matched.
    expect(events.at(-1)).toMatchObject({ object: { metadata: { labels: { a: '2' }, resourceVersion } } });
  });

  test('from a version that is forgotten ends with the error that asks for a new list', async () => {
    const server = new ApiServer();
    const watch = await server.watch(MACHINES, { resourceVersion: String(server.store.version) });
    server.put(aMachine());
    server.compact();
    server.put(aMachine({ name: 'later' }));
    expect(watch.take()).toEqual([{ type: 'ERROR', object: { code: 410, reason: 'Expired' } }]);
    expect(watch.take()).toEqual([]);
    const again = await server.watch(MACHINES, {
      resourceVersion: (await server.client.list(MACHINES)).resourceVersion,
    });
    expect(again.take()).toEqual([]);
  });

  test('tells by a bookmark how far it is, though nothing of its kind changed', async () => {
    const server = new ApiServer();
    const watch = await server.watch(MACHINES);
    server.put(aNode());
    watch.bookmark();
    expect(watch.take()).toEqual([
      { type: 'BOOKMARK', object: { metadata: { resourceVersion: String(server.store.version) } } },
    ]);
  });

  test('waits for what comes, and ends where it is stopped', async () => {
    const server = new ApiServer();
    const watch = await server.watch(MACHINES, { namespace: NS });
    const next = watch.wait();
    server.put(aMachine({ name: 'elsewhere', namespace: 'other' }));
    server.put(aMachine());
    expect(told(await next)).toEqual(['ADDED m']);
    const last = watch.wait();
    watch.stop();
    expect(await last).toEqual([]);
  });
});

test('the deletion of an object tells its last state, under a version of its own', async () => {
  const server = new ApiServer();
  server.put(aMachine({ set: aMachineSet(), metadata: { finalizers: [] } }));
  const { metadata } = server.require(MACHINES, NS, 'm');
  const watch = await server.watch(MACHINES, { resourceVersion: metadata.resourceVersion });
  await server.client.delete(MACHINES, NS, 'm');
  const [event] = watch.take();
  expect(event).toMatchObject({ type: 'DELETED', object: { metadata: { labels: metadata.labels } } });
  expect(event?.object).not.toMatchObject({ metadata: { resourceVersion: metadata.resourceVersion } });
});
