import { afterAll, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const AUTOSCALER = join(import.meta.dirname, '..', '..', 'autoscaler');

let folder: string | undefined;
afterAll(async () => {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

test('npm run autoscaler plays its cases with a program that makes the calls of cluster-autoscaler, and says what it saw', async () => {
  folder = await mkdtemp(join(tmpdir(), 'millwright-stand-in-'));
  const binary = join(folder, 'cluster-autoscaler');
  const standIn = join(AUTOSCALER, 'stand-in.ts');
  await writeFile(binary, `#!/bin/sh\nexec '${process.execPath}' '${standIn}' "$@"\n`, { mode: 0o755 });
  const args = ['--binary', binary, '--patience', '120', '--capacity-failure-after', '5'];
  const played = run(process.execPath, [join(AUTOSCALER, 'run.ts'), ...args], { timeout: 400_000 });
  // Where a case fails, what it saw is on the output.
  const { stdout } = await played.catch((error: { readonly stdout: string }) => error);
  expect(stdout).not.toMatch(/^FAIL .*\n.*/m);
  expect(stdout.match(/^(ok|FAIL) .*(?= \()/gm)).toEqual([
    'ok   up from zero',
    'ok   up a deployment',
    'ok   down by the right machine, in a set',
    'ok   down by the right machine, in a deployment',
    'ok   a group without capacity left for another',
    'ok   a deployment that rolls without room keeps its size',
  ]);
  expect(stdout).toMatch(/^6 passed, 0 failed$/m);
}, 420_000);

test('npm run autoscaler says that the program ended, where it does', async () => {
  const args = ['--binary', '/bin/false', '--patience', '60'];
  const failed = await run(process.execPath, [join(AUTOSCALER, 'run.ts'), ...args], { timeout: 400_000 }).catch(
    (error: unknown) => error as { readonly code?: number; readonly stdout?: string },
  );
  expect(failed).toMatchObject({ code: 1 });
  const logs = /^the logs are in (.*)\/logs$/m.exec(failed.stdout ?? '')?.[1];
  if (logs !== undefined) await rm(logs, { recursive: true, force: true });
  expect(failed.stdout).toMatch(/FAIL up from zero \(\d+ s\)\n +\/bin\/false: it ended with 1; its log is /);
  expect(failed.stdout).toMatch(/^0 passed, 1 failed$/m);
}, 420_000);
