import { join } from 'node:path';
import { childEnvironment } from '../environment.ts';
import { repositoryFolder } from '../repository-folder.ts';
import { runCommand } from '../servers/run-command.ts';
import { millwrightEnvironment, millwrightProgram } from './processes/millwright.ts';
import type { StackContext } from './processes/stack-context.ts';

/** `millwright install` did not work. */
export class InstallFailed extends Error {
  override readonly name = 'InstallFailed';
}

const INSTALL_TIMEOUT_MS = 120_000;

/**
 * Runs `millwright install` as the administrator: resource definitions, admission policies, search attributes. Besides, makes the namespace
 * of the Machine API, so that its own words hold here.
 */
export async function installMillwright(context: StackContext): Promise<void> {
  const { kubeconfig, bin } = context.files;
  const env = childEnvironment(millwrightEnvironment(context, kubeconfig));
  await run(context, 'millwright install', process.execPath, [millwrightProgram, 'install'], env);
  const file = join(repositoryFolder, 'devstack', 'stack', 'machine-api-namespace.yaml');
  const args = ['--kubeconfig', kubeconfig, 'apply', '-f', file];
  await run(context, `kubectl apply -f ${file}`, join(bin, 'kubectl'), args, childEnvironment());
}

async function run(
  { options: { signal } }: StackContext,
  what: string,
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const { code, output } = await runCommand(program, args, { env, timeoutMs: INSTALL_TIMEOUT_MS, signal });
  if (code === 0) return;
  signal.throwIfAborted();
  const how = code === null ? `was killed after ${INSTALL_TIMEOUT_MS / 1000} s` : `failed with exit code ${code}`;
  throw new InstallFailed(`${what} ${how}:\n${output.trimEnd()}`);
}
