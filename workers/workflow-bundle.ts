import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundleWorkflowCode, type WorkflowBundleOption } from '@temporalio/worker';

/**
 * The workflow code, bundled for the sandbox: the file beside this one that the package ships, else bundled now (a few
 * seconds). MILLWRIGHT_WORKFLOW_BUNDLE names another file.
 */
export async function loadWorkflowBundle(): Promise<WorkflowBundleOption> {
  const given = process.env['MILLWRIGHT_WORKFLOW_BUNDLE'];
  if (given !== undefined) return { codePath: given };
  const shipped = fileURLToPath(new URL('./workflows.bundle.js', import.meta.url));
  if (existsSync(shipped)) return { codePath: shipped };
  return { code: await bundleApart() };
}

/** Bundles in a process of its own: what that takes, some 300 MB, would stay with the worker. */
async function bundleApart(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'millwright-bundle-'));
  try {
    const file = join(folder, 'workflows.bundle.js');
    await promisify(execFile)(process.execPath, [
      fileURLToPath(new URL('write-workflow-bundle.ts', import.meta.url)),
      file,
    ]);
    return await readFile(file, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Bundles the workflow code from its sources. */
export function bundleWorkflows(): Promise<{ code: string }> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const fileOf = (module: string): string => fileURLToPath(new URL(`${module}.${extension}`, import.meta.url));
  const workflowsPath = fileOf('../workflows/index');
  // Always, whether there are traces or not: what a workflow does must not depend on where it runs.
  const workflowInterceptorModules = [fileOf('./workflow-tracing'), fileOf('../workflows/foreign-cluster')];
  return bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules,
    // Loaded once for all workflows of a thread, which then need neither the time nor the memory: no module keeps a state.
    preloadModules: [workflowsPath, ...workflowInterceptorModules],
    logger: { log() {}, trace() {}, debug() {}, info() {}, warn: console.warn, error: console.error },
  });
}
