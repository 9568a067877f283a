import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const TSC = join(import.meta.dirname, '..', '..', 'node_modules', 'typescript', 'bin', 'tsc');
/** That a change leaves something unused is no reason to leave it out. */
const LENIENT = { noUnusedLocals: false, noUnusedParameters: false, allowUnreachableCode: true };

/** A copy of the repository, so that what is tried does not change while somebody edits. */
export class RepositoryCopy {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'millwright-mutants-')));

  /** @param root the repository */
  constructor(root: string) {
    const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
    const files = listed.toString().split('\0');
    for (const file of files.filter((name) => name !== '' && name !== 'node_modules')) {
      mkdirSync(dirname(join(this.folder, file)), { recursive: true });
      cpSync(join(root, file), join(this.folder, file), { recursive: true, verbatimSymlinks: true });
    }
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'));
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  /** Which of these contents of files the compiler takes. */
  compiles(contents: readonly { readonly file: string; readonly source: string }[]): readonly boolean[] {
    const names = contents.map(({ file }, i) => file.replace(/\.ts$/, `.mutant-${i}.ts`));
    for (const [i, { source }] of contents.entries()) writeFileSync(join(this.folder, names[i] ?? ''), source);
    const config = { extends: './tsconfig.json', include: [], files: names, compilerOptions: LENIENT };
    writeFileSync(join(this.folder, 'tsconfig.mutants.json'), JSON.stringify(config));
    const { stdout } = spawnSync(process.execPath, [TSC, '-p', 'tsconfig.mutants.json', '--pretty', 'false'], {
      cwd: this.folder,
      encoding: 'utf8',
      maxBuffer: Infinity,
    });
    for (const name of names) rmSync(join(this.folder, name));
    const refused = new Set(stdout.split('\n').map((line) => /^(.*?\.ts)\(\d+,\d+\): error/.exec(line)?.[1]));
    return names.map((name) => !refused.has(name));
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
