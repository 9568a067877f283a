import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { childEnvironment } from '../../../devstack/environment.ts';
import { silentProgress } from '../../../devstack/progress.ts';
import { resolveServers } from '../../../devstack/servers/resolve-servers.ts';
import { repositoryFolder } from '../../../devstack/repository-folder.ts';

export const CHART = join(repositoryFolder, 'deploy', 'chart', 'millwright');
/** Every value set to something else than its default. */
export const FULL_VALUES = join(import.meta.dirname, 'full-values.yaml');
/** What the embedded stack runs; a Helm that was built without its release flags believes in a much older one. */
const KUBERNETES = '1.36.0';
const BUILD_TIMEOUT_MS = 280_000;

/** An object as the chart renders it. */
export interface Rendered {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: unknown;
  readonly rules?: readonly Rule[];
  readonly roleRef?: { readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[];
}

/** A rule of RBAC. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** How Helm ended and what it wrote. */
export interface HelmResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs Helm, with nothing of the user's own environment and configuration. */
export async function helm(...args: readonly string[]): Promise<HelmResult> {
  const servers = await resolveServers(['helm'], silentProgress, AbortSignal.timeout(BUILD_TIMEOUT_MS));
  const path = servers.get('helm')?.path ?? 'helm';
  const own = Object.entries(childEnvironment()).filter(([name]) => !name.startsWith('HELM_'));
  const child = spawn(path, args, { env: Object.fromEntries(own), stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

/** Everything the chart renders, hooks included. Rejects with Helm's words where it refuses. */
export async function renderChart(namespace: string, ...flags: readonly string[]): Promise<Rendered[]> {
  const args = ['template', 'millwright', CHART, '--namespace', namespace, '--kube-version', KUBERNETES, ...flags];
  const { code, stdout, stderr } = await helm(...args);
  if (code !== 0) throw new Error(`helm ${args.join(' ')} failed with exit code ${code}: ${stderr}`);
  return parseAllDocuments(stdout).flatMap((document) => {
    if (document.errors.length > 0) throw new Error(`helm rendered broken YAML: ${String(document.errors[0])}`);
    const object: unknown = document.toJS();
    return object === null ? [] : [object as Rendered];
  });
}

/** What may be done, a line each, e.g. `patch machines.machine.openshift.io/status` or `get namespaces kube-system`. */
export function permissionsOf(rules: readonly Rule[]): string[] {
  const lines = rules.flatMap(({ apiGroups, resources, resourceNames = [''], verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        resourceNames.flatMap((name) => verbs.map((verb) => `${verb} ${qualified(resource, group)} ${name}`.trim())),
      ),
    ),
  );
  return [...new Set(lines)].sort();
}

function qualified(resource: string, group: string): string {
  return group === '' ? resource : resource.replace(/^[^/]+/, (plural) => `${plural}.${group}`);
}
