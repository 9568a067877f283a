import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../../bin/millwright.js', import.meta.url));

export interface CommandOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of `millwright` to its end, with this environment and nothing of the caller's but PATH. */
export function runMillwright(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandOutcome> {
  // A home of nobody's: no kubeconfig and no profiles lie there.
  const environment = { PATH: process.env['PATH'], HOME: '/nonexistent', NODE_NO_WARNINGS: '1', ...env };
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...args], { env: environment, timeout: 60_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, stdout, stderr });
    });
  });
}
