import { generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { StackFiles } from './stack-files.ts';

/** Who talks to the API server, by key; the name and the group are what RBAC and the audit log see. */
const USERS = {
  admin: { user: 'admin', group: 'system:masters' },
  worker: { user: 'millwright-worker', group: 'millwright' },
  watcher: { user: 'millwright-watcher', group: 'millwright' },
  hollowNodes: { user: 'hollow-nodes', group: 'millwright-devstack' },
  kwok: { user: 'kwok', group: 'system:masters' },
  // Without a service account per controller, it needs what all of them need together.
  controllerManager: { user: 'system:kube-controller-manager', group: 'system:masters' },
  scheduler: { user: 'system:kube-scheduler', group: 'system:masters' },
} as const;

export type StackUser = keyof typeof USERS;

/** Names in the audit log's `user.username`. */
export const USER_NAMES: Readonly<Record<StackUser, string>> = Object.fromEntries(
  Object.entries(USERS).map(([key, { user }]) => [key, user]),
) as Record<StackUser, string>;

/** The users' bearer tokens: random per state folder, made once. */
export type Tokens = Readonly<Record<StackUser, string>>;

/** Makes the token file and the service-account keys where they are missing. */
export async function ensureCredentials(files: StackFiles): Promise<Tokens> {
  const known = await readTokens(files.tokens);
  const tokens = Object.fromEntries(
    Object.entries(USERS).map(([key, { user }]) => [key, known.get(user) ?? randomBytes(24).toString('hex')]),
  ) as Record<StackUser, string>;
  const lines = Object.entries(USERS).map(([key, { user, group }]) =>
    [tokens[key as StackUser], user, user, group].join(','),
  );
  await writeFile(files.tokens, `${lines.join('\n')}\n`, { mode: 0o600 });
  if (!existsSync(files.serviceAccountKey) || !existsSync(files.serviceAccountPublicKey)) {
    const pair = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    await writeFile(files.serviceAccountKey, pair.privateKey, { mode: 0o600 });
    await writeFile(files.serviceAccountPublicKey, pair.publicKey);
  }
  await dropOldCertificate(files);
  return tokens;
}

async function readTokens(path: string): Promise<Map<string, string>> {
  if (!existsSync(path)) return new Map();
  const lines = (await readFile(path, 'utf8')).trim().split('\n');
  return new Map(lines.map((line) => line.split(',')).map(([token = '', user = '']) => [user, token]));
}

/** The API server makes its certificate itself, for a year, where it finds none. */
export function servingCertificate(files: StackFiles): string {
  return join(files.certificates, 'apiserver.crt');
}

async function dropOldCertificate(files: StackFiles): Promise<void> {
  const path = servingCertificate(files);
  if (!existsSync(path)) return;
  const monthAhead = Date.now() + 30 * 24 * 60 * 60 * 1000;
  if (new X509Certificate(await readFile(path)).validToDate.getTime() > monthAhead) return;
  await rm(files.certificates, { recursive: true });
}

/** Writes the kubeconfig of every user. The API server must have made its certificate: the file holds its CA too. */
export async function writeKubeconfigs(files: StackFiles, apiServer: string, tokens: Tokens): Promise<void> {
  const ca = await readFile(servingCertificate(files));
  const paths: Record<StackUser, string> = {
    admin: files.kubeconfig,
    worker: files.workerKubeconfig,
    watcher: files.watcherKubeconfig,
    hollowNodes: files.hollowNodesKubeconfig,
    kwok: files.kwokKubeconfig,
    controllerManager: files.controllerManagerKubeconfig,
    scheduler: files.schedulerKubeconfig,
  };
  for (const [key, path] of Object.entries(paths)) {
    await writeFile(path, kubeconfig(apiServer, ca, USERS[key as StackUser].user, tokens[key as StackUser]), {
      mode: 0o600,
    });
  }
}

function kubeconfig(server: string, ca: Buffer, user: string, token: string): string {
  const name = 'millwright';
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server, 'certificate-authority-data': ca.toString('base64') } }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name, context: { cluster: name, user, namespace: 'default' } }],
  });
}
