import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';

/** An object to apply, as its YAML has it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** The CustomResourceDefinitions of `k8s/crds`. */
export function readCrdManifests(): Promise<Manifest[]> {
  return readManifests('crds');
}

/** The ValidatingAdmissionPolicies of `k8s/policies`, each followed by its binding. */
export function readPolicyManifests(): Promise<Manifest[]> {
  return readManifests('policies');
}

async function readManifests(folder: 'crds' | 'policies'): Promise<Manifest[]> {
  const path = join(findKubernetesFolder(), folder);
  const names = (await readdir(path)).filter((name) => name.endsWith('.yaml')).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(path, name), 'utf8')));
  return texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as Manifest));
}

/** The package's folder `k8s`: this file is within it as a source, and in `dist/k8s` when compiled. */
export function findKubernetesFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'k8s', 'crds'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`no folder k8s/crds above ${fileURLToPath(import.meta.url)}`);
    folder = parent;
  }
  return join(folder, 'k8s');
}
