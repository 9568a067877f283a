import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
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
  return bundleWorkflows();
}

/** Bundles the workflow code from its sources. */
export function bundleWorkflows(): Promise<{ code: string }> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL(`../workflows/index.${extension}`, import.meta.url)),
    // Always, whether there are traces or not: what a workflow does must not depend on where it runs.
    workflowInterceptorModules: [fileURLToPath(new URL(`./workflow-tracing.${extension}`, import.meta.url))],
    logger: { log() {}, trace() {}, debug() {}, info() {}, warn: console.warn, error: console.error },
  });
}
