/** The simulated cloud in a process of its own, for tests that kill it. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface CloudProcessOptions {
  readonly stateDir: string;
  /** Port on 127.0.0.1; 0: a free one. @default 0 */
  readonly port?: number;
}

export interface CloudProcess {
  /** `http://127.0.0.1:<port>` */
  readonly endpoint: string;
  readonly port: number;
  readonly pid: number;
  /** Ends it with SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
}

/** Resolves when it listens; rejects with what it printed where it ends before. */
export async function startCloudProcess({ stateDir, port = 0 }: CloudProcessOptions): Promise<CloudProcess> {
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  const child = spawn(process.execPath, [main, '--port', String(port), '--state-dir', stateDir], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'] },
  });
  const gone = once(child, 'exit');
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const endpoint = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      const url = /listening on (http:\/\/\S+?),/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the simulated cloud ended with ${code ?? 'a signal'}: ${errors}`)));
  });
  if (child.pid === undefined) throw new Error('the simulated cloud has no pid');
  return {
    endpoint,
    port: Number(new URL(endpoint).port),
    pid: child.pid,
    kill: async () => {
      child.kill('SIGKILL');
      await gone;
    },
  };
}
