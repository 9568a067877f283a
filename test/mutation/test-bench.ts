import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

/** What the process that runs tests is asked. */
export interface Ask {
  /** The file whose content is this one. Paths are those in the folder. */
  readonly file: string;
  readonly source: string;
  readonly tests: readonly string[];
  /** How long they may take. */
  readonly limitMs: number;
}

/** What came of it. */
export type Outcome = 'passed' | 'failed' | 'timed out';

/** What it answers. */
export interface Answer {
  readonly outcome: Outcome;
  /** It has no more memory for another run. */
  readonly isSpent: boolean;
}

const TRIAL_PROCESS = join(import.meta.dirname, 'trial-process.ts');
/** Where not even the clock of the process goes on, it is ended this much later. */
const GRACE_MS = 500;
const MOST_SAID = 2000;

/** A process that runs the tests of a folder with one file changed, and another one when that is stuck. */
export class TestBench {
  readonly #folder: string;
  #child: ChildProcess | undefined;
  /** The end of what its tests wrote; shown only where the process itself fails. */
  #said = '';

  constructor(folder: string) {
    this.#folder = folder;
  }

  run(ask: Ask): Promise<Outcome> {
    const child = (this.#child ??= this.#start());
    return new Promise((resolve, reject) => {
      const done = (outcome: Outcome | Error, isSpent: boolean) => {
        clearTimeout(deadline);
        child.removeAllListeners();
        if (isSpent) {
          child.kill('SIGKILL');
          this.#child = undefined;
        }
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      };
      const deadline = setTimeout(() => done('timed out', true), ask.limitMs + GRACE_MS);
      child.once('message', ({ outcome, isSpent }: Answer) => done(outcome, isSpent));
      child.once('exit', (code) =>
        done(new Error(`the process that runs the tests ended with ${code}: ${this.#said}`), true),
      );
      child.send(ask);
    });
  }

  /** Its next run has a process that has loaded no module yet. */
  get isNew(): boolean {
    return this.#child === undefined;
  }

  close(): void {
    this.#child?.removeAllListeners().kill('SIGKILL');
  }

  #start(): ChildProcess {
    const child = fork(TRIAL_PROCESS, {
      cwd: this.#folder,
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#said = '';
    child.stderr?.on('data', (said: Buffer) => {
      this.#said = `${this.#said}${said.toString()}`.slice(-MOST_SAID);
    });
    return child;
  }
}
