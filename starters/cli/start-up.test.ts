import { expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const BIN = fileURLToPath(new URL('../../bin/millwright.js', import.meta.url));

/** Code that prints on stderr, one a line, where each module comes from that is loaded after it. */
const TELL_MODULES = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module';
import { writeSync } from 'node:fs';
registerHooks({ load(url, context, next) { writeSync(2, url + '\\n'); return next(url, context); } });
`)}`;

/** The packages of node_modules that a command loads. */
async function packagesOf(...args: readonly string[]): Promise<string[]> {
  const { stderr } = await run(process.execPath, ['--import', TELL_MODULES, BIN, ...args]);
  const names = [...stderr.matchAll(/node_modules\/((?:@[^/]+\/)?[^/\n]+)/g)].map(([, name]) => name ?? '');
  return [...new Set(names)].sort();
}

test.each([[['--help']], [['machine', '--help']], [['help', 'worker']], [['install', '--help']]])(
  '`millwright %s` loads no package but the parser of the command line',
  async (args) => {
    expect(await packagesOf(...args)).toEqual(['commander']);
  },
  30_000,
);

test('commands and flags are completed without a package that talks to a cluster', async () => {
  expect(await packagesOf('complete', '--', 'machine', 'ex')).toEqual(['@bomb.sh/tab', 'commander']);
}, 30_000);

test('`millwright --help` takes less than 600 ms of CPU', async () => {
  const best = await leastCpu(BIN, '--help');
  // 120 ms on a quick machine, 360 ms on the slowest that it ran on. That no heavy package is loaded is told above.
  expect(best).toBeGreaterThan(0);
  expect(best).toBeLessThan(600);
}, 60_000);

/** Least CPU that Node takes with these arguments in some tries, in milliseconds. */
async function leastCpu(...args: readonly string[]): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 5; tries += 1) {
    const before = cpuOfChildren();
    await run(process.execPath, [...args]);
    least = Math.min(least, cpuOfChildren() - before);
  }
  return least;
}

/** CPU that ended children of this process have used, in milliseconds; the ticks of /proc are 10 ms long. */
function cpuOfChildren(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) * 10;
}
