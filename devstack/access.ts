import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  KubeConfig,
  KubernetesObjectApi,
  loadAllYaml,
  PatchStrategy,
  type KubernetesObject,
} from '@kubernetes/client-node';
import { USER_NAMES } from './credentials.ts';
import { repositoryFolder, type StackFiles } from './stack-files.ts';

/** The product's own roles. */
const PRODUCT_ROLES = join(repositoryFolder, 'deploy', 'rbac.yaml');

/** Gives the users what they may do: worker and watcher get the product's own roles, so that the stack tries those. */
export async function grantAccess(files: StackFiles): Promise<void> {
  const config = new KubeConfig();
  config.loadFromFile(files.kubeconfig);
  const api = KubernetesObjectApi.makeApiClient(config);
  const product = existsSync(PRODUCT_ROLES) ? loadAllYaml(await readFile(PRODUCT_ROLES, 'utf8')) : [];
  const roles = [...product, hollowNodesRole].filter(({ kind }) => kind === 'ClusterRole');
  const roleNames = new Set(roles.map(({ metadata }) => metadata?.name));
  const bindings = [USER_NAMES.worker, USER_NAMES.watcher, USER_NAMES.hollowNodes].map((user) =>
    binding(user, roleNames.has(user) ? user : 'cluster-admin'),
  );
  await Promise.all(
    [...roles, ...bindings].map((object) =>
      api.patch(object, undefined, undefined, 'millwright-devstack', true, PatchStrategy.ServerSideApply),
    ),
  );
}

const hollowNodesRole = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: USER_NAMES.hollowNodes },
  rules: [{ apiGroups: [''], resources: ['nodes', 'nodes/status'], verbs: ['get', 'list', 'create', 'patch'] }],
};

/** A user gets the ClusterRole that has its own name. */
function binding(user: string, role: string): KubernetesObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: `devstack-${user}` },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  } as KubernetesObject;
}
