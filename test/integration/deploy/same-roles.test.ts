import { expect, test } from '@jest/globals';
import { USER_NAMES } from '../../../devstack/stack/credentials.ts';
import type { Resource } from '../../../k8s/resources.ts';
import { getStack } from '../stack.ts';
import { permissionsOf, renderChart, type Rendered } from './chart.ts';

const { kube } = getStack();
const apiVersion = 'rbac.authorization.k8s.io/v1';
const CLUSTER_ROLES: Resource = { apiVersion, kind: 'ClusterRole', plural: 'clusterroles', namespaced: false };
const CLUSTER_ROLE_BINDINGS: Resource = {
  apiVersion,
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  namespaced: false,
};
const ROLE_BINDINGS: Resource = { apiVersion, kind: 'RoleBinding', plural: 'rolebindings', namespaced: true };
/** Given to everybody by Kubernetes itself. */
const OF_EVERYBODY = /^system:/;

/** Scope and permission, a line each, that come of the bindings to a subject. */
function granted(bindings: readonly Rendered[], roles: readonly Rendered[], subject: string): string[] {
  const own = bindings.filter(({ subjects = [] }) => subjects.some(({ name }) => name === subject));
  const lines = own.flatMap(({ kind, roleRef }) => {
    const role = roles.find(({ metadata, rules }) => rules !== undefined && metadata.name === roleRef?.name);
    if (role === undefined) throw new Error(`${subject} is bound to ${roleRef?.name}, which is not there`);
    const scope = kind === 'RoleBinding' ? 'in its namespace' : 'everywhere';
    return permissionsOf(role.rules ?? []).map((permission) => `${scope}: ${permission}`);
  });
  return [...new Set(lines)].sort();
}

test.each([
  ['worker', USER_NAMES.worker, 20],
  ['watcher', USER_NAMES.watcher, 10],
])(
  'the %s of every test has exactly the permissions that the chart gives, with drains that roll Deployments',
  async (account, user, least) => {
    const rendered = await renderChart('default', '--set', 'rbac.surge=true', '--set', 'rbac.metal3=true');
    const ofChart = granted(rendered, rendered, `millwright-${account}`);
    const [roles, everywhere, inNamespaces] = await Promise.all([
      kube.list<Rendered>(CLUSTER_ROLES),
      kube.list<Rendered>(CLUSTER_ROLE_BINDINGS),
      kube.list<Rendered>(ROLE_BINDINGS),
    ]);
    const bindings = [
      ...everywhere.items.map((item) => ({ ...item, kind: 'ClusterRoleBinding' })),
      ...inNamespaces.items.map((item) => ({ ...item, kind: 'RoleBinding' })),
    ];
    const ofGroups = bindings.filter(({ subjects = [] }) => subjects.some(({ name }) => name === 'millwright'));
    expect(ofGroups.filter(({ metadata }) => !OF_EVERYBODY.test(metadata.name))).toEqual([]);
    expect(granted(bindings, roles.items, user)).toEqual(ofChart);
    expect(ofChart.length).toBeGreaterThanOrEqual(least);
  },
  60_000,
);
