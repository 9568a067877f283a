import { execFileSync, fork, spawnSync, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** What the process that runs tests is asked. */
export interface Ask {
  readonly tests: readonly string[];
}

/** What it answers. */
export interface Answer {
  readonly passed: boolean;
  /** It has no more memory for another run. */
  readonly isSpent: boolean;
}

const JEST_PROCESS = join(import.meta.dirname, 'jest-process.ts');

const TSC = join(import.meta.dirname, '..', '..', 'node_modules', 'typescript', 'bin', 'tsc');
const MOST_SAID = 2000;
/** That a change leaves something unused is no reason to leave it out. */
const LENIENT = { noUnusedLocals: false, noUnusedParameters: false, allowUnreachableCode: true };

/** A copy of the repository whose files are changed one at a time, and a process that runs its tests. */
export class TestBench {
  readonly #folder = mkdtempSync(join(tmpdir(), 'millwright-mutants-'));
  #child: ChildProcess | undefined;
  /** The end of what its tests wrote; shown only where the process itself fails. */
  #said = '';

  /** @param root the repository */
  constructor(root: string) {
    const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
    const files = listed.toString().split('\0');
    for (const file of files.filter((name) => name !== '' && name !== 'node_modules')) {
      mkdirSync(dirname(join(this.#folder, file)), { recursive: true });
      cpSync(join(root, file), join(this.#folder, file), { recursive: true, verbatimSymlinks: true });
    }
    symlinkSync(join(root, 'node_modules'), join(this.#folder, 'node_modules'));
  }

  /** Whether the tests pass with this content of the file. Tests that are not done in time count as failed. */
  async passes(file: string, source: string, tests: readonly string[], limitMs: number): Promise<boolean> {
    const path = join(this.#folder, file);
    const original = readFileSync(path);
    writeFileSync(path, source);
    try {
      return await this.#run(tests, limitMs);
    } finally {
      writeFileSync(path, original);
    }
  }

  /** Which of these contents of files the compiler takes. */
  compiles(contents: readonly { readonly file: string; readonly source: string }[]): readonly boolean[] {
    const names = contents.map(({ file }, i) => file.replace(/\.ts$/, `.mutant-${i}.ts`));
    for (const [i, { source }] of contents.entries()) writeFileSync(join(this.#folder, names[i] ?? ''), source);
    const config = { extends: './tsconfig.json', include: [], files: names, compilerOptions: LENIENT };
    writeFileSync(join(this.#folder, 'tsconfig.mutants.json'), JSON.stringify(config));
    const { stdout } = spawnSync(process.execPath, [TSC, '-p', 'tsconfig.mutants.json', '--pretty', 'false'], {
      cwd: this.#folder,
      encoding: 'utf8',
      maxBuffer: Infinity,
    });
    for (const name of names) rmSync(join(this.#folder, name));
    const refused = new Set(stdout.split('\n').map((line) => /^(.*?\.ts)\(\d+,\d+\): error/.exec(line)?.[1]));
    return names.map((name) => !refused.has(name));
  }

  close(): void {
    this.#child?.removeAllListeners().kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #run(tests: readonly string[], limitMs: number): Promise<boolean> {
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
      const deadline = setTimeout(() => done(false, true), limitMs);
      child.once('message', ({ passed, isSpent }: Answer) => done(passed, isSpent));
      child.once('exit', (code) =>
        done(new Error(`the process that runs the tests ended with ${code}: ${this.#said}`), true),
      );
      child.send({ tests } satisfies Ask);
    });
  }

  #start(): ChildProcess {
    const child = fork(JEST_PROCESS, {
      cwd: this.#folder,
      execArgv: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#said = '';
    child.stderr?.on('data', (said: Buffer) => {
      this.#said = `${this.#said}${said.toString()}`.slice(-MOST_SAID);
    });
    return child;
  }
}
