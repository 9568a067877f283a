import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { chromium, type Browser } from 'playwright-core';
import { runCommand } from '../../../devstack/servers/run-command.ts';
import { addToCache, cachedPath, isCached } from '../../../devstack/servers/server-cache.ts';
import { messageOf } from '../../../providers/message-of.ts';

/** There is no Chromium that runs here. */
export class ChromiumMissing extends Error {
  override readonly name = 'ChromiumMissing';
}

interface ChromiumProgram {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Names of Chromium on PATH, the first that is there is taken. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'] as const;

/** Quiet, headless, and without a name service: no address but this computer's own can be reached. */
const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/** Starts Chromium: MILLWRIGHT_CHROMIUM_BIN, else from PATH, else the one of npm's `@sparticuz/chromium`. */
export async function startChromium(): Promise<Browser> {
  const { path, env } = await findChromium();
  try {
    return await chromium.launch({
      executablePath: path,
      args: ARGUMENTS,
      env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...env },
    });
  } catch (error) {
    const came = messageOf(error);
    throw new ChromiumMissing(
      `starting ${path} failed: ${came}\nInstall Chromium (${NAMES.join(', ')} on PATH), or name one in MILLWRIGHT_CHROMIUM_BIN.`,
      { cause: error },
    );
  }
}

async function findChromium(): Promise<ChromiumProgram> {
  const named = process.env['MILLWRIGHT_CHROMIUM_BIN'];
  if (named !== undefined && named !== '') return { path: named, env: {} };
  const onPath = (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
  return onPath === undefined ? packagedChromium() : { path: onPath, env: {} };
}

/** The package holds what Chromium needs beside a bare Linux: shared libraries, and a font. */
const ARCHIVES = ['al2023.tar', 'fonts.tar', 'swiftshader.tar'] as const;

async function packagedChromium(): Promise<ChromiumProgram> {
  const root = dirname(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')));
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  const folder = cachedPath('chromium', version, 'npm', { os: platform(), arch: arch() });
  if (!isCached(folder)) await addToCache(folder, (temporary) => unpack(join(root, 'bin'), temporary, folder));
  return {
    path: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: join(folder, 'lib'), FONTCONFIG_PATH: folder },
  };
}

/** @param place where it will lie: the font configuration has to name it */
async function unpack(from: string, to: string, place: string): Promise<boolean> {
  await mkdir(to, { recursive: true });
  const program = join(to, 'chromium');
  await decompress(join(from, 'chromium.br'), program);
  await chmod(program, 0o755);
  for (const archive of ARCHIVES) {
    const file = join(to, archive);
    await decompress(join(from, `${archive}.br`), file);
    const { code, output } = await runCommand('tar', ['-xf', file, '-C', to]);
    if (code !== 0) throw new ChromiumMissing(`unpacking ${archive} of @sparticuz/chromium failed: ${output.trim()}`);
    await rm(file);
  }
  await writeFile(join(to, 'fonts.conf'), fontConfiguration(place));
  return true;
}

async function decompress(from: string, to: string): Promise<void> {
  await pipeline(createReadStream(from), createBrotliDecompress(), createWriteStream(to));
}

/** The package's own names the folders of another system; without any font Chromium ends at the first letter. */
function fontConfiguration(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
</fontconfig>
`;
}
