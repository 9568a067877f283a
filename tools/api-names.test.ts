import { expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { APIS } from '../k8s/dialects/registry.ts';

const root = dirname(import.meta.dirname);

/** What belongs to one API: its kinds, and the types that are made of its definitions. */
const OWN = /^k8s\/(?:dialects|api)\/[^/]+\//;
/** The one file that names them all. */
const REGISTRY = 'k8s/dialects/registry.ts';
/** A providerSpec is EC2's, whichever API it stands in: its apiVersion is the one that manifests for OpenShift have there. */
const PROVIDER_SPEC = 'providers/aws/provider-spec-schema.ts';
/** Whose controllers a take-over looks for: it has to know them by their names. */
const KNOWN_CONTROLLERS = 'k8s/install/known-controllers.ts';

/** A name of ours, as it stands in code. */
const ANNOTATION = /'millwright\.dev\/[a-z-]+'/g;

const groups = [...new Set(APIS.all().map(({ resource }) => resource.apiVersion.split('/')[0] ?? ''))];
const files = globSync('{providers,k8s,workflows,process,activities,workers,starters,devstack}/**/*.{ts,mts,mjs}', {
  cwd: root,
}).filter((file) => !OWN.test(file) && !/\.test\.ts$|-for-tests\.ts$/.test(file));

test('nobody outside of an API’s own folder writes a name of its group', () => {
  const named = files.filter((file) => groups.some((group) => codeOf(file).includes(group)));
  expect(groups).toContain('machine.openshift.io');
  expect(files.length).toBeGreaterThan(500);
  expect(named).toEqual([PROVIDER_SPEC]);
});

test('nobody outside of an API’s own folder writes the name of whose API it is', () => {
  const named = files.filter((file) => /openshift/i.test(codeOf(file)));
  expect(named.sort()).toEqual([REGISTRY, KNOWN_CONTROLLERS, PROVIDER_SPEC].sort());
});

test('nobody outside of an API’s own folder writes by hand the annotations that it keeps its words in', () => {
  const own = globSync('k8s/dialects/*/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'));
  const names = new Set(own.flatMap((file) => [...codeOf(file).matchAll(ANNOTATION)].map(([name]) => name)));
  expect([...names]).toEqual(
    expect.arrayContaining(["'millwright.dev/approved-step'", "'millwright.dev/resumed-step'"]),
  );
  const named = files.filter((file) => [...names].some((name) => codeOf(file).includes(name.slice(1, -1))));
  expect(named).toEqual([]);
});

test('nobody outside of an API’s own folder imports from there', () => {
  const importing = files.filter((file) => importsOf(file).some((imported) => OWN.test(imported)));
  expect(importing).toEqual([REGISTRY]);
});

/** Without its comments, which may give an example. */
function codeOf(file: string): string {
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  return lines.filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line)).join('\n');
}

function importsOf(file: string): string[] {
  const found = codeOf(file).matchAll(/\b(?:from|import)[ (]'(\.[^']+)'/g);
  return [...found].map(([, path = '']) => join(dirname(file), path));
}
