import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStack, type Stack } from '../../devstack/stack.ts';
import { bundleWorkflows } from '../../workers/workflow-bundle.ts';
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
  });
  globalThis.millwrightStack = stack;
  const workflowBundle = join(stateDir, 'workflows.bundle.js');
  await writeFile(workflowBundle, (await bundleWorkflows()).code);
  const description: StackDescription = {
    workflowBundle,
    stateDir,
    kubeconfig: stack.kubeconfig,
    workerKubeconfig: stack.files.workerKubeconfig,
    watcherKubeconfig: stack.files.watcherKubeconfig,
    apiServer: stack.apiServer,
    tokens: stack.tokens,
    temporal: stack.temporal,
    cloud: stack.cloud,
    auditLog: stack.files.auditLog,
  };
  process.env['MILLWRIGHT_TEST_STACK'] = JSON.stringify(description);
}
