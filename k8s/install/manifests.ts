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

/** A ValidatingAdmissionPolicy, or its binding. */
export interface PolicyManifest extends Manifest {
  readonly spec: {
    /** Of the objects that the policy looks at beside the one that is written. Absent: of none. */
    readonly paramKind?: { readonly apiVersion: string; readonly kind: string };
    /** Of the policy that a binding is of. */
    readonly policyName?: string;
    /** Of a binding. */
    readonly validationActions?: readonly ('Deny' | 'Warn' | 'Audit')[];
  };
}

/** The CustomResourceDefinitions of all kinds. */
export function readCrdManifests(apis: ApiRegistry): Promise<Manifest[]> {
  return readManifests(apis.all().map(({ definition }) => definition));
}

/** The ValidatingAdmissionPolicies of all kinds, each followed by its binding. */
export function readPolicyManifests(apis: ApiRegistry): Promise<PolicyManifest[]> {
  return readManifests(apis.all().flatMap(({ policies }) => policies.map(({ manifest }) => manifest)));
}

async function readManifests<Read extends Manifest>(paths: readonly string[]): Promise<Read[]> {
  const texts = await Promise.all([...new Set(paths)].sort().map((path) => readFile(path, 'utf8')));
  return texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as Read));
}
