import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runCommand } from '../../../devstack/servers/run-command.ts';
import { repositoryFolder } from '../../../devstack/repository-folder.ts';
import { hadolint } from '../../../devstack/servers/hadolint.ts';

let linter: string;
let folder: string;

beforeAll(async () => {
  linter = await hadolint();
  folder = await mkdtemp(join(tmpdir(), 'millwright-dockerfile-'));
}, 120_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

const lint = (path: string) => runCommand(linter, ['--no-color', '--failure-threshold', 'style', path]);

test('hadolint finds nothing in the Dockerfile', async () => {
  const { code, output } = await lint(join(repositoryFolder, 'deploy', 'Dockerfile'));
  expect(output).toBe('');
  expect(code).toBe(0);
});

test('hadolint does find what is wrong', async () => {
  const path = join(folder, 'Dockerfile');
  await writeFile(path, 'FROM debian:latest\nRUN sudo true\nCMD node\n');
  const { code, output } = await lint(path);
  expect(code).not.toBe(0);
  expect(output).toMatch(/DL3007[\s\S]*DL3004[\s\S]*DL3025/);
});
