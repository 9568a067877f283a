import { childEnvironment } from '../environment.ts';
import { runCommand } from '../servers/run-command.ts';
import { millwrightEnvironment, millwrightProgram } from './processes/millwright.ts';
import type { StackContext } from './processes/stack-context.ts';

/** `millwright install` did not work. */
export class InstallFailed extends Error {
  override readonly name = 'InstallFailed';
}

const INSTALL_TIMEOUT_MS = 120_000;

/** Runs `millwright install` as the administrator: resource definitions, admission policies, search attributes. */
export async function installMillwright(context: StackContext): Promise<void> {
  const { code, output } = await runCommand(process.execPath, [millwrightProgram, 'install'], {
    env: childEnvironment(millwrightEnvironment(context, context.files.kubeconfig)),
    timeoutMs: INSTALL_TIMEOUT_MS,
    signal: context.options.signal,
  });
  if (code === 0) return;
  context.options.signal.throwIfAborted();
  const how = code === null ? `was killed after ${INSTALL_TIMEOUT_MS / 1000} s` : `failed with exit code ${code}`;
  throw new InstallFailed(`millwright install ${how}:\n${output.trimEnd()}`);
}
