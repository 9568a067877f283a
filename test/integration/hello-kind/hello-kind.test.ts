import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { grantAccess } from '../../../devstack/stack/access.ts';
import { refOf, type StoredObject } from '../../../k8s/dialects/kind.ts';
import { CUSTOM_RESOURCE_DEFINITIONS, NAMESPACES, type Resource } from '../../../k8s/resources.ts';
import { workflowIdOf } from '../../../workflows/ids.ts';
import { walk } from '../../hello-kind/walk.ts';
import { cliEnvironment } from '../cli/run-cli.ts';
import { startMillwright, type MillwrightProcess } from '../millwright-process.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';

const stack = getStack();
const namespace = 'hello';
const GREETINGS: Resource = {
  apiVersion: 'machine.openshift.io/v1beta1',
  kind: 'Greeting',
  plural: 'greetings',
  namespaced: true,
};
const QUICKLY = { timeoutMs: 20_000, everyMs: 50 };

interface Greeting extends StoredObject {
  readonly status?: {
    readonly message?: string;
    readonly observedGeneration?: number;
    readonly conditions?: readonly object[];
  };
}

/** The repository with the kind added. */
let copy: string;
let worker: MillwrightProcess;
let watcher: MillwrightProcess;

/** Runs a program of the copy, as the administrator. */
async function run(...args: string[]): Promise<string> {
  return (await promisify(execFile)(process.execPath, args, { cwd: copy, env: cliEnvironment() })).stdout;
}

beforeAll(async () => {
  copy = await walk();
  const workflowBundle = join(copy, 'workflows.bundle.js');
  const admin = JSON.stringify({ kubeconfig: stack.kubeconfig });
  const grant = `await (await import('./devstack/stack/access.ts')).grantAccess(${admin})`;
  const program = join(copy, 'bin', 'millwright.js');
  const args = ['--task-queue', namespace];
  const env = { MILLWRIGHT_WORKFLOW_BUNDLE: workflowBundle };
  const installed = Promise.all([
    run('tools/generate.ts').then(() => run('--input-type=module', '--eval', grant)),
    run(program, 'install'),
    stack.kube.create(NAMESPACES, undefined, { metadata: { name: namespace } }),
  ]);
  [worker, watcher] = await Promise.all([
    run('workers/write-workflow-bundle.ts', workflowBundle).then(() =>
      startMillwright('worker', { program, env, args }),
    ),
    installed.then(() => startMillwright('watcher', { program, args: [...args, '--namespace', namespace] })),
  ]);
  await Promise.all([worker.ready, watcher.ready]);
}, 120_000);

afterAll(async () => {
  await Promise.all([worker.end(), watcher.end()]);
  await stack.kube.delete(CUSTOM_RESOURCE_DEFINITIONS, undefined, 'greetings.machine.openshift.io');
  await grantAccess(stack);
  await rm(copy, { recursive: true, force: true });
}, 60_000);

function untilSaid(message: string): Promise<Greeting> {
  const look = () => stack.kube.get<Greeting>(GREETINGS, namespace, 'one');
  return until(`${message} is said`, look, ({ status }) => status?.message === message, QUICKLY);
}

test('a kind that was added as the guide says is installed, watched, greeted, listed, and goes', async () => {
  const { apiVersion, kind } = GREETINGS;
  const metadata = { name: 'one' };
  await stack.kube.create(GREETINGS, namespace, { apiVersion, kind, metadata, spec: { name: 'world' } });
  const first = await untilSaid('Hello, world');
  expect(first.status).toMatchObject({
    observedGeneration: 1,
    conditions: [{ type: 'Greeted', status: 'True', reason: 'Greeted', message: 'world was greeted' }],
  });

  await stack.kube.mergePatch(GREETINGS, namespace, 'one', { spec: { name: 'moon' } });
  expect((await untilSaid('Hello, moon')).status).toMatchObject({ observedGeneration: 2 });
  expect(await run('bin/millwright.js', 'greeting', 'list', '-n', namespace)).toMatch(
    /NAME +MESSAGE\none +Hello, moon/,
  );

  await stack.kube.delete(GREETINGS, namespace, 'one');
  const connection = await Connection.connect({ address: stack.temporal.address });
  const client = new Client({ connection, namespace: stack.temporal.namespace });
  const workflow = client.workflow.getHandle(workflowIdOf(refOf(first)));
  await until(
    'its workflow has ended',
    async () => (await workflow.describe()).status.name,
    (status) => status === 'COMPLETED',
    QUICKLY,
  );
  await connection.close();
}, 60_000);
