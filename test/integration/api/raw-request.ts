import { readFile } from 'node:fs/promises';
import { Agent, request } from 'undici';
import { parse } from 'yaml';
import { given } from '../../../providers/given.ts';

/** An answer of the API server, whatever its status. */
export interface RawAnswer {
  readonly status: number;
  readonly body: unknown;
  /** What it warns of, as kubectl prints it. */
  readonly warnings: readonly string[];
}

export interface RawRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Of a PATCH, a merge patch. */
  readonly body?: object;
  /** A user to act as. @default the kubeconfig's */
  readonly as?: string;
  /** @default 'application/json' */
  readonly accept?: string;
}

/**
 * Asks the API server of a kubeconfig of the embedded stack for what the product has no use for: tables as kubectl
 * prints them, dry runs, the OpenAPI documents behind `kubectl explain`.
 */
export async function rawRequest(kubeconfig: string, path: string, options: RawRequest = {}): Promise<RawAnswer> {
  const { clusters, users } = parse(await readFile(kubeconfig, 'utf8')) as {
    clusters: [{ cluster: { server: string } }];
    users: [{ user: { token: string } }];
  };
  const { statusCode, headers, body } = await request(clusters[0].cluster.server + path, {
    method: options.method ?? 'GET',
    headers: {
      authorization: `Bearer ${users[0].user.token}`,
      accept: options.accept ?? 'application/json',
      'content-type': options.method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      ...given({ 'impersonate-user': options.as }),
    },
    body: options.body === undefined ? null : JSON.stringify(options.body),
    // The certificate is the API server's own.
    dispatcher: new Agent({ connect: { rejectUnauthorized: false } }),
  });
  const texts = [headers['warning'] ?? []]
    .flat()
    .join(', ')
    .matchAll(/299 - "((?:[^"\\]|\\.)*)"/g);
  const warnings = [...texts].map(([, text = '']) => text);
  return { status: statusCode, body: await body.json(), warnings };
}

const GROUP = '/apis/machine.openshift.io/v1beta1';

/** What `kubectl create --dry-run=server` would answer: undefined where it accepts, else its words. */
export async function refusalOf(kubeconfig: string, manifest: Manifest): Promise<string | undefined> {
  const plural = `${manifest.kind.toLowerCase()}s`;
  const path = `/apis/${manifest.apiVersion}/namespaces/${manifest.metadata.namespace}/${plural}?dryRun=All&fieldValidation=Strict`;
  const { status, body } = await rawRequest(kubeconfig, path, { method: 'POST', body: manifest });
  return status < 300 ? undefined : (body as { message: string }).message;
}

/** Headings, in order, and the rows' cells, as `kubectl get -o wide` shows them. */
export async function tableOf(kubeconfig: string, namespace: string, plural: string): Promise<Table> {
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const { body } = await rawRequest(kubeconfig, `${GROUP}/namespaces/${namespace}/${plural}`, { accept });
  return body as Table;
}

export interface Table {
  readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[];
  readonly rows: readonly { readonly cells: readonly unknown[] }[];
}

/** An object as a user writes it; loose, so that it can be spoiled. */
export interface Manifest {
  apiVersion: string;
  kind: 'Machine' | 'MachineSet' | 'MachineDeployment' | 'MachineHealthCheck';
  metadata: {
    name: string;
    namespace: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    finalizers?: string[];
  };
  spec: Record<string, unknown>;
  status?: Record<string, unknown>;
}

type Example =
  | 'machine'
  | 'machineset'
  | 'machinedeployment'
  | `machine-health-check${'' | '-brakes' | '-node-problems' | '-gpu' | '-reboot'}`;

/** A manifest of `examples/`, in another namespace. */
export async function readExample(name: Example, namespace: string): Promise<Manifest> {
  const text = await readFile(new URL(`../../../examples/${name}.yaml`, import.meta.url), 'utf8');
  const manifest = parse(text) as Manifest;
  return { ...manifest, metadata: { ...manifest.metadata, namespace } };
}
