/**
 * How fast machines come up and go, and what each costs: brings up an embedded stack of its own, scales a MachineSet from
 * nothing to N and, with `--scenario down`, back to nothing, and counts from outside what it took.
 *
 *   npm run bench -- [--scenario up|down] [--machines 50] [--provider simulated|aws] [--json FILE]
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { startStack, type Stack } from '../../devstack/stack.ts';
import { terminalProgress } from '../../devstack/terminal-progress.ts';
import type { MachineObject } from '../../k8s/api/machine.ts';
import { createKubeClient } from '../../k8s/client.ts';
import { loadKubeConfig } from '../../k8s/kube-config.ts';
import { MACHINE_SETS, MACHINES, SECRETS } from '../../k8s/resources.ts';
import { workflowIdOf } from '../../workflows/ids.ts';
import { refOf } from '../../k8s/dialects/dialect.ts';
import { EC2_PROVIDER_SPEC } from '../integration/aws/ec2-provider-spec.ts';
import { machineSetManifest } from '../integration/lifecycle/manifests.ts';
import { until } from '../integration/until.ts';
import { isCounted, readWrites, tally } from './audit-log.ts';
import { cpuSeconds } from './cpu-seconds.ts';
import { wayToRunning } from './history.ts';
import { followMachines, percentile } from './machine-times.ts';
import { usageSince } from './process-usage.ts';

const NAMESPACE = 'default';
const SET = 'bench';
/** What the simulated cloud takes to answer a launch: its ledger tells when the answer went out. */
const LAUNCH_LATENCY_MS = 100;
/** Kubelets beat every third of it. Longer than by default, so that what is measured is not the beats of hundreds of them. */
const NODE_GRACE_SECONDS = 60;
/** From the last machine that runs until what follows it has been done, in milliseconds. */
const SETTLE_MS = 10_000;
const SCENARIOS = ['up', 'down'] as const;

const { values } = parseArgs({
  options: {
    scenario: { type: 'string', default: 'down' },
    machines: { type: 'string', default: '50' },
    provider: { type: 'string', default: 'simulated' },
    json: { type: 'string' },
  },
});
const machines = Number(values.machines);
const scenario = SCENARIOS.find((name) => name === values.scenario);
const provider = (['simulated', 'aws'] as const).find((name) => name === values.provider);
if (scenario === undefined || provider === undefined || !Number.isInteger(machines) || machines < 1) {
  console.error('Usage: npm run bench -- [--scenario up|down] [--machines N] [--provider simulated|aws] [--json FILE]');
  process.exit(2);
}

const stateDir = await mkdtemp(join(tmpdir(), 'millwright-bench-'));
const stack = await startStack({
  stateDir,
  fresh: true,
  provider,
  withScheduler: false,
  nodeGraceSeconds: NODE_GRACE_SECONDS,
  progress: terminalProgress(),
});
const interrupted = () => void stack.stop().then(() => process.exit(130));
process.once('SIGINT', interrupted);
process.once('SIGTERM', interrupted);
try {
  const measured = await measure(stack);
  console.log(JSON.stringify(measured, null, 2));
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(measured, null, 2)}\n`);
} finally {
  await stack.stop();
  await rm(stateDir, { recursive: true, force: true });
}
process.exit(0);

async function measure({ kubeconfig, temporal, files, processes, cloud }: Stack) {
  const config = loadKubeConfig({ kubeconfig });
  const kube = createKubeClient(config);
  const connection = await Connection.connect({ address: temporal.address });
  const client = new Client({ connection, namespace: temporal.namespace });
  const patience = { timeoutMs: 60_000 + machines * 1_000, everyMs: 250 };
  const list = async () => (await kube.list<MachineObject>(MACHINES, { namespace: NAMESPACE })).items;
  const providerSpec = provider === 'aws' ? { providerSpec: EC2_PROVIDER_SPEC } : {};
  if (provider === 'aws') await createUserData();

  const times = await followMachines(config, NAMESPACE);
  const cpuBefore = cpuSeconds(processes);
  const startedAt = Date.now();
  await kube.create(
    MACHINE_SETS,
    NAMESPACE,
    machineSetManifest(NAMESPACE, SET, { replicas: machines, ...providerSpec }),
  );
  await until(
    `${machines} run`,
    async () => times.running.size,
    (running) => running >= machines,
    {
      ...patience,
      everyMs: 20,
    },
  );
  const upSeconds = (Math.max(...times.running.values()) - startedAt) / 1000;
  times.stop();
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const used = usageSince(processes, cpuBefore);
  const writes = (await readWrites(files.auditLog, startedAt)).filter(isCounted);
  const seen = await list();
  const ways = await Promise.all(seen.map((m) => wayToRunning(client, workflowIdOf(refOf(m)))));
  const { calls } = (await (await fetch(`${cloud.endpoint}/ledger`)).json()) as {
    readonly calls: readonly { readonly at: string; readonly action: string; readonly machine: string | null }[];
  };
  const launches = calls.filter(({ action }) => action === 'launch');
  const millwright = ['worker', 'watcher'].reduce((sum, name) => sum + (used[name]?.cpuSeconds ?? 0), 0);

  return {
    machines,
    provider,
    up: {
      seconds: upSeconds,
      machinesPerSecond: round(machines / upSeconds),
      createToCallMs: spread(
        launches.flatMap(({ at, machine }) => {
          const createdAt = times.created.get(machine ?? '');
          return createdAt === undefined ? [] : [Math.max(0, Date.parse(at) - LAUNCH_LATENCY_MS - createdAt)];
        }),
      ),
      createToRunningMs: spread([...times.running].map(([uid, at]) => at - (times.created.get(uid) ?? at))),
    },
    ...(scenario === 'down' ? { down: { seconds: await takeDown() } } : {}),
    perMachine: {
      historyEvents: mean(ways.map(({ events }) => events)),
      workflowTasks: mean(ways.map(({ tasks }) => tasks)),
      kubernetesWrites: round(writes.length / machines),
      runInstances: round(launches.length / machines),
      describeCalls: round(calls.filter(({ action }) => action === 'describe').length / machines),
      nodeCpuMs: Math.round((millwright * 1000) / machines),
    },
    writes: tally(writes),
    processes: used,
  };

  async function takeDown(): Promise<number> {
    const since = Date.now();
    await kube.mergePatch(MACHINE_SETS, NAMESPACE, SET, { spec: { replicas: 0 } });
    await until('all are gone', list, (left) => left.length === 0, patience);
    await connection.close();
    return (Date.now() - since) / 1000;
  }

  async function createUserData(): Promise<void> {
    const { name } = EC2_PROVIDER_SPEC.userDataSecret;
    await kube.create(SECRETS, NAMESPACE, { metadata: { name }, stringData: { userData: '#cloud-config\n' } });
  }
}

function spread(milliseconds: readonly number[]) {
  return { p50: percentile(milliseconds, 0.5), p99: percentile(milliseconds, 0.99) };
}

function mean(numbers: readonly number[]): number {
  return round(numbers.reduce((sum, n) => sum + n, 0) / Math.max(1, numbers.length));
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
