import { readFile } from 'node:fs/promises';
import { Agent } from 'undici';
import { parse } from 'yaml';

/** How an API server is reached. */
export interface Access {
  readonly server: string;
  readonly token: string;
  readonly dispatcher: Agent;
}

interface KubeConfigFile {
  readonly clusters: readonly [{ readonly cluster: { readonly server: string } }];
  readonly users: readonly [{ readonly user: { readonly token: string } }];
}

/** By a kubeconfig of the embedded stack, whose API server made its certificate itself. */
export async function readAccess(kubeconfig: string): Promise<Access> {
  const { clusters, users } = parse(await readFile(kubeconfig, 'utf8')) as KubeConfigFile;
  return {
    server: clusters[0].cluster.server,
    token: users[0].user.token,
    dispatcher: new Agent({ connect: { rejectUnauthorized: false } }),
  };
}
