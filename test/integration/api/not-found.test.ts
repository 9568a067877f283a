import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isNotFound, isNotServed, KubeError } from '../../../k8s/kube-error.ts';
import { MACHINES, MACHINE_SETS } from '../../../k8s/dialects/openshift/resources.ts';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  LEASES,
  NAMESPACES,
  NODES,
  SECRETS,
  type Resource,
} from '../../../k8s/resources.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';

const { kube } = getStack();
const NAMESPACE = 'api-not-found';
const GROUP = 'passing.millwright.test';
const PASSING: Resource = { apiVersion: `${GROUP}/v1`, kind: 'Passing', plural: 'passings', namespaced: true };
const DEFINITION = `${PASSING.plural}.${GROUP}`;

beforeAll(async () => {
  await kube.apply(NAMESPACES, undefined, NAMESPACE, { metadata: { name: NAMESPACE } }, { fieldManager: 'test' });
});

afterAll(async () => {
  await kube.delete(CUSTOM_RESOURCE_DEFINITIONS, undefined, DEFINITION).catch(() => undefined);
});

/** What was concluded from the failure of a request. */
async function concluded(run: () => Promise<unknown>): Promise<string> {
  try {
    await run();
    return 'it is there';
  } catch (error) {
    if (isNotFound(error)) return 'it is gone';
    if (isNotServed(error)) return 'nothing';
    return error instanceof KubeError ? `${error.status} ${error.reason}` : String(error);
  }
}

test.each([MACHINES, MACHINE_SETS, SECRETS, LEASES, NODES])(
  '$kind: one that is not there is gone',
  async (resource) => {
    const namespace = resource.namespaced ? NAMESPACE : undefined;
    expect(await concluded(() => kube.get(resource, namespace, 'nobody'))).toBe('it is gone');
    expect(await concluded(() => kube.delete(resource, namespace, 'nobody'))).toBe('it is gone');
    const patch = { metadata: { labels: { a: 'b' } } };
    expect(await concluded(() => kube.mergePatch(resource, namespace, 'nobody', patch))).toBe('it is gone');
  },
);

test('a Machine in a namespace that is not there is gone', async () => {
  expect(await concluded(() => kube.get(MACHINES, 'no-such-namespace', 'nobody'))).toBe('it is gone');
});

test('parts of the status or the scale of one that is not there are gone with it', async () => {
  const status = () => kube.mergePatch(MACHINES, NAMESPACE, 'nobody', { status: {} }, { subresource: 'status' });
  expect(await concluded(status)).toBe('it is gone');
  const scale = () =>
    kube.mergePatch(MACHINE_SETS, NAMESPACE, 'nobody', { spec: { replicas: 1 } }, { subresource: 'scale' });
  expect(await concluded(scale)).toBe('it is gone');
});

test('of a group, a version or a kind that is not served nothing is concluded', async () => {
  const unknown: readonly Resource[] = [
    PASSING,
    { ...MACHINES, apiVersion: 'machine.openshift.io/v9' },
    { ...MACHINES, plural: 'machinez' },
    { ...SECRETS, plural: 'secretz' },
  ];
  for (const resource of unknown) {
    expect(await concluded(() => kube.get(resource, NAMESPACE, 'nobody'))).toBe('nothing');
    expect(await concluded(() => kube.list(resource, { namespace: NAMESPACE }))).toBe('nothing');
    expect(await concluded(() => kube.delete(resource, NAMESPACE, 'nobody'))).toBe('nothing');
  }
});

test('while a definition is removed and made again, an object of its kind is there, or nothing is concluded', async () => {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const definition = {
    apiVersion: CUSTOM_RESOURCE_DEFINITIONS.apiVersion,
    kind: CUSTOM_RESOURCE_DEFINITIONS.kind,
    metadata: { name: DEFINITION },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { kind: PASSING.kind, listKind: 'PassingList', plural: PASSING.plural, singular: 'passing' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
  await kube.create(CUSTOM_RESOURCE_DEFINITIONS, undefined, definition);
  const look = () => concluded(() => kube.get(PASSING, NAMESPACE, 'one'));
  const seen = new Set<string>();
  // Not in force at once: until then nothing is known.
  const known = await until('the kind is served', look, (it) => (seen.add(it), it !== 'nothing'));
  expect(known).toBe('it is gone');
  // No version is served: the objects are kept, and cannot be seen.
  const versions = (served: boolean) => [{ name: 'v1', served, storage: true, schema }];
  const metadata = { name: 'one', namespace: NAMESPACE };
  await kube.create(PASSING, NAMESPACE, { apiVersion: PASSING.apiVersion, kind: PASSING.kind, metadata });
  expect(await look()).toBe('it is there');
  const change = (served: boolean) =>
    kube.mergePatch(CUSTOM_RESOURCE_DEFINITIONS, undefined, DEFINITION, { spec: { versions: versions(served) } });
  await change(false);
  seen.clear();
  await until('the kind is not served', look, (it) => (seen.add(it), it === 'nothing'));
  await change(true);
  await until('the kind is served again', look, (it) => (seen.add(it), it === 'it is there'));
  expect([...seen].sort()).toEqual(['it is there', 'nothing']);
}, 60_000);
