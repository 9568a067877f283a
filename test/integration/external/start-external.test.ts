import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { NAMESPACES } from '../../../k8s/resources.ts';
import { machineManifest } from '../lifecycle/manifests.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';

const START = fileURLToPath(new URL('../../../devstack/start/start.mjs', import.meta.url));
const name = 'start-external';
const stack = getStack();
let stateDir: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'millwright-external-'));
  await stack.kube.create(NAMESPACES, undefined, { metadata: { name } });
});

afterAll(async () => {
  for (const child of children) if (child.exitCode === null) child.kill('SIGTERM');
  await rm(stateDir, { recursive: true, force: true });
});

interface Started {
  readonly child: ChildProcess;
  /** Everything it printed until now. */
  readonly output: () => string;
  readonly exited: Promise<number | null>;
}

/** `npm start -- --external …`, with the shared stack as the user's own. There is no terminal. */
function startExternal(...args: readonly string[]): Started {
  const child = spawn(process.execPath, [START, '--external', '--state-dir', stateDir, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      KUBECONFIG: stack.kubeconfig,
      TEMPORAL_ADDRESS: stack.temporal.address,
      TEMPORAL_CONFIG_FILE: '/dev/null',
      MILLWRIGHT_SIMULATED_ENDPOINT: stack.cloud.endpoint,
      MILLWRIGHT_WORKFLOW_BUNDLE: stack.workflowBundle,
      NODE_COMPILE_CACHE: stack.compileCache,
    },
  });
  children.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: Buffer) => (output += text.toString()));
  const exited = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  return { child, output: () => output, exited };
}

test('without a terminal it does nothing unless told not to ask', async () => {
  const { output, exited } = startExternal();
  expect(await exited).toBe(2);
  expect(output()).toContain(`Kubernetes  ${stack.apiServer}, context millwright, as admin`);
  expect(output()).toContain(`Temporal    ${stack.temporal.address}, namespace default, no TLS`);
  expect(output()).toContain('From the environment: KUBECONFIG, TEMPORAL_ADDRESS, TEMPORAL_CONFIG_FILE');
  expect(output()).toContain('add --yes');
  expect(output()).not.toContain('Installing');
}, 60_000);

test('a context that the kubeconfig does not have is refused before anything is done', async () => {
  const { output, exited } = startExternal('--yes', '--context', 'prod');
  expect(await exited).toBe(1);
  expect(output().trim()).toBe('the kubeconfig has no context "prod"; it has: millwright');
}, 60_000);

test('machines of the user’s own cluster run, and stay when it ends', async () => {
  const { child, output, exited } = startExternal('--yes', '--namespace', name, '--task-queue', name);
  const isUp = () => Promise.resolve(output());
  await until('watcher and worker run', isUp, (text) => text.includes('Ctrl-C ends them.'), { timeoutMs: 120_000 });
  expect(output()).not.toContain('Applied');
  await stack.kube.create(MACHINES, name, machineManifest(name, 'one'));
  const look = () => stack.kube.get<MachineObject>(MACHINES, name, 'one');
  await until('it runs', look, ({ status }) => status?.phase === 'Running', { timeoutMs: 60_000 });

  child.kill('SIGINT');
  expect(await exited).toBe(0);
  expect(output()).toContain('everything in the cluster and in Temporal stays as it is');
  expect((await look()).status?.phase).toBe('Running');
}, 240_000);

test('with --detach it returns, and npm stop ends watcher and worker', async () => {
  const { exited, output } = startExternal('--yes', '--detach', '--namespace', name, '--task-queue', name);
  expect(await exited).toBe(0);
  expect(output()).toContain(`npm stop -- --state-dir ${stateDir}/external ends them.`);
  const second = startExternal('--yes', '--namespace', name, '--task-queue', name);
  expect(await second.exited).toBe(1);
  expect(second.output()).toMatch(/Those of an earlier start run: watcher \(pid \d+\), worker \(pid \d+\)/);

  // They delete what is left of the test before, with its instance.
  await stack.kube.delete(MACHINES, name, 'one');
  const left = async () => (await stack.kube.list<MachineObject>(MACHINES, { namespace: name })).items;
  await until('it is gone', left, (items) => items.length === 0, { timeoutMs: 60_000 });

  const stop = fileURLToPath(new URL('../../../devstack/start/stop.mjs', import.meta.url));
  const stopping = spawn(process.execPath, [stop, '--state-dir', join(stateDir, 'external')], { stdio: 'pipe' });
  let said = '';
  stopping.stdout.on('data', (text: Buffer) => (said += text.toString()));
  await new Promise((resolve) => stopping.once('close', resolve));
  expect(said.trim()).toBe('Stopped watcher, worker.');
}, 240_000);
