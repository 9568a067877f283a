import pLimit from 'p-limit';
import type { KubeClient } from '../../../../k8s/client.ts';
import { APIS } from '../../../../k8s/dialects/registry.ts';
import { readClusterRoles, type Rule } from '../../../../k8s/install/cluster-roles.ts';
import { CONFIG_MAPS, type Resource } from '../../../../k8s/resources.ts';
import { reportFailed, reportUnknown, reportOk, wordsOf, type Finding } from './finding.ts';
import { given } from '../../../../providers/given.ts';

/** The processes that deploy/rbac.yaml has roles for. */
const ROLES = ['worker', 'watcher'] as const;
export type Role = (typeof ROLES)[number];

export interface PermissionScope {
  /** The watcher's one Kubernetes namespace, where it has one. */
  readonly namespace: string | undefined;
  readonly leaseNamespace: string;
  /** Where the worker may read Secrets; undefined: in all namespaces. */
  readonly secretNamespaces?: readonly string[] | undefined;
}

/** One thing that a role lets one do. */
export interface Permission {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly name?: string;
  /** Undefined: in all namespaces, or of the cluster. */
  readonly namespace?: string;
}

const REVIEWS: Resource = {
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  namespaced: false,
};
const REVIEWS_AT_ONCE = 8;
const OF_THE_CLUSTER: ReadonlySet<string> = new Set(['nodes', 'namespaces']);
/** The ConfigMaps that are looked at in one namespace only, whichever the process works in: name → that namespace. */
const NAMESPACE_OF_RULES = new Map(APIS.clusterRules().map(({ name, namespace }) => [name, namespace]));
const SECRETS_ROLE = 'millwright-worker-secrets';
const LEASE_ROLES: Readonly<Record<Role, string>> = {
  worker: 'millwright-worker-lease',
  watcher: 'millwright-watcher-lease',
};

/**
 * Whether these credentials may do what deploy/rbac.yaml lists. Asked about one role, that has to be complete; about
 * none, it is enough that one of them is: then these are the credentials of that process.
 */
export async function checkPermissions(
  kube: KubeClient,
  asked: Role | undefined,
  scope: PermissionScope,
): Promise<Finding[]> {
  const roles = asked === undefined ? ROLES : [asked];
  const limit = pLimit(REVIEWS_AT_ONCE);
  try {
    const found = await Promise.all(
      roles.map(async (role) => {
        const permissions = await permissionsOf(role, scope);
        const allowed = await Promise.all(permissions.map((one) => limit(() => isAllowed(kube, one))));
        return {
          role,
          count: permissions.length,
          missing: permissions.filter((_one, index) => allowed[index] !== true),
        };
      }),
    );
    const isOneComplete = asked === undefined && found.some(({ missing }) => missing.length === 0);
    return found.map(({ role, count, missing }) => judge(role, count, missing, isOneComplete));
  } catch (error) {
    return [reportUnknown('permissions', wordsOf(error))];
  }
}

function judge(role: Role, count: number, missing: readonly Permission[], isOneComplete: boolean): Finding {
  const check = `permissions of the ${role}`;
  if (missing.length === 0) return reportOk(check, `all ${count} of deploy/rbac.yaml`);
  const found = `missing ${missing.length} of ${count}: ${missing.map(describePermission).join('; ')}`;
  if (isOneComplete) {
    return reportUnknown(
      check,
      found,
      `Where these credentials are meant for the ${role}, too: run it with --as ${role}.`,
    );
  }
  const lease = ` (and ${LEASE_ROLES[role]} in the namespace of its Leases)`;
  const secrets = role === 'worker' ? ` and ${SECRETS_ROLE}` : '';
  return reportFailed(
    check,
    found,
    `Apply deploy/rbac.yaml and bind ClusterRole millwright-${role}${secrets}${lease} to whom the ${role} runs as.`,
  );
}

async function permissionsOf(role: Role, scope: PermissionScope): Promise<Permission[]> {
  const roles = await readClusterRoles(APIS);
  return roles.flatMap(({ name, rules }) => {
    if (name === LEASE_ROLES[role]) return expandRules(rules, scope.leaseNamespace);
    if (name === SECRETS_ROLE && role === 'worker') {
      return (scope.secretNamespaces ?? [undefined]).flatMap((one) => expandRules(rules, one));
    }
    return name === `millwright-${role}` ? expandRules(rules, role === 'watcher' ? scope.namespace : undefined) : [];
  });
}

/** Every verb on every resource of the rules, one by one. */
export function expandRules(rules: readonly Rule[], namespace: string | undefined): Permission[] {
  const expanded: Permission[] = [];
  for (const { apiGroups, resources, resourceNames = [undefined], verbs } of rules) {
    for (const group of apiGroups) {
      for (const path of resources) {
        const [resource = '', subresource] = path.split('/');
        for (const name of resourceNames) {
          const where = namespaceOf(resource, name, namespace);
          for (const verb of verbs) {
            expanded.push({
              verb,
              group,
              resource,
              ...given({ subresource, name, namespace: where }),
            });
          }
        }
      }
    }
  }
  return expanded;
}

/** Where something is looked at. Undefined: in all namespaces, or of the cluster. */
function namespaceOf(resource: string, name: string | undefined, namespace: string | undefined): string | undefined {
  if (OF_THE_CLUSTER.has(resource)) return undefined;
  const ofRules = resource === CONFIG_MAPS.plural && name !== undefined ? NAMESPACE_OF_RULES.get(name) : undefined;
  return ofRules ?? namespace;
}

/** E.g. `patch machines.machine.openshift.io/status`. */
export function describePermission({ verb, group, resource, subresource, name, namespace }: Permission): string {
  const what = `${resource}${group === '' ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`;
  return `${verb} ${what}${name === undefined ? '' : ` ${name}`}${namespace === undefined ? '' : ` in ${namespace}`}`;
}

async function isAllowed(kube: KubeClient, resourceAttributes: Permission): Promise<boolean> {
  const { apiVersion, kind } = REVIEWS;
  const body = { apiVersion, kind, spec: { resourceAttributes } };
  const { status } = await kube.create<{ status?: { allowed?: boolean } }>(REVIEWS, undefined, body);
  return status?.allowed === true;
}
