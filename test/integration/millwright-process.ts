import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../devstack/stack/ports.ts';
import { getStack } from './stack.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/millwright.js', import.meta.url));

/** A `millwright worker` or `millwright watcher` of a test. */
export interface MillwrightProcess {
  readonly pid: number;
  readonly log: string;
  /** Where it serves health and metrics. */
  readonly url: string;
  /** Resolves when it answers ready; rejects when it ends before. */
  readonly ready: Promise<void>;
  /** Its exit code, or the signal that ended it. undefined: it runs. */
  ended(): number | NodeJS.Signals | undefined;
  /** Sends the signal and waits for its end. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

export interface ProcessOptions {
  /** Instead of the role's own kubeconfig, e.g. one that leads through a proxy. */
  readonly kubeconfig?: string;
  /** Instead of the shared cloud, e.g. a proxy before it. */
  readonly cloudEndpoint?: string;
  readonly temporalAddress?: string;
  /** More environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Path of another `millwright` than this repository's. */
  readonly program?: string;
}

/** Starts a worker or a watcher against the shared stack; its log is kept in the stack's folder. */
export async function startMillwright(
  role: 'worker' | 'watcher',
  options: ProcessOptions = {},
): Promise<MillwrightProcess> {
  const stack = getStack();
  const port = await freePort();
  const log = `${stack.stateDir}/logs/test-${role}-${randomUUID()}.log`;
  const output = openSync(log, 'ax');
  const child = spawn(
    process.execPath,
    [options.program ?? PROGRAM, role, '--health-port', String(port), ...(options.args ?? [])],
    {
      stdio: ['ignore', output, output],
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        TEMPORAL_CONFIG_FILE: '/dev/null',
        KUBECONFIG: options.kubeconfig ?? (role === 'worker' ? stack.workerKubeconfig : stack.watcherKubeconfig),
        TEMPORAL_ADDRESS: options.temporalAddress ?? stack.temporal.address,
        TEMPORAL_NAMESPACE: stack.temporal.namespace,
        MILLWRIGHT_SIMULATED_ENDPOINT: options.cloudEndpoint ?? stack.cloud.endpoint,
        MILLWRIGHT_WORKFLOW_BUNDLE: stack.workflowBundle,
        NODE_COMPILE_CACHE: stack.compileCache,
        ...options.env,
      },
    },
  );
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    pid: child.pid ?? 0,
    log,
    url: `http://127.0.0.1:${port}`,
    ready: untilReady(child, port, log),
    ended: () => child.exitCode ?? child.signalCode ?? undefined,
    async end(signal = 'SIGTERM') {
      child.kill(signal);
      await exited;
    },
  };
}

async function untilReady(child: ChildProcess, port: number, log: string): Promise<void> {
  for (let tries = 0; tries < 1800; tries += 1) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`it ended before it was ready; see ${log}`);
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    if (answer?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`it was not ready after 180 s; see ${log}`);
}
