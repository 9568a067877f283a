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
  const number = expect.any(Number);
  const spread = { p50: number, p99: number };
  expect(measured).toMatchObject({
    machines: MACHINES,
    up: { seconds: number, machinesPerSecond: number, createToCallMs: spread, createToRunningMs: spread },
    down: { seconds: number },
    perMachine: {
      historyEvents: number,
      workflowTasks: 3,
      kubernetesWrites: number,
      runInstances: 1,
      describeCalls: number,
      nodeCpuMs: number,
    },
    processes: {
      worker: { cpuSeconds: number, peakRssMb: number },
      watcher: { cpuSeconds: number, peakRssMb: number },
      'kube-apiserver': { cpuSeconds: number, peakRssMb: number },
      temporal: { cpuSeconds: number, peakRssMb: number },
    },
  });
  const { perMachine, processes } = measured as { perMachine: object; processes: object };
  const { describeCalls: _none, ...costs } = perMachine as Record<string, number>;
  for (const cost of Object.values(costs)) expect(cost).toBeGreaterThan(0);
  for (const { peakRssMb } of Object.values(processes) as { peakRssMb: number }[]) expect(peakRssMb).toBeGreaterThan(0);
  const { up, down } = measured as {
    up: { seconds: number; createToRunningMs: { p50: number } };
    down: { seconds: number };
  };
  expect(up.createToRunningMs.p50).toBeGreaterThan(2000);
  expect(up.seconds).toBeGreaterThan(2);
  expect(down.seconds).toBeGreaterThan(1);
}, 300_000);

test('it measures drains, against the same by kubectl', async () => {
  const { stdout } = await run(process.execPath, [BENCH, '--scenario=delete', `--machines=${MACHINES}`, '--pods=2']);
  expect(stdout).toMatch(/^delete: [\d.]+ s, [\d.]+ machines drained a second$/m);
  expect(stdout).toMatch(/drained: 6 pods after [\d.]+ s; with kubectl drain, all at once, [\d.]+ s: [\d.]+ ×$/m);
  expect(stdout).toMatch(/evictions sent for each pod: 1$/m);
}, 300_000);

test('a scenario that there is not is refused', async () => {
  await expect(run(process.execPath, [BENCH, '--scenario=sideways'])).rejects.toMatchObject({ code: 2 });
}, 30_000);
