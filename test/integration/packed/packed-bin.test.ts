import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { access, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { getStack } from '../stack.ts';

/** What is run is what the package ships. */
const { MILLWRIGHT_KUBERNETES_CLIENT: _client, MILLWRIGHT_WORKFLOW_BUNDLE: _bundle, ...env } = process.env;
const runProgram = promisify(execFile);
const run = (program: string, args: readonly string[], options: { cwd?: string; maxBuffer?: number } = {}) =>
  runProgram(program, args, { ...options, env });
const root = join(import.meta.dirname, '..', '..', '..');
/** The oldest Node that the bin promises to start under. */
const OLD_NODE = 'node@20.19.5';

let folder: string;
let oldNode: string;
let bin: string;

/** Packs the package, lays it out as an installation does, and gets a Node 20 to start it with. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millwright-packed-'));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: root, maxBuffer: 1e8 });
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as { filename: string }[];
  await run('tar', ['-xzf', join(folder, packed?.filename ?? ''), '-C', folder]);
  // Where Node refuses TypeScript, as it does in any installation.
  const modules = join(folder, 'node_modules');
  await symlink(join(root, 'node_modules'), modules);
  const installed = join(folder, 'installed', 'node_modules');
  await run('mkdir', ['-p', installed]);
  await rename(join(folder, 'package'), join(installed, 'millwright'));
  bin = join(installed, 'millwright', 'bin', 'millwright.js');
  await access(join(installed, 'millwright', 'dist', 'k8s', 'kubernetes-client.bundle.mjs'));

  const old = join(folder, 'old-node');
  await run('mkdir', ['-p', old]);
  await writeFile(join(old, 'package.json'), '{"private":true}');
  await run('npm', ['install', '--no-audit', '--no-fund', OLD_NODE], { cwd: old, maxBuffer: 1e8 });
  oldNode = join(old, 'node_modules', 'node', 'bin', 'node');
}, 300_000);

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('the packed bin, started with Node 20', () => {
  it('prints its help', async () => {
    expect((await run(oldNode, ['--version'])).stdout).toMatch(/^v20\./);
    const { stdout } = await run(oldNode, [bin, '--help']);
    expect(stdout).toMatch(/machine/);
  });

  it('lists machines of a real cluster', async () => {
    const { stdout } = await run(oldNode, [
      bin,
      '--kubeconfig',
      getStack().kubeconfig,
      'machine',
      'list',
      '-o',
      'json',
    ]);
    expect(JSON.parse(stdout)).toBeDefined();
  });

  it('installs from the manifests that it ships', async () => {
    const { kubeconfig, temporal } = getStack();
    const { stdout } = await run(oldNode, [
      bin,
      '--kubeconfig',
      kubeconfig,
      '--temporal-address',
      temporal.address,
      'install',
    ]);
    expect(stdout).toMatch(/machines\.machine\.openshift\.io/);
  });
});
