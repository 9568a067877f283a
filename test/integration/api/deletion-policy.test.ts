import { beforeAll, expect, test } from '@jest/globals';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { NAMESPACES } from '../../../k8s/resources.ts';
import { machineManifest } from '../lifecycle/manifests.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';

const { kube } = getStack();
const NAMESPACE = 'api-deletion-policy';

const FINALIZER = { finalizers: ['example.com/keeps-it'] };

/** A paused Machine: nothing acts on it. */
async function create(name: string, spec: Readonly<Record<string, unknown>>): Promise<void> {
  const manifest = machineManifest(NAMESPACE, name, { annotations: { 'cluster.x-k8s.io/paused': '' }, spec });
  await kube.create(MACHINES, NAMESPACE, manifest);
  await kube.mergePatch(MACHINES, NAMESPACE, name, { metadata: FINALIZER });
}

/** The words of the refusal; undefined: it was taken. */
async function refusalOf(name: string, spec: object): Promise<string | undefined> {
  return kube.mergePatch(MACHINES, NAMESPACE, name, { spec }).then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );
}

beforeAll(async () => {
  const metadata = { name: NAMESPACE };
  await kube.create(NAMESPACES, undefined, { apiVersion: 'v1', kind: 'Namespace', metadata });
  await create('probe', { deletionPolicy: 'unsafe', delete: true });
  await until(
    'the policy is in force',
    () => refusalOf('probe', { deletionPolicy: 'graceful' }),
    (refusal) => refusal !== undefined,
  );
});

test('while nothing is under way it is what anybody likes', async () => {
  await create('living', { deletionPolicy: 'forced' });
  expect(await refusalOf('living', { deletionPolicy: 'graceful' })).toBeUndefined();
});

test.each([
  ['by the deletion of the Machine', 'deleted', {}],
  ['by spec.delete', 'prepared', { delete: true }],
])('while it goes, %s, it is only lowered', async (_how, name, spec) => {
  await create(name, spec);
  if (name === 'deleted') await kube.delete(MACHINES, NAMESPACE, name);
  expect(await refusalOf(name, { deletionPolicy: 'unsafe' })).toBeUndefined();
  expect(await refusalOf(name, { deletionPolicy: 'graceful' })).toContain(
    'cannot be changed from unsafe to graceful while the deletion is under way: it may only be lowered',
  );
  expect(await refusalOf(name, { deletionPolicy: null })).toContain('from unsafe to graceful');
  expect(await refusalOf(name, { deletionPolicy: 'forced' })).toBeUndefined();
  expect(await refusalOf(name, { deletionPolicy: 'unsafe' })).toContain('from forced to unsafe');
  // Whatever else is changed, finalizers among it.
  await kube.mergePatch(MACHINES, NAMESPACE, name, { metadata: { finalizers: null } });
});

test('who aborts a deletion may raise it in the same write', async () => {
  await create('aborted', { deletionPolicy: 'unsafe', delete: true });
  expect(await refusalOf('aborted', { delete: false, deletionPolicy: 'graceful' })).toBeUndefined();
});
