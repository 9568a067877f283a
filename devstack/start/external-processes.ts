import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setLogAside } from '../stack/logs.ts';
import { freePort } from '../stack/ports.ts';
import { processIdentity } from '../stack/process-identity.ts';
import { millwrightProgram } from '../stack/processes/millwright.ts';
import { answersOk } from '../stack/readiness.ts';
import { stackFiles, stopCommand, type StackFiles } from '../stack/stack-files.ts';
import type { UnexpectedExit } from '../stack/stack-options.ts';
import { isAlive, readSupervisorRecord, removeRecords, writeSupervisorRecord } from '../stack/stack-record.ts';
import { SupervisedProcess } from '../stack/supervised-process.ts';

export interface ExternalProcessesOptions {
  /** Folder of logs and of the record that `npm stop` goes by. */
  readonly root: string;
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly onUnexpectedExit: (exit: UnexpectedExit) => void;
}

/** Watcher and worker of a cluster that is not ours. Nothing else is started, and nothing of the cluster is ended. */
export class ExternalProcesses {
  readonly #options: ExternalProcessesOptions;
  readonly #files: StackFiles;
  readonly #processes: SupervisedProcess[] = [];
  #isComplete = false;

  constructor(options: ExternalProcessesOptions) {
    this.#options = options;
    this.#files = stackFiles(options.root, '');
  }

  /** Folder. */
  get logs(): string {
    return this.#files.logs;
  }

  /** Makes the folder. Refuses where those of an earlier start run. */
  async prepare(): Promise<void> {
    const running = readSupervisorRecord(this.#files)?.processes.filter(isAlive) ?? [];
    if (running.length > 0) {
      const names = running.map(({ name, pid }) => `${name} (pid ${pid})`).join(', ');
      const { root } = this.#files;
      throw new Error(`Those of an earlier start run: ${names}; ${stopCommand(root)} ends them.`);
    }
    await mkdir(this.logs, { recursive: true, mode: 0o700 });
  }

  /** Resolves when it is ready: it has reached both the cluster and Temporal. */
  async start(name: 'watcher' | 'worker', flags: readonly string[], signal: AbortSignal): Promise<void> {
    const port = await freePort();
    const log = join(this.logs, `${name}.log`);
    setLogAside(log);
    const spec = {
      name,
      command: process.execPath,
      args: [millwrightProgram, name, `--health-port=${port}`, ...flags],
      env: this.#options.env,
      isReady: () => answersOk({ url: `http://127.0.0.1:${port}/readyz` }),
      readyTimeoutMs: 120_000,
      stopGraceMs: 15_000,
    };
    const { onUnexpectedExit } = this.#options;
    const supervised = new SupervisedProcess(spec, log, { onSpawn: () => this.#record(), onUnexpectedExit });
    this.#processes.push(supervised);
    await supervised.start(signal);
  }

  complete(): void {
    this.#isComplete = true;
    this.#record();
  }

  /** Leaves them running and lets this program end. */
  release(): void {
    for (const supervised of this.#processes) supervised.release();
  }

  async stop(): Promise<void> {
    if (this.#processes.length === 0) return;
    await Promise.all(this.#processes.map((supervised) => supervised.stop()));
    removeRecords(this.#files);
  }

  #record(): void {
    writeSupervisorRecord(this.#files, {
      supervisor: { pid: process.pid, identity: processIdentity(process.pid) ?? '' },
      processes: this.#processes.flatMap(({ name, pid, identity, log }) =>
        pid === undefined || identity === undefined ? [] : [{ name, pid, identity, log }],
      ),
      complete: this.#isComplete,
    });
  }
}
