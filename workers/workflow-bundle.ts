import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundleWorkflowCode, type BundleOptions, type WorkflowBundleOption } from '@temporalio/worker';
import { given } from '../providers/given.ts';

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

/**
 * Bundles the workflow code from its sources.
 *
 * @param beside URL of this file, or of a copy of it that stands among other sources
 */
export function bundleWorkflows(beside: string = import.meta.url): Promise<{ code: string }> {
  const extension = beside.endsWith('.ts') ? 'ts' : 'js';
  const fileOf = (module: string): string => fileURLToPath(new URL(`${module}.${extension}`, beside));
  const workflowsPath = fileOf('../workflows/index');
  // Always, whether there are traces or not: what a workflow does must not depend on where it runs.
  const workflowInterceptorModules = [fileOf('./workflow-tracing'), fileOf('../workflows/foreign-cluster')];
  return bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules,
    // Loaded once for all workflows of a thread, which then need neither the time nor the memory: no module keeps a state.
    preloadModules: [workflowsPath, ...workflowInterceptorModules],
    webpackConfigHook: forThisNode,
    logger: { log() {}, trace() {}, debug() {}, info() {}, warn: console.warn, error: console.error },
  });
}

type WebpackConfig = Parameters<NonNullable<BundleOptions['webpackConfigHook']>>[0];

/**
 * The SDK has sources lowered for Nodes that know no spread and no fields of classes, and each module look up what it imports each
 * time it uses it. Ours run in the Node that they are written for, and their modules share one scope.
 */
function forThisNode(config: WebpackConfig): WebpackConfig {
  const rules = config.module?.rules?.map((rule) => {
    if (typeof rule !== 'object' || rule === null || typeof rule.use !== 'object' || Array.isArray(rule.use))
      return rule;
    const { loader, options } = rule.use as { loader: string; options: { jsc: object } };
    return { ...rule, use: { loader, options: { ...options, jsc: { ...options.jsc, target: 'es2024' } } } };
  });
  return {
    ...config,
    // A trace names files and lines. The sources themselves, of which the SDK would show parts, are half of the bundle.
    devtool: 'inline-nosources-source-map',
    module: { ...config.module, ...given({ rules }) },
    optimization: { ...config.optimization, concatenateModules: true },
  };
}
