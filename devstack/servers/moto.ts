import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentProgress, type Progress } from '../progress.ts';
import { thisPlatform } from './catalog.ts';
import { binaryVariable } from './go-build.ts';
import { runCommand } from './run-command.ts';
import { addToCache, cachedPath, isCached } from './server-cache.ts';

const VERSION = '5.2.5';
/** All packages with their versions. */
const REQUIREMENTS = join(import.meta.dirname, 'moto', 'requirements.txt');
/** What the installation took on 2 slow cores, in seconds. */
const INSTALL_SECONDS = 15;

/** moto could not be had. */
export class MotoMissing extends Error {
  override readonly name = 'MotoMissing';
}

/** How to run moto: a command and the arguments that come before moto's own. */
export interface MotoCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * moto's server: the program named by MILLWRIGHT_MOTO_BIN (a `moto_server`), else a virtual environment in the cache,
 * filled from PyPI where there is none yet (140 MB, once per user and Python version).
 */
export async function resolveMoto(
  progress: Progress = silentProgress,
  signal: AbortSignal = new AbortController().signal,
): Promise<MotoCommand> {
  const named = process.env[binaryVariable('moto')];
  if (named) return { command: named, args: [] };
  const path = cachedPath('moto', VERSION, await pythonVersion(signal), thisPlatform());
  if (!isCached(path)) await install(path, progress, signal);
  // By module: the scripts of a virtual environment name the folder it was made in, and this one has moved.
  return { command: join(path, 'bin', 'python'), args: ['-m', 'moto.server'] };
}

async function install(path: string, progress: Progress, signal: AbortSignal): Promise<void> {
  const task = progress.task(`Installing moto ${VERSION} from PyPI`, INSTALL_SECONDS);
  try {
    await addToCache(path, async (folder) => {
      task.detail('making a virtual environment');
      await run('python3', ['-m', 'venv', folder], signal);
      const python = join(folder, 'bin', 'python');
      const quiet = ['--quiet', '--disable-pip-version-check', '--no-input'];
      task.detail('installing its packages');
      await run(python, ['-m', 'pip', 'install', ...quiet, '--requirement', REQUIREMENTS], signal);
      task.detail('trying it');
      await run(python, ['-c', 'import flask, moto.ec2, moto.elb, moto.elbv2, moto.server'], signal);
      return true;
    });
    task.done();
  } catch (error) {
    // Another program may have been faster: a folder cannot be put in the place of one that is there.
    if (isCached(path)) return task.done();
    task.failed();
    throw error;
  }
}

/** A virtual environment belongs to one minor version of Python. */
async function pythonVersion(signal: AbortSignal): Promise<string> {
  const check = 'import sys; print("python%d.%d" % sys.version_info[:2])';
  return (await run('python3', ['-c', check], signal)).trim();
}

async function run(command: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  const { code, output, stdout } = await runCommand(command, args, { cwd: tmpdir(), signal });
  if (code === 0) return stdout;
  throw new MotoMissing(
    `${command} ${args.join(' ')} failed with exit code ${code}:\n${output.trim()}\n` +
      `Mend that, or name a moto_server in ${binaryVariable('moto')}.`,
  );
}
