import { beforeAll, expect, test } from '@jest/globals';
import { createMachineDeps, type ActivityDeps } from '../../../activities/deps.ts';
import { createMachineActivities } from '../../../activities/machines.ts';
import { APIS } from '../../../k8s/dialects/registry.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { NAMESPACES, type Resource } from '../../../k8s/resources.ts';
import type { Instance } from '../../../providers/provider.ts';
import { systemClock } from '../../../providers/clock.ts';
import { createProviderRegistry } from '../../../providers/registry.ts';
import { machineManifest } from '../lifecycle/manifests.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import { rawRequest } from './raw-request.ts';
import { given } from '../../../providers/given.ts';

const { kube, kubeconfig } = getStack();
const NAMESPACE = 'api-provider-id';
const PATH = `/apis/machine.openshift.io/v1beta1/namespaces/${NAMESPACE}/machines`;
/** May write Machines, and nothing more. */
const TENANT = 'tenant-of-api-provider-id';
/** May name instances besides. */
const ADOPTER = 'adopter-of-api-provider-id';
const [ID, OTHER] = ['aws:///us-east-1a/i-0123456789abcdef0', 'aws:///us-east-1a/i-0123456789abcdef1'];

const apiVersion = 'rbac.authorization.k8s.io/v1';
const ROLES: Resource = { apiVersion, kind: 'Role', plural: 'roles', namespaced: true };
const ROLE_BINDINGS: Resource = { apiVersion, kind: 'RoleBinding', plural: 'rolebindings', namespaced: true };

async function grant(user: string, verbs: readonly string[]): Promise<void> {
  const metadata = { name: user, namespace: NAMESPACE };
  const rules = [{ apiGroups: ['machine.openshift.io'], resources: ['machines'], verbs }];
  await kube.create(ROLES, NAMESPACE, { apiVersion, kind: 'Role', metadata, rules });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: user };
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }];
  await kube.create(ROLE_BINDINGS, NAMESPACE, { apiVersion, kind: 'RoleBinding', metadata, roleRef, subjects });
}

/** A paused Machine: nothing acts on it. */
function manifest(name: string, providerID?: string): object {
  const annotations = { 'cluster.x-k8s.io/paused': '' };
  return machineManifest(NAMESPACE, name, {
    annotations,
    ...given({ spec: providerID === undefined ? undefined : { providerID } }),
  });
}

/** The status and the words of the answer. */
async function answer(as: string, method: 'POST' | 'PATCH', path: string, body: object): Promise<string> {
  const { status, body: told } = await rawRequest(kubeconfig, path, { method, body, as });
  return `${status} ${(told as { message?: string }).message ?? ''}`.trim();
}
const create = (as: string, name: string, providerID?: string) => answer(as, 'POST', PATH, manifest(name, providerID));
const name = (as: string, machine: string, providerID: string | null) =>
  answer(as, 'PATCH', `${PATH}/${machine}`, { spec: { providerID } });

beforeAll(async () => {
  await kube.create(NAMESPACES, undefined, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  await grant(TENANT, ['create', 'patch']);
  await grant(ADOPTER, ['create', 'patch', 'set-provider-id']);
  await until(
    'RBAC knows them',
    async () => [await create(TENANT, 'ready-1'), await create(ADOPTER, 'ready-2', ID)],
    (answers) => answers.every((one) => one === '201' || one.startsWith('409')),
  );
});

test('whoever may write Machines names no instance by that: not in a new one, and not in one that is there', async () => {
  const forbidden = /^403 .*verb set-provider-id on machines\.machine\.openshift\.io in namespace api-provider-id/;
  expect(await create(TENANT, 'named', ID)).toMatch(forbidden);
  expect(await create(TENANT, 'plain')).toBe('201');
  expect(await name(TENANT, 'plain', ID)).toMatch(forbidden);
});

test('who has the permission does, once: the name cannot be changed, not even by an administrator', async () => {
  expect(await create(ADOPTER, 'adopted', ID)).toBe('201');
  expect(await create(ADOPTER, 'later')).toBe('201');
  expect(await name(ADOPTER, 'later', ID)).toBe('200');
  expect(await name(ADOPTER, 'later', OTHER)).toMatch(/^422 .*spec\.providerID cannot be changed/);
  await expect(kube.mergePatch(MACHINES, NAMESPACE, 'later', { spec: { providerID: OTHER } })).rejects.toThrow(
    'spec.providerID cannot be changed',
  );
  expect(await name(ADOPTER, 'later', ID.replace('aws:', 'simulated:'))).toMatch(/^422 .*cannot be changed/);
  // The same instance, in the words of the Machine Controller Manager.
  expect(await name(ADOPTER, 'later', ID.replace('us-east-1a', 'us-east-1'))).toBe('200');
});

test('the worker puts the instance of its own launch in the place of one that was written by hand', async () => {
  expect(await create(ADOPTER, 'replaced', OTHER)).toBe('201');
  const { metadata } = await kube.get<{ metadata: { uid: string } }>(MACHINES, NAMESPACE, 'replaced');
  const ref = {
    apiVersion: MACHINES.apiVersion,
    kind: MACHINES.kind,
    namespace: NAMESPACE,
    name: 'replaced',
    uid: metadata.uid,
  };
  const target = { ref, clusterUid: 'this', events: [] };
  const deps = {
    kube,
    apis: APIS,
    clusterUid: 'this',
    providers: createProviderRegistry([]),
    clock: systemClock,
  } as unknown as ActivityDeps;
  const { recordInstance } = createMachineActivities(createMachineDeps(deps));
  const instance: Instance = {
    id: ID.split('/').at(-1) ?? '',
    providerID: ID,
    state: 'running',
    region: 'us-east-1',
    zone: 'us-east-1a',
    instanceType: 't',
    addresses: [],
  };
  const status = { addresses: [], conditions: [] };
  await expect(recordInstance({ ...target, instance, status })).rejects.toThrow('cannot be changed');
  await recordInstance({ ...target, instance, status, replaces: true });
  expect(await kube.get(MACHINES, NAMESPACE, 'replaced')).toMatchObject({ spec: { providerID: ID } });
});

test('anybody may remove it, and change what else there is while it stays', async () => {
  expect(await create(ADOPTER, 'removed', ID)).toBe('201');
  const path = `${PATH}/removed`;
  expect(
    await answer(TENANT, 'PATCH', path, { metadata: { annotations: { note: 'x' } }, spec: { providerID: ID } }),
  ).toBe('200');
  expect(await name(TENANT, 'removed', null)).toBe('200');
  expect(await name(TENANT, 'removed', ID)).toMatch(/^403/);
});
