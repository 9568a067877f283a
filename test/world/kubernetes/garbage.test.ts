import { describe, expect, test } from '@jest/globals';
import { MACHINE_SETS, MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { aMachine } from '../builders/a-machine.ts';
import { aMachineSet } from '../builders/a-machine-set.ts';
import { ApiServer } from './api-server.ts';
import type { RegistryOptions } from './registry.ts';

const NS = 'default';
const SET = aMachineSet();

/** A set with a Machine that nothing holds, and one that its finalizer holds. */
function world(options: RegistryOptions = {}) {
  const server = new ApiServer(options);
  server.put(
    SET,
    aMachine({ name: 'free', set: SET, metadata: { finalizers: [] } }),
    aMachine({ name: 'held', set: SET }),
  );
  const names = () => server.all(MACHINES).map(({ metadata }) => metadata.name);
  const deleting = () => server.peek(MACHINES, NS, 'held')?.metadata.deletionTimestamp !== undefined;
  const remove = (propagationPolicy: 'Background' | 'Foreground' | 'Orphan') =>
    server.client.delete(MACHINE_SETS, NS, 'workers', { propagationPolicy });
  const letGo = () => server.client.mergePatch(MACHINES, NS, 'held', { metadata: { finalizers: [] } });
  return { server, names, deleting, remove, letGo };
}

describe('an owner that is deleted', () => {
  test('in the background goes at once, and what it owned is deleted after it', async () => {
    const { names, deleting, remove, server } = world();
    await remove('Background');
    expect(server.all(MACHINE_SETS)).toEqual([]);
    expect(names()).toEqual(['held']);
    expect(deleting()).toBe(true);
  });

  test('in the foreground goes after what it owned', async () => {
    const { names, deleting, remove, letGo, server } = world();
    await remove('Foreground');
    expect(names()).toEqual(['held']);
    expect(deleting()).toBe(true);
    expect(server.peek(MACHINE_SETS, NS, 'workers')?.metadata.finalizers).toEqual(['foregroundDeletion']);
    await letGo();
    expect(names()).toEqual([]);
    expect(server.all(MACHINE_SETS)).toEqual([]);
  });

  test('as an orphanage leaves what it owned to nobody', async () => {
    const { names, deleting, remove, server } = world();
    await remove('Orphan');
    expect(server.all(MACHINE_SETS)).toEqual([]);
    expect(names()).toEqual(['free', 'held']);
    expect(deleting()).toBe(false);
    expect(server.peek(MACHINES, NS, 'held')?.metadata.ownerReferences).toBeUndefined();
  });

  test.each(['Background', 'Foreground'] as const)('does not take what another owner has too: %s', async (policy) => {
    const { names, remove, server } = world();
    const other = aMachineSet({ name: 'others' });
    const owner = { apiVersion: other.apiVersion, kind: other.kind, name: 'others', uid: other.metadata.uid };
    server.put(other);
    const [own] = aMachine({ set: SET }).metadata.ownerReferences ?? [];
    await server.client.mergePatch(MACHINES, NS, 'free', { metadata: { ownerReferences: [own, owner] } });
    await remove(policy);
    expect(names()).toEqual(['free', 'held']);
    expect(server.peek(MACHINES, NS, 'free')?.metadata.ownerReferences).toEqual([owner]);
  });
});

test('a collector that is told when to look leaves everything until then', async () => {
  const { names, remove, server } = world({ garbage: 'when told' });
  await remove('Background');
  server.compact();
  expect(names()).toEqual(['free', 'held']);
  server.collectGarbage();
  expect(names()).toEqual(['held']);
});

test('what belongs to nobody that is there goes, and what names one of them is only its other owners’', async () => {
  const { names, server } = world({ garbage: 'when told' });
  const [known] = aMachine({ set: SET }).metadata.ownerReferences ?? [];
  const unknown = { apiVersion: SET.apiVersion, kind: SET.kind, name: 'none', uid: 'none' };
  const write = (name: string, ...ownerReferences: unknown[]) =>
    server.client.mergePatch(MACHINES, NS, name, { metadata: { ownerReferences } }, { fieldManager: 'a' });
  await write('free', unknown);
  await write('held', unknown, known);
  server.collectGarbage();
  expect(names()).toEqual(['held']);
  expect(server.peek(MACHINES, NS, 'held')?.metadata.ownerReferences).toEqual([known]);
});
