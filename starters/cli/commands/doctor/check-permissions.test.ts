import { expect, test } from '@jest/globals';
import { describePermission, expandRules } from './check-permissions.ts';

test('rules are asked about one by one, and said as kubectl says them', () => {
  const rules = [
    { apiGroups: ['machine.openshift.io'], resources: ['machines', 'machines/status'], verbs: ['get', 'patch'] },
    { apiGroups: [''], resources: ['namespaces'], resourceNames: ['kube-system'], verbs: ['get'] },
  ];
  expect(expandRules(rules, undefined).map(describePermission)).toEqual([
    'get machines.machine.openshift.io',
    'patch machines.machine.openshift.io',
    'get machines.machine.openshift.io/status',
    'patch machines.machine.openshift.io/status',
    'get namespaces kube-system',
  ]);
});

test('a watcher of one namespace needs them in that namespace, but of the cluster what is of the cluster', () => {
  const rules = [{ apiGroups: [''], resources: ['nodes', 'events'], verbs: ['list'] }];
  expect(expandRules(rules, 'one').map(describePermission)).toEqual(['list nodes', 'list events in one']);
});

test('the rules of the cluster are looked for where they are, whichever namespace the watcher is of', () => {
  const rules = [
    { apiGroups: [''], resources: ['configmaps'], resourceNames: ['node-unhealthy-conditions'], verbs: ['watch'] },
  ];
  for (const namespace of ['one', undefined]) {
    expect(expandRules(rules, namespace).map(describePermission)).toEqual([
      'watch configmaps node-unhealthy-conditions in openshift-machine-api',
    ]);
  }
});
