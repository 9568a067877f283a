import { permissionsOf, type Rendered } from './chart.ts';

export interface PermissionUse {
  /** What was asked for and is not allowed, as `<verb> <resource>`. */
  readonly beyond: string[];
  /** What is allowed and was not asked for, as {@link permissionsOf} has it, without names. */
  readonly unused: string[];
}

/**
 * Compares what the chart lets an account do with what it did, as `<verb> <resource>`: the API groups are left out. Those here
 * have one resource of the same name, the health checks, and what is asked of them is asked of both.
 */
export function permissionUse(
  objects: readonly Rendered[],
  account: string,
  requests: readonly string[],
): PermissionUse {
  const allowed = permissionsOf(rulesOf(objects, account));
  const allowedAsSeen = new Set(allowed.map(withoutGroup));
  const used = new Set(requests);
  const unused = allowed.filter((permission) => !used.has(withoutGroup(permission)));
  return {
    beyond: [...used].filter((what) => !allowedAsSeen.has(what)).sort(),
    unused: [...new Set(unused.map((permission) => permission.split(' ').slice(0, 2).join(' ')))].sort(),
  };
}

/** The rules of every role that is bound to a service account. */
function rulesOf(objects: readonly Rendered[], account: string) {
  const roles = objects
    .filter(({ subjects = [] }) => subjects.some(({ name }) => name === account))
    .map(({ roleRef }) => roleRef?.name);
  return objects
    .filter(({ kind, metadata }) => kind === 'ClusterRole' && roles.includes(metadata.name))
    .flatMap(({ rules = [] }) => rules);
}

function withoutGroup(permission: string): string {
  return permission.replace(/^(\S+ [^\s./]+)(?:\.[^\s/]+)?(\/\S+)?.*$/, '$1$2');
}
