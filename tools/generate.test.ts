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

test('a type that is not what its CRD says is shown with the difference, and mended by a run without --check', async () => {
  const file = join(copy, 'k8s/api/machine.openshift.io/machine-set.ts');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('replicas: number;', 'replicas?: string;'));

  const { code, output } = await generate(copy, '--check');
  expect(code).toBe(1);
  expect(output).toMatch(
    /k8s\/api\/machine\.openshift\.io\/machine-set\.ts, from line \d+:.*\n- {2}replicas\?: string;\n\+ {2}replicas: number;\n/,
  );
  expect(output).toContain('npm run generate');

  expect(await generate(copy)).toEqual({ code: 0, output: 'wrote k8s/api/machine.openshift.io/machine-set.ts\n' });
  expect(await readFile(file, 'utf8')).toBe(text);
}, 60_000);

test('the page of the command line is stale when a flag is told otherwise', async () => {
  const file = join(copy, 'docs/reference/cli.md');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('`--replicas <number>`', '`--size <number>`'));

  const { code, output } = await generate(copy, '--check');
  expect(code).toBe(1);
  expect(output).toMatch(/docs\/reference\/cli\.md, from line \d+:.*\n-\| `--size .*\n\+\| `--replicas /);

  expect(await generate(copy)).toEqual({ code: 0, output: 'wrote docs/reference/cli.md\n' });
  expect(await readFile(file, 'utf8')).toBe(text);
}, 60_000);

test('the page of the reasons is stale when a row of the table tells otherwise', async () => {
  const file = join(copy, 'k8s/model/reasons/waits.ts');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace("waitsFor: 'a missing Secret'", "waitsFor: 'a Secret that is there'"));

  const { code, output } = await generate(copy, '--check');
  expect(code).toBe(1);
  expect(output).toMatch(
    /docs\/reference\/reasons\.md, from line \d+:.*\n-.*a missing Secret.*\n\+.*a Secret that is there/,
  );
  await writeFile(file, text);
}, 60_000);

test('the roles are stale when a process may do something else', async () => {
  const file = join(copy, 'k8s/install/cluster-roles.ts');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace("rule(EVENTS, ['create'])", "rule(EVENTS, ['create', 'patch'])"));

  const { code, output } = await generate(copy, '--check');
  expect(code).toBe(1);
  expect(output).toMatch(
    /files\/cluster-roles\.yaml, from line \d+:.*\n- {4}verbs: \[create\]\n\+ {4}verbs: \[create, patch\]/,
  );
  await writeFile(file, text);
}, 60_000);

test('a page that is stale is shown and mended, and one that a person wrote is left alone', async () => {
  const file = join(copy, 'docs/reference/machine.openshift.io/machine-class.md');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('| `provider` |', '| `cloud` |'));
  await writeFile(join(copy, 'docs/reference/by-hand.md'), '# By hand\n');

  const { code, output } = await generate(copy, '--check');
  expect(code).toBe(1);
  expect(output).toMatch(
    /docs\/reference\/machine\.openshift\.io\/machine-class\.md, from line \d+:.*\n-\| `cloud` .*\n\+\| `provider` /,
  );

  expect(await generate(copy)).toEqual({
    code: 0,
    output: 'wrote docs/reference/machine.openshift.io/machine-class.md\n',
  });
  expect(await readFile(join(copy, 'docs/reference/by-hand.md'), 'utf8')).toBe('# By hand\n');
}, 60_000);
