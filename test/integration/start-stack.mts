import { execFile } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { startStack, type Stack } from '../../devstack/stack/stack.ts';
import { terminalProgress } from '../../devstack/start/terminal-progress.ts';
import { createKubeClient } from '../../k8s/http-client.ts';
import { readClusterUid } from '../../k8s/cluster.ts';
import { loadKubeConfig } from '../../k8s/kube-config.ts';
import { bundleWorkflows } from '../../workers/workflow-bundle.ts';
import { inventoryWorkflowId } from '../../workflows/ids.ts';
import type { StackDescription } from './stack.ts';

declare global {
  // The teardown runs in the process of the setup: this is how it gets at the stack.
  var millwrightStack: Stack | undefined;
}

/**
 * Starts the one stack that the integration tests share: Kubernetes, Temporal and the simulated cloud with its nodes. No
 * watcher and no worker: each test runs its own, for its own namespace and task queue.
 */
export default async function setup(): Promise<void> {
  const stateDir = await mkdtemp(join(tmpdir(), 'millwright-test-'));
  const stack = await startStack({
    stateDir,
    fresh: true,
    withScheduler: false,
    withWatcher: false,
    withWorker: false,
    withInstall: true,
    progress: terminalProgress(),
  });
  globalThis.millwrightStack = stack;
  const workflowBundle = join(stateDir, 'workflows.bundle.js');
  const compileCache = join(stateDir, 'compile-cache');
  const [{ code }] = await Promise.all([bundleWorkflows(), fillCompileCache(compileCache)]);
  await writeFile(workflowBundle, code);
  // For whatever the tests start, stacks of their own and benches as well: a start without them takes three times the CPU.
  process.env['MILLWRIGHT_WORKFLOW_BUNDLE'] = workflowBundle;
  process.env['NODE_COMPILE_CACHE'] = compileCache;
  const description: StackDescription = {
    workflowBundle,
    compileCache,
    stateDir,
    kubeconfig: stack.kubeconfig,
    workerKubeconfig: stack.files.workerKubeconfig,
    watcherKubeconfig: stack.files.watcherKubeconfig,
    apiServer: stack.apiServer,
    certificate: await readFile(join(stack.files.certificates, 'apiserver.crt'), 'utf8'),
    tokens: stack.tokens,
    temporal: stack.temporal,
    cloud: stack.cloud,
    auditLog: stack.files.auditLog,
  };
  await holdInventory(stack);
  process.env['MILLWRIGHT_TEST_STACK'] = JSON.stringify(description);
}

/**
 * Has Node read the sources of worker and watcher once for all. The tests start some hundreds of them, and each spends a
 * third of its start-up less; those that are killed would leave nothing in the cache.
 */
async function fillCompileCache(folder: string): Promise<void> {
  const sources = ['../../workers/main.ts', '../../starters/watcher/watcher.ts'].map((path) =>
    JSON.stringify(new URL(path, import.meta.url).href),
  );
  const script = `await Promise.all([${sources.map((source) => `import(${source})`).join(', ')}]); process.exit();`;
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], NODE_COMPILE_CACHE: folder };
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { env });
}

/**
 * Every watcher starts the cluster's one inventory, on its own task queue. Here it is held on a queue without workers, so
 * that it does not run in whichever test comes first; the tests of the inventory run their own.
 */
async function holdInventory(stack: Stack): Promise<void> {
  const clusterUid = await readClusterUid(createKubeClient(loadKubeConfig({ kubeconfig: stack.kubeconfig })));
  const connection = await Connection.connect({ address: stack.temporal.address });
  const client = new Client({ connection, namespace: stack.temporal.namespace });
  await client.workflow.start('inventory', {
    workflowId: inventoryWorkflowId(clusterUid),
    taskQueue: 'held',
    args: [{ v: 1, clusterUid }],
  });
  await connection.close();
}
