/**
 * How fast machines come up and go, what each costs, and what they cost while nothing happens: brings up an embedded stack
 * of its own, scales a MachineSet from nothing to N and, by the scenario, leaves it there (`up`), takes it back to nothing
 * (`down`), the same with pods on its Nodes (`delete`) or with such that may not leave, while another set comes up (`blocked`), or leaves it
 * alone for some minutes (`idle`). Counts from outside: a watch, the cloud's ledger, the API server's
 * audit log, the histories and /proc.
 *
 *   npm run bench -- [--scenario up|down|delete|blocked|idle] [--machines 50] [--pods 10] [--provider simulated|aws] [--limits] [--minutes 10] [--json FILE]
 *
 * With `--limits` the cloud has the limits of calls that EC2 documents, and the worker keeps to them.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startStack } from '../../devstack/stack/stack.ts';
import { terminalProgress } from '../../devstack/start/terminal-progress.ts';
import { measureBlocked } from './measure-blocked.ts';
import { measureDelete } from './measure-delete.ts';
import { measureDown } from './measure-down.ts';
import { measureIdle } from './measure-idle.ts';
import { measureUp } from './measure-up.ts';
import { openBench } from './open-bench.ts';
import { printBlocked, printDelete, printDown, printIdle, printUp } from './print.ts';
import { given } from '../../providers/given.ts';

/** Kubelets beat every third of it. Longer than by default, so that what is measured is not the beats of hundreds of them. */
const NODE_GRACE_SECONDS = 60;
const SCENARIOS = ['up', 'down', 'delete', 'blocked', 'idle'] as const;
const PROVIDERS = ['simulated', 'aws'] as const;

const { values } = parseArgs({
  options: {
    scenario: { type: 'string', default: 'down' },
    machines: { type: 'string', default: '50' },
    pods: { type: 'string', default: '10' },
    provider: { type: 'string', default: 'simulated' },
    limits: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '10' },
    json: { type: 'string' },
  },
});
const machines = Number(values.machines);
const pods = Number(values.pods);
const minutes = Number(values.minutes);
const scenario = SCENARIOS.find((name) => name === values.scenario);
const provider = PROVIDERS.find((name) => name === values.provider);
const areCounts = Number.isInteger(machines) && machines > 0 && Number.isInteger(pods) && pods > 0;
if (scenario === undefined || provider === undefined || !areCounts || !(minutes > 0)) {
  console.error(
    'Usage: npm run bench -- [--scenario up|down|delete|blocked|idle] [--machines N] [--pods P] [--provider simulated|aws] [--limits] [--minutes M] [--json FILE]',
  );
  process.exit(2);
}

const stateDir = await mkdtemp(join(tmpdir(), 'millwright-bench-'));
const stack = await startStack({
  stateDir,
  fresh: true,
  provider,
  withCloudLimits: values.limits,
  withScheduler: false,
  nodeGraceSeconds: NODE_GRACE_SECONDS,
  progress: terminalProgress(),
});
const interrupted = () => void stack.stop().then(() => process.exit(130));
process.once('SIGINT', interrupted);
process.once('SIGTERM', interrupted);
let isHeld = true;
try {
  const bench = await openBench(stack, machines);
  const up = await measureUp(bench);
  printUp(up);
  const down = scenario === 'down' ? await measureDown(bench) : undefined;
  if (down !== undefined) printDown(down);
  const deleted = scenario === 'delete' ? await measureDelete(bench, pods) : undefined;
  if (deleted !== undefined) printDelete(deleted);
  const blocked = scenario === 'blocked' ? await measureBlocked(bench) : undefined;
  if (blocked !== undefined) printBlocked(blocked);
  const idle = scenario === 'idle' ? await measureIdle(bench, minutes) : undefined;
  if (idle !== undefined) isHeld = printIdle(idle);
  await bench.close();
  const { perMachine, processes, writes, calls, throttled, ...times } = up;
  const measured = {
    machines,
    provider,
    limits: values.limits,
    up: times,
    ...given({ down, deleted, blocked, idle }),
    perMachine,
    writes,
    calls,
    throttled,
    processes,
  };
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(measured, null, 2)}\n`);
} finally {
  await stack.stop();
  await rm(stateDir, { recursive: true, force: true });
}
process.exit(isHeld ? 0 : 1);
