import { expect, test } from '@jest/globals';
import { getStack } from '../stack.ts';
import { rawRequest } from './raw-request.ts';

const { kubeconfig } = getStack();
const MACHINE_API = 'machine.openshift.io';

/** Whether RBAC lets the user do it, in any namespace. */
async function isAllowed(user: string, verb: string, group: string, path: string, name?: string): Promise<boolean> {
  const [resource, subresource] = path.split('/');
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: { user, resourceAttributes: { verb, group, resource, subresource, name } },
  };
  const answer = await rawRequest(kubeconfig, '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    method: 'POST',
    body,
  });
  return (answer.body as { status: { allowed: boolean } }).status.allowed;
}

test.each([
  ['worker', 'create', MACHINE_API, 'machines'],
  ['worker', 'delete', MACHINE_API, 'machines'],
  ['worker', 'patch', MACHINE_API, 'machinesets/status'],
  ['worker', 'update', MACHINE_API, 'machinesets/finalizers'],
  ['worker', 'patch', '', 'nodes'],
  ['worker', 'get', '', 'secrets'],
  ['worker', 'create', '', 'events'],
  ['worker', 'get', '', 'namespaces', 'kube-system'],
  ['watcher', 'watch', MACHINE_API, 'machines'],
  ['watcher', 'watch', '', 'nodes'],
  ['watcher', 'get', '', 'namespaces', 'kube-system'],
])('the %s may %s %s %s %s', async (role, verb, group, path, name?: string) => {
  expect(await isAllowed(`millwright-${role}`, verb, group, path, name)).toBe(true);
});

test.each([
  ['worker', 'list', '', 'secrets'],
  ['worker', 'patch', MACHINE_API, 'machinesets'],
  ['worker', 'delete', MACHINE_API, 'machinesets'],
  ['worker', 'patch', '', 'nodes/status'],
  ['worker', 'get', '', 'namespaces', 'default'],
  ['watcher', 'patch', MACHINE_API, 'machines'],
  ['watcher', 'patch', '', 'nodes'],
  ['watcher', 'get', '', 'secrets'],
])('the %s may not %s %s %s %s', async (role, verb, group, path, name?: string) => {
  expect(await isAllowed(`millwright-${role}`, verb, group, path, name)).toBe(false);
});
