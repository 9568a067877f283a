import { expect, test } from '@jest/globals';
import { healthchecking } from '../dialects/healthchecking/api.ts';
import { openshift } from '../dialects/openshift/api.ts';
import { ApiRegistry, APIS } from '../dialects/registry.ts';
import { readClusterRoles, type ClusterRole } from './cluster-roles.ts';

const roles = await readClusterRoles(APIS);

/** The verbs of a role on a resource, whatever the object. */
function verbsOn(found: readonly ClusterRole[], role: string, resource: string, group: string): string[] {
  const { rules = [] } = found.find(({ name }) => name === role) ?? {};
  return rules
    .filter(({ apiGroups, resources }) => apiGroups.includes(group) && resources.includes(resource))
    .flatMap(({ verbs }) => verbs);
}

test.each(APIS.all().map(({ resource }) => [resource.kind, resource] as const))(
  'the worker reads a %s and writes its status, the watcher watches it',
  (_kind, { apiVersion, plural }) => {
    const [group = ''] = apiVersion.split('/');
    expect(verbsOn(roles, 'millwright-worker', plural, group)).toEqual(expect.arrayContaining(['get', 'list']));
    expect(verbsOn(roles, 'millwright-worker', `${plural}/status`, group)).toEqual(['patch']);
    expect(verbsOn(roles, 'millwright-watcher', plural, group)).toEqual(['list', 'watch']);
  },
);

test('the rules of health of the cluster are read by their name, once for all APIs that have them there', () => {
  const names = roles
    .filter(({ name }) => name === 'millwright-worker')
    .flatMap(({ rules }) => rules)
    .filter(({ resources }) => resources.includes('configmaps'))
    .map(({ resourceNames, verbs }) => [resourceNames, verbs]);
  expect(names).toEqual([[['node-unhealthy-conditions'], ['get']]]);
  expect(verbsOn(roles, 'millwright-watcher', 'configmaps', '')).toEqual(['list', 'watch']);
});

test('no ConfigMap is read where no API has rules in one', async () => {
  const { clusterRules: _place, ...withoutPlace } = openshift.machineHealthCheck;
  const found = await readClusterRoles(new ApiRegistry([{ ...healthchecking, machineHealthCheck: withoutPlace }]));
  expect(verbsOn(found, 'millwright-worker', 'configmaps', '')).toEqual([]);
  expect(verbsOn(found, 'millwright-watcher', 'configmaps', '')).toEqual([]);
});

test('the worker has the verbs of its own that a kind’s policies ask for, on that kind only', async () => {
  const { apiVersion, plural } = openshift.machine.resource;
  const [group = ''] = apiVersion.split('/');
  expect(verbsOn(roles, 'millwright-worker', plural, group)).toContain('set-provider-id');
  const { askedVerbs: _verbs, ...asksNothing } = openshift.machine;
  const found = await readClusterRoles(new ApiRegistry([{ machine: asksNothing }]));
  expect(verbsOn(found, 'millwright-worker', plural, group)).not.toContain('set-provider-id');
});

test('no role has a wildcard', () => {
  const values = roles.flatMap(({ rules }) => rules).flatMap((one) => [one.apiGroups, one.resources, one.verbs].flat());
  expect(values.filter((value) => value.includes('*'))).toEqual([]);
});
