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

/** What it answers. */
export interface Answer {
  readonly passed: boolean;
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

  /** Whether the tests pass. Tests that are not done in time count as failed. */
  passes(ask: Ask): Promise<boolean> {
    const child = (this.#child ??= this.#start());
    return new Promise((resolve, reject) => {
      const done = (passed: boolean | Error, isSpent: boolean) => {
        clearTimeout(deadline);
        child.removeAllListeners();
        if (isSpent) {
          child.kill('SIGKILL');
          this.#child = undefined;
        }
        if (passed instanceof Error) reject(passed);
        else resolve(passed);
      };
      const deadline = setTimeout(() => done(false, true), ask.limitMs + GRACE_MS);
      child.once('message', ({ passed, isSpent }: Answer) => done(passed, isSpent));
      child.once('exit', (code) =>
        done(new Error(`the process that runs the tests ended with ${code}: ${this.#said}`), true),
      );
      child.send(ask);
    });
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
