import type { ClusterRole, Rule } from '../k8s/install/cluster-roles.ts';

/** The first line of the file. */
export const CLUSTER_ROLES_BANNER = '# Generated from k8s/install/cluster-roles.ts by `npm run generate`: do not edit.';

const HEADER = `${CLUSTER_ROLES_BANNER}
#
# What each part of Millwright may do, and nothing more. The chart takes its rules from here; so does the embedded stack,
# so that every test runs under them. Without Helm: \`kubectl apply -f\` this file, then bind
#   millwright-worker and millwright-worker-secrets   to the worker, cluster-wide (the latter may be bound in single namespaces)
#   millwright-worker-surge                           to the worker, only where it may roll Deployments for drains
#   millwright-worker-metal3                          to the worker, only where health checks have machines remediated by Metal3
#   millwright-watcher                                to the watcher, cluster-wide
#   millwright-worker-lease                           to the worker, in the namespace of its Leases (--lease-namespace)
#   millwright-watcher-lease                          to the watcher, in the namespace of its Lease
#   millwright-install                                to whoever runs \`millwright install\`, cluster-wide
#   millwright-install-take-over                      beside it, for \`millwright install --take-over\`
`;

/** All roles as the YAML that an operator reads and applies. */
export function clusterRolesFile(roles: readonly ClusterRole[]): string {
  return HEADER + roles.map(documentOf).join('---\n');
}

function documentOf({ name, about, rules }: ClusterRole): string {
  const head = 'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\n';
  return `${comment(about, '')}${head}metadata:\n  name: ${name}\nrules:\n${rules.map(ruleOf).join('')}`;
}

function ruleOf({ why, apiGroups, resources, resourceNames, verbs }: Rule): string {
  return [
    `${comment(why, '  ')}  - apiGroups: ${inline(apiGroups)}\n`,
    isLong(resources) ? listed('resources', resources) : `    resources: ${inline(resources)}\n`,
    ...(resourceNames === undefined ? [] : [listed('resourceNames', resourceNames)]),
    `    verbs: ${inline(verbs)}\n`,
  ].join('');
}

/** A line of it would have more than 120 characters. */
function isLong(resources: readonly string[]): boolean {
  return `    resources: ${inline(resources)}`.length > 120;
}

function listed(field: string, values: readonly string[]): string {
  return `    ${field}:\n${values.map((one) => `      - ${one}\n`).join('')}`;
}

function inline(values: readonly string[]): string {
  return `[${values.map((value) => (value === '' ? "''" : value)).join(', ')}]`;
}

/** In lines of at most 120 characters. */
function comment(text = '', indent: string): string {
  const lines = text.match(/\S.{0,115}(?!\S)/g) ?? [];
  return lines.map((line) => `${indent}# ${line.trimEnd()}\n`).join('');
}
