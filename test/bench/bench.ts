/**
 * How fast machines come up and go, what each costs, and what they cost while nothing happens: brings up an embedded stack
 * of its own, scales a MachineSet from nothing to N and, by the scenario, leaves it there (`up`), takes it back to nothing
 * (`down`), the same with pods on its Nodes (`delete`) or with such that may not leave, while another set comes up (`blocked`), has some of its
 * Nodes turn not Ready (`heal`), or most of them seem to be gone (`storm`), rolls it to another template (`roll`), or leaves it alone for some minutes (`idle`). Counts from outside: a watch, the cloud's ledger, the API server's
 * audit log, the histories and /proc.
 *
 *   npm run bench -- --help
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBriefStack } from '../brief-stack.ts';
import { BenchOptionsError, readBenchOptions, USAGE, type BenchOptions } from './bench-options.ts';
import { measureBlocked } from './measure-blocked.ts';
import { measureDelete } from './measure-delete.ts';
import { measureDown } from './measure-down.ts';
import { measureHeal } from './measure-heal.ts';
import { measureIdle } from './measure-idle.ts';
import { measureRoll } from './measure-roll.ts';
import { measureStorm } from './measure-storm.ts';
import { measureUp } from './measure-up.ts';
import { openBench } from './open-bench.ts';
import { printBlocked, printDelete, printDown, printHeal, printIdle, printRoll, printStorm, printUp } from './print.ts';
import { given } from '../../providers/given.ts';

/** Kubelets beat every third of it. Longer than by default, so that what is measured is not the beats of hundreds of them. */
const NODE_GRACE_SECONDS = 60;

const options = readOptions();
const { machines, pods, failing, terminated, minutes, scenario, provider } = options;

const stateDir = await mkdtemp(join(tmpdir(), 'millwright-bench-'));
const stack = await startBriefStack({
  stateDir,
  fresh: true,
  provider,
  withCloudLimits: options.withLimits,
  withScheduler: false,
  nodeGraceSeconds: NODE_GRACE_SECONDS,
});
let isHeld = true;
try {
  const bench = await openBench(stack, options);
  const up = await measureUp(bench);
  printUp(up);
  const down = scenario === 'down' ? await measureDown(bench) : undefined;
  if (down !== undefined) printDown(down);
  const deleted = scenario === 'delete' ? await measureDelete(bench, pods) : undefined;
  if (deleted !== undefined) isHeld = printDelete(deleted);
  const blocked = scenario === 'blocked' ? await measureBlocked(bench) : undefined;
  if (blocked !== undefined) isHeld = printBlocked(blocked);
  const healed = scenario === 'heal' ? await measureHeal(bench, options) : undefined;
  if (healed !== undefined) isHeld = printHeal(healed);
  const storm = scenario === 'storm' ? await measureStorm(bench, failing, terminated) : undefined;
  if (storm !== undefined) isHeld = printStorm(storm);
  const rolled = scenario === 'roll' ? await measureRoll(bench, options.surge) : undefined;
  if (rolled !== undefined) isHeld = printRoll(rolled);
  const idle = scenario === 'idle' ? await measureIdle(bench, minutes) : undefined;
  if (idle !== undefined) isHeld = printIdle(idle);
  await bench.close();
  const { perMachine, processes, writes, calls, throttled, ...times } = up;
  const measured = {
    machines,
    provider,
    limits: options.withLimits,
    withoutDrain: options.withoutDrain,
    up: times,
    ...given({ down, deleted, blocked, healed, storm, rolled, idle }),
    perMachine,
    writes,
    calls,
    throttled,
    processes,
  };
  if (options.json !== undefined) await writeFile(options.json, `${JSON.stringify(measured, null, 2)}\n`);
} finally {
  await stack.stop();
  await rm(stateDir, { recursive: true, force: true });
}
process.exit(isHeld ? 0 : 1);

/** Of the command line; ends the process where that asks for help, or is wrong. */
function readOptions(): BenchOptions {
  try {
    const read = readBenchOptions(process.argv.slice(2));
    if (read !== 'help') return read;
    console.log(USAGE);
    return process.exit(0);
  } catch (error) {
    if (!(error instanceof BenchOptionsError)) throw error;
    console.error(`${error.message}\n\n${USAGE}`);
    return process.exit(2);
  }
}
