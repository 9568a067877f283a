import { readFile, writeFile } from 'node:fs/promises';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { request } from 'undici';
import { readAccess } from './access.ts';

const MANIFEST = new URL('../../examples/cluster-autoscaler-rbac.yaml', import.meta.url);
/** As the manifest names it. */
const NAMESPACE = 'kube-system';
const NAME = 'cluster-autoscaler';
const TOKEN_SECONDS = 3600 * 24;

/** Paths of the collections of what the manifest has. */
const COLLECTIONS: Readonly<Record<string, string>> = {
  ServiceAccount: `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`,
  ClusterRole: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  ClusterRoleBinding: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
  Role: `/apis/rbac.authorization.k8s.io/v1/namespaces/${NAMESPACE}/roles`,
  RoleBinding: `/apis/rbac.authorization.k8s.io/v1/namespaces/${NAMESPACE}/rolebindings`,
};

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/** Makes the user that cluster-autoscaler is, with no more than the example grants, and writes a kubeconfig of it to `path`. */
export async function makeAutoscalerUser(adminKubeconfig: string, path: string): Promise<void> {
  const { server, token, dispatcher } = await readAccess(adminKubeconfig);
  const send = async (method: 'POST' | 'PATCH', url: string, body: object): Promise<unknown> => {
    const contentType = method === 'PATCH' ? 'application/apply-patch+yaml' : 'application/json';
    const headers = { authorization: `Bearer ${token}`, 'content-type': contentType };
    const answer = await request(server + url, { method, headers, body: JSON.stringify(body), dispatcher });
    const told = await answer.body.json();
    if (answer.statusCode >= 300)
      throw new Error(`${method} ${url}: HTTP ${answer.statusCode}: ${JSON.stringify(told)}`);
    return told;
  };
  for (const document of parseAllDocuments(await readFile(MANIFEST, 'utf8'))) {
    const manifest = document.toJS() as Manifest;
    const url = `${COLLECTIONS[manifest.kind]}/${manifest.metadata.name}?fieldManager=examples&force=true`;
    await send('PATCH', url, manifest);
  }
  const tokens = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${NAME}/token`;
  const asked = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: TOKEN_SECONDS },
  };
  const { status } = (await send('POST', tokens, asked)) as { readonly status: { readonly token: string } };
  const config = parse(await readFile(adminKubeconfig, 'utf8')) as { users: { user: object }[] };
  for (const user of config.users) user.user = { token: status.token };
  await writeFile(path, stringify(config), { mode: 0o600 });
}
