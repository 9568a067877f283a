import { readFile } from 'node:fs/promises';
import { parseAllDocuments } from 'yaml';
import type { ApiRegistry } from '../dialects/registry.ts';

/** An object to apply, as its YAML has it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** The CustomResourceDefinitions of all kinds. */
export function readCrdManifests(apis: ApiRegistry): Promise<Manifest[]> {
  return readManifests(apis.all().map(({ definition }) => definition));
}

/** The ValidatingAdmissionPolicies of all kinds, each followed by its binding. */
export function readPolicyManifests(apis: ApiRegistry): Promise<Manifest[]> {
  return readManifests(apis.all().flatMap(({ policies }) => policies.map(({ manifest }) => manifest)));
}

async function readManifests(paths: readonly string[]): Promise<Manifest[]> {
  const texts = await Promise.all([...new Set(paths)].sort().map((path) => readFile(path, 'utf8')));
  return texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as Manifest));
}
