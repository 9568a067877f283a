import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KubeConfig, loadAllYaml, type KubernetesObject } from '@kubernetes/client-node';
import { createKubeClient } from '../../k8s/http-client.ts';
import type { Resource } from '../../k8s/resources.ts';
import { repositoryFolder } from '../repository-folder.ts';
import { USER_NAMES } from './credentials.ts';
import type { StackFiles } from './stack-files.ts';
import { given } from '../../providers/given.ts';

/**
 * The product's own roles, as the chart has them with `rbac.surge`: worker and watcher get nothing else, so that every use of the
 * stack tries them.
 */
const PRODUCT_ROLES = join(repositoryFolder, 'deploy', 'chart', 'millwright', 'files', 'cluster-roles.yaml');
/** Where worker and watcher have their Leases. */
const LEASE_NAMESPACE = 'kube-system';

/** Gives the API server's users what they may do. */
export async function grantAccess({ kubeconfig }: Pick<StackFiles, 'kubeconfig'>): Promise<void> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const client = createKubeClient(config);
  const objects = [
    ...loadAllYaml(await readFile(PRODUCT_ROLES, 'utf8')).map(underOwnName),
    hollowNodesRole,
    binding('ClusterRoleBinding', USER_NAMES.worker, 'millwright-worker'),
    binding('ClusterRoleBinding', USER_NAMES.worker, 'millwright-worker-secrets'),
    binding('ClusterRoleBinding', USER_NAMES.worker, 'millwright-worker-surge'),
    binding('ClusterRoleBinding', USER_NAMES.worker, 'millwright-worker-metal3'),
    binding('ClusterRoleBinding', USER_NAMES.watcher, 'millwright-watcher'),
    binding('RoleBinding', USER_NAMES.worker, 'millwright-worker-lease', LEASE_NAMESPACE),
    binding('RoleBinding', USER_NAMES.watcher, 'millwright-watcher-lease', LEASE_NAMESPACE),
    binding('ClusterRoleBinding', USER_NAMES.hollowNodes, USER_NAMES.hollowNodes),
  ];
  await Promise.all(
    objects.map((object) =>
      client.apply(resourceOf(object), object.metadata?.namespace, object.metadata?.name ?? '', object, {
        fieldManager: 'millwright-devstack',
      }),
    ),
  );
}

const hollowNodesRole: RbacObject = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: ownNameOf(USER_NAMES.hollowNodes) },
  rules: [{ apiGroups: [''], resources: ['nodes', 'nodes/status'], verbs: ['get', 'list', 'create', 'patch'] }],
};

function binding(
  kind: 'RoleBinding' | 'ClusterRoleBinding',
  user: string,
  role: string,
  namespace?: string,
): RbacObject {
  const apiGroup = 'rbac.authorization.k8s.io';
  return {
    apiVersion: `${apiGroup}/v1`,
    kind,
    metadata: { name: ownNameOf(role), ...given({ namespace }) },
    roleRef: { apiGroup, kind: 'ClusterRole', name: ownNameOf(role) },
    subjects: [{ apiGroup, kind: 'User', name: user }],
  };
}

/** Helm refuses a release whose roles are there already: the chart can be tried on the embedded stack, too. */
function underOwnName(role: KubernetesObject): KubernetesObject {
  return { ...role, metadata: { name: ownNameOf(role.metadata?.name ?? '') } };
}

function ownNameOf(role: string): string {
  return `devstack-${role}`;
}

type RbacObject = KubernetesObject & Readonly<Record<string, unknown>>;

function resourceOf({ apiVersion = '', kind = '' }: KubernetesObject): Resource {
  return { apiVersion, kind, plural: `${kind.toLowerCase()}s`, namespaced: kind === 'RoleBinding' || kind === 'Role' };
}
