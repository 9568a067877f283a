import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** A copy of the generator with its input and output, to be changed at will. */
let copy: string;

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'millwright-generate-'));
  for (const name of [
    'k8s',
    'tools',
    'deploy/chart/millwright/files',
    'docs/reference',
    'starters/cli',
    'providers',
    'workers',
    'package.json',
  ]) {
    await cp(join(ROOT, name), join(copy, name), { recursive: true });
  }
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
});

afterAll(() => rm(copy, { recursive: true, force: true }));

function generate(root: string, ...args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(root, 'tools/generate.ts'), ...args], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr });
    });
  });
}

test('the generated types, pages and roles are what their sources say', async () => {
  expect(await generate(ROOT, '--check')).toEqual({ code: 0, output: '' });
}, 60_000);

/** Of each file one text that was changed, and how the difference is shown. */
type Changes = readonly (readonly [file: string, text: string, changed: string, shown: RegExp])[];

const GENERATED: Changes = [
  [
    'docs/reference/cli.md',
    '`--replicas <number>`',
    '`--size <number>`',
    /docs\/reference\/cli\.md, from line \d+:.*\n-\| `--size .*\n\+\| `--replicas /,
  ],
  [
    'docs/reference/machine.openshift.io/machine-class.md',
    '| `provider` |',
    '| `cloud` |',
    /docs\/reference\/machine\.openshift\.io\/machine-class\.md, from line \d+:.*\n-\| `cloud` .*\n\+\| `provider` /,
  ],
  [
    'k8s/api/machine.openshift.io/machine-set.ts',
    'replicas: number;',
    'replicas?: string;',
    /k8s\/api\/machine\.openshift\.io\/machine-set\.ts, from line \d+:.*\n- {2}replicas\?: string;\n\+ {2}replicas: number;\n/,
  ],
];
const SOURCES: Changes = [
  [
    'k8s/model/reasons/waits.ts',
    "waitsFor: 'a missing Secret'",
    "waitsFor: 'a Secret that is there'",
    /docs\/reference\/reasons\.md, from line \d+:.*\n-.*a missing Secret.*\n\+.*a Secret that is there/,
  ],
  [
    'k8s/install/cluster-roles.ts',
    "rule(EVENTS, ['create'])",
    "rule(EVENTS, ['create', 'patch'])",
    /files\/cluster-roles\.yaml, from line \d+:.*\n- {4}verbs: \[create\]\n\+ {4}verbs: \[create, patch\]/,
  ],
];

const textOf = (file: string) => readFile(join(copy, file), 'utf8');

/** @returns the files as they were */
async function change(changes: Changes): Promise<ReadonlyMap<string, string>> {
  const before = new Map<string, string>();
  for (const [file, text, changed] of changes) {
    before.set(file, await textOf(file));
    await writeFile(join(copy, file), (before.get(file) ?? '').replace(text, changed));
  }
  return before;
}

test('a type, page or role that is not what its source says is shown with the difference', async () => {
  const before = await change([...GENERATED, ...SOURCES]);
  const { code, output } = await generate(copy, '--check');
  for (const [file, text] of before) await writeFile(join(copy, file), text);
  expect(code).toBe(1);
  for (const [, , , shown] of [...GENERATED, ...SOURCES]) expect(output).toMatch(shown);
  expect(output).toContain('npm run generate');
}, 60_000);

test('a run without --check mends what is stale, and leaves a page alone that a person wrote', async () => {
  const before = await change(GENERATED);
  await writeFile(join(copy, 'docs/reference/by-hand.md'), '# By hand\n');
  const { code, output } = await generate(copy);
  expect(code).toBe(0);
  expect(output.split('\n').toSorted()).toEqual(['', ...GENERATED.map(([file]) => `wrote ${file}`)]);
  for (const [file, text] of before) expect(await textOf(file)).toBe(text);
  expect(await textOf('docs/reference/by-hand.md')).toBe('# By hand\n');
}, 60_000);
