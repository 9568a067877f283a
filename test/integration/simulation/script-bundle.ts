import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';

/** Bundles the workflow of scripts with what the product's bundle puts around its workflows. */
export async function writeScriptBundle(file: string): Promise<void> {
  const workflowsPath = pathOf('./script-workflow.ts');
  const workflowInterceptorModules = [
    pathOf('../../../workers/workflow-tracing.ts'),
    pathOf('../../../workflows/foreign-cluster.ts'),
  ];
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules,
    preloadModules: [workflowsPath, ...workflowInterceptorModules],
    logger: { log() {}, trace() {}, debug() {}, info() {}, warn: console.warn, error: console.error },
  });
  await writeFile(file, code);
}

function pathOf(module: string): string {
  return fileURLToPath(new URL(module, import.meta.url));
}
