import { execFile, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { getStack } from '../stack.ts';

const PROGRAM = fileURLToPath(new URL('../../../bin/millwright.js', import.meta.url));

export interface CliAnswer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `millwright` as the administrator of the shared stack; its output is no terminal. */
export function runCli(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CliAnswer> {
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...args], { env: cliEnvironment(env) }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

/** A command that goes on while the test does. */
export interface RunningCli {
  /** What it has printed on stdout so far. */
  readonly stdout: () => string;
  /** As Ctrl-C does. */
  readonly interrupt: () => void;
  readonly ended: Promise<CliAnswer>;
}

/** As {@link runCli}, and answers at once. */
export function startCli(...args: readonly string[]): RunningCli {
  let child: ChildProcess | undefined;
  let printed = '';
  const ended = new Promise<CliAnswer>((resolve) => {
    child = execFile(process.execPath, [PROGRAM, ...args], { env: cliEnvironment() }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
    child.stdout?.on('data', (text: string) => (printed += text));
  });
  return { stdout: () => printed, interrupt: () => child?.kill('SIGINT'), ended };
}

/** The environment that {@link runCli} runs in. */
export function cliEnvironment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const { kubeconfig, temporal, compileCache } = getStack();
  return {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    NODE_COMPILE_CACHE: compileCache,
    KUBECONFIG: kubeconfig,
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: temporal.namespace,
    ...more,
  };
}

/** The command and its arguments, for what runs it by itself. */
export function cliCommand(...args: readonly string[]): string[] {
  return [process.execPath, PROGRAM, ...args];
}
