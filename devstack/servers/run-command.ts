import { spawn } from 'node:child_process';
import { given } from '../../providers/given.ts';

export interface CommandResult {
  readonly code: number | null;
  /** Standard output and standard error, interleaved as they came; the last 64 KiB. */
  readonly output: string;
  /** Standard output alone. */
  readonly stdout: string;
}

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Milliseconds after which it is killed. @default none */
  readonly timeoutMs?: number;
  /** Kills it. @default never */
  readonly signal?: AbortSignal;
  /** Called with every line of standard error. */
  readonly onErrorLine?: (line: string) => void;
}

const KEPT_OUTPUT = 64 * 1024;

/** Runs a program to its end. Rejects only where it cannot be started at all, or was given up. */
export function runCommand(
  command: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...given({ cwd: options.cwd, env: options.env, signal: options.signal }),
      ...(options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs, killSignal: 'SIGKILL' }),
    });
    let output = '';
    let stdout = '';
    let partial = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout = (stdout + text).slice(-KEPT_OUTPUT);
      output = (output + text).slice(-KEPT_OUTPUT);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-KEPT_OUTPUT);
      const lines = (partial + text).split('\n');
      partial = lines.pop() ?? '';
      for (const line of lines) options.onErrorLine?.(line);
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output, stdout }));
  });
}
