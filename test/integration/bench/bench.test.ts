import { afterAll, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const BENCH = join(import.meta.dirname, '..', '..', 'bench', 'bench.ts');
const MACHINES = 3;

let folder: string | undefined;
afterAll(async () => {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

test('the benchmark measures a way up and a way down, and writes what it measured', async () => {
  folder = await mkdtemp(join(tmpdir(), 'millwright-bench-test-'));
  const file = join(folder, 'measured.json');
  const { stdout } = await run(process.execPath, [
    BENCH,
    '--scenario=down',
    `--machines=${MACHINES}`,
    `--json=${file}`,
  ]);
  expect(stdout).toMatch(/^up: [\d.]+ s, [\d.]+ machines a second$/m);
  expect(stdout).toMatch(/^down: [\d.]+ s, [\d.]+ machines a second$/m);

  const measured = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
  const positive = expect.any(Number);
  const spread = { p50: positive, p99: positive };
  expect(measured).toMatchObject({
    machines: MACHINES,
    up: { seconds: positive, machinesPerSecond: positive, createToCallMs: spread, createToRunningMs: spread },
    down: { seconds: positive },
    perMachine: {
      historyEvents: positive,
      workflowTasks: 3,
      kubernetesWrites: positive,
      runInstances: 1,
      describeCalls: positive,
      nodeCpuMs: positive,
    },
    processes: {
      worker: { cpuSeconds: positive, peakRssMb: positive },
      watcher: { cpuSeconds: positive, peakRssMb: positive },
      'kube-apiserver': { cpuSeconds: positive, peakRssMb: positive },
      temporal: { cpuSeconds: positive, peakRssMb: positive },
    },
  });
  const { up, down } = measured as { up: { seconds: number }; down: { seconds: number } };
  expect(up.seconds).toBeGreaterThan(2);
  expect(down.seconds).toBeGreaterThan(1);
}, 300_000);

test('a scenario that there is not is refused', async () => {
  await expect(run(process.execPath, [BENCH, '--scenario=sideways'])).rejects.toMatchObject({ code: 2 });
}, 30_000);
