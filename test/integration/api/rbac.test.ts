import { expect, test } from '@jest/globals';
import { getStack } from '../stack.ts';
import { rawRequest } from './raw-request.ts';

const { kubeconfig } = getStack();
const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews';

/** Whether RBAC lets somebody, e.g. `worker patch machines.machine.openshift.io/status`, in any namespace. */
async function isAllowed(what: string): Promise<boolean> {
  const [role, verb, kind = '', name] = what.split(' ');
  const [path = '', subresource] = kind.split('/');
  const [resource, ...group] = path.split('.');
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: {
      user: `millwright-${role}`,
      resourceAttributes: { verb, group: group.join('.'), resource, subresource, name },
    },
  };
  const answer = await rawRequest(kubeconfig, REVIEWS, { method: 'POST', body });
  return (answer.body as { status: { allowed: boolean } }).status.allowed;
}

test.each([
  'worker create machines.machine.openshift.io',
  'worker delete machines.machine.openshift.io',
  'worker set-provider-id machines.machine.openshift.io',
  'worker patch machines.machine.openshift.io/status',
  'worker create machinesets.machine.openshift.io',
  'worker patch machinesets.machine.openshift.io',
  'worker delete machinesets.machine.openshift.io',
  'worker patch machinesets.machine.openshift.io/status',
  'worker patch machinedeployments.machine.openshift.io',
  'worker patch machinedeployments.machine.openshift.io/status',
  'worker update machinedeployments.machine.openshift.io/finalizers',
  'worker update machinesets.machine.openshift.io/finalizers',
  'worker patch machinehealthchecks.machine.openshift.io/status',
  'worker patch machinehealthchecks.healthchecking.openshift.io/status',
  'worker get configmaps node-unhealthy-conditions',
  'worker patch nodes',
  'worker list pods',
  'worker create pods/eviction',
  'worker list poddisruptionbudgets.policy',
  'worker get replicasets.apps',
  'worker patch deployments.apps',
  'worker list volumeattachments.storage.k8s.io',
  'worker get secrets',
  'worker create events',
  'worker get namespaces kube-system',
  'worker patch nodes/status',
  'watcher watch machines.machine.openshift.io',
  'watcher watch machinedeployments.machine.openshift.io',
  'watcher watch machinehealthchecks.machine.openshift.io',
  'watcher watch machinehealthchecks.healthchecking.openshift.io',
  'watcher list configmaps node-unhealthy-conditions',
  'watcher watch configmaps node-unhealthy-conditions',
  'watcher watch nodes',
  'watcher watch pods',
  'watcher get namespaces kube-system',
])('allowed: %s', async (what) => {
  expect(await isAllowed(what)).toBe(true);
});

test.each([
  'worker list secrets',
  'worker delete machinedeployments.machine.openshift.io',
  'worker create machinedeployments.machine.openshift.io',
  'worker patch machinehealthchecks.machine.openshift.io',
  'worker get configmaps kube-root-ca.crt',
  'worker list configmaps',
  'worker delete nodes/status',
  'worker patch events',
  'worker create secrets',
  'worker patch pods',
  'worker create deployments.apps',
  'worker patch replicasets.apps',
  'worker patch poddisruptionbudgets.policy',
  'worker get namespaces default',
  'watcher patch machines.machine.openshift.io',
  'watcher set-provider-id machines.machine.openshift.io',
  'watcher get machines.machine.openshift.io',
  'watcher watch configmaps',
  'watcher get configmaps node-unhealthy-conditions',
  'watcher patch nodes',
  'watcher get pods',
  'watcher delete pods',
  'watcher get secrets',
  'watcher update leases.coordination.k8s.io',
])('not allowed: %s', async (what) => {
  expect(await isAllowed(what)).toBe(false);
});
