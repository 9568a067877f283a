import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { childEnvironment } from '../environment.ts';
import { lastLogLines } from './logs.ts';
import { processIdentity } from './process-identity.ts';
import type { UnexpectedExit } from './stack-options.ts';

/** How to run one server; each file under `processes/` makes one. */
export interface ProcessSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the environment. @default none */
  readonly env?: Readonly<Record<string, string>>;
  /** True once it serves. Asked every 100 ms; must not reject. */
  readonly isReady: () => Promise<boolean>;
  /** How long it may take until it serves, in milliseconds. @default 60000 */
  readonly readyTimeoutMs?: number;
  /** How long it may take to end after SIGTERM before it is killed, in milliseconds. @default 10000 */
  readonly stopGraceMs?: number;
}

export interface SupervisedProcessHooks {
  /** Called right after each spawn, before anything is awaited. */
  readonly onSpawn: (process: SupervisedProcess) => void;
  readonly onUnexpectedExit: (exit: UnexpectedExit) => void;
}

/** A server did not come up, or ended by itself. */
export class ServerFailed extends Error {
  override readonly name = 'ServerFailed';
  readonly server: string;
  readonly log: string;

  constructor(server: string, what: string, log: string) {
    const lines = lastLogLines(log);
    super(`${server} ${what}.\n${lines ? `Its last lines:\n${lines}\n` : 'It logged nothing.\n'}Its log: ${log}`);
    this.server = server;
    this.log = log;
  }
}

const READY_POLL_MS = 100;

/** One server: started in a session of its own, so that Ctrl-C in the terminal does not reach it before we do. */
export class SupervisedProcess {
  readonly spec: ProcessSpec;
  readonly log: string;
  readonly #hooks: SupervisedProcessHooks;
  #child: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();
  #exitExpected = true;
  /** See {@link processIdentity}; of the newest start. */
  identity: string | undefined;

  constructor(spec: ProcessSpec, log: string, hooks: SupervisedProcessHooks) {
    this.spec = spec;
    this.log = log;
    this.#hooks = hooks;
  }

  get name(): string {
    return this.spec.name;
  }

  /** Undefined before the first start. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get isRunning(): boolean {
    const child = this.#child;
    return child !== undefined && child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  }

  /** Starts it and waits until it serves; where it runs already, only waits. Rejects with {@link ServerFailed}. */
  async start(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (!this.isRunning) this.#spawn();
    const timeoutMs = this.spec.readyTimeoutMs ?? 60_000;
    const deadline = Date.now() + timeoutMs;
    while (!(await this.spec.isReady())) {
      if (!this.isRunning) throw new ServerFailed(this.name, `ended while it started (${this.#exitText()})`, this.log);
      signal?.throwIfAborted();
      if (Date.now() > deadline) {
        throw new ServerFailed(this.name, `was not ready after ${timeoutMs / 1000} s`, this.log);
      }
      await sleep(READY_POLL_MS);
    }
    // Whoever answered may be a stranger on the same port.
    if (!this.isRunning) throw new ServerFailed(this.name, `ended while it started (${this.#exitText()})`, this.log);
    this.#exitExpected = false;
  }

  /** Asks it to end, waits, kills it where it does not. Harmless where it does not run. */
  async stop(): Promise<void> {
    this.#exitExpected = true;
    if (!this.isRunning) return;
    this.#send('SIGTERM');
    this.#send('SIGCONT'); // One that a test stopped would not see the SIGTERM.
    const grace = new AbortController();
    await Promise.race([
      this.#exited.finally(() => grace.abort()),
      sleep(this.spec.stopGraceMs ?? 10_000, undefined, { signal: grace.signal }).catch(() => {}),
    ]);
    if (this.isRunning) await this.kill('SIGKILL');
  }

  /** Sends a signal. Waits for the end where the signal is one that ends it (not STOP, CONT, USR…). */
  async kill(signal: NodeJS.Signals): Promise<void> {
    const ends = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGABRT', 'SIGHUP'].includes(signal);
    if (ends) this.#exitExpected = true;
    this.#send(signal);
    if (ends && this.isRunning) await this.#exited;
  }

  /** Lets this program end while the server runs on. */
  release(): void {
    this.#child?.unref();
  }

  #spawn(): void {
    const output = openSync(this.log, 'a');
    const child = spawn(this.spec.command, this.spec.args, {
      detached: true,
      stdio: ['ignore', output, output],
      env: childEnvironment(this.spec.env),
    });
    closeSync(output);
    this.#child = child;
    this.#exitExpected = true; // Until it is ready, start() tells of its end.
    this.identity = child.pid === undefined ? undefined : processIdentity(child.pid);
    this.#exited = new Promise((resolve) => {
      child.once('error', (error) => {
        if (child.pid === undefined) this.#spawnError = error;
        resolve();
      });
      child.once('exit', (code, signal) => {
        resolve();
        if (this.#exitExpected || this.#child !== child) return;
        this.#hooks.onUnexpectedExit({ name: this.name, code, signal, log: this.log });
      });
    });
    this.#hooks.onSpawn(this);
  }

  #spawnError: Error | undefined;

  #exitText(): string {
    if (this.#spawnError !== undefined) return `${this.spec.command}: ${this.#spawnError.message}`;
    const child = this.#child;
    return child?.signalCode ? `by ${child.signalCode}` : `exit code ${child?.exitCode}`;
  }

  #send(signal: NodeJS.Signals): void {
    if (this.isRunning) this.#child?.kill(signal);
  }
}
