import { setTimeout as delay } from 'node:timers/promises';
import type { MachineObject } from '../../k8s/api/machine.openshift.io/machine.ts';
import { refOf } from '../../k8s/dialects/kind.ts';
import { EXCLUDE_DRAIN_ANNOTATION } from '../../k8s/dialects/openshift/labels.ts';
import { MACHINE_SETS, MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import { SECRETS } from '../../k8s/resources.ts';
import { workflowIdOf } from '../../workflows/ids.ts';
import { EC2_PROVIDER_SPEC } from '../integration/aws/ec2-provider-spec.ts';
import { machineSetManifest } from '../integration/lifecycle/manifests.ts';
import { until } from '../integration/until.ts';
import { given } from '../../providers/given.ts';
import { tally } from './audit-log.ts';
import { callsSince, countCalls, countThrottled, type CloudCall } from './cloud-calls.ts';
import { ofEach, wayToRunning } from './history.ts';
import { followMachines, percentile } from './machine-times.ts';
import { startMeter } from './meter.ts';
import { mean, round } from './numbers.ts';
import { NAMESPACE, SET, type Bench } from './open-bench.ts';
import { nodeCpuMs, type ProcessUsage } from './process-usage.ts';
import { untilAtRest } from './until-at-rest.ts';

/** What the simulated cloud takes to answer a launch: its ledger tells when the answer went out. */
const LAUNCH_LATENCY_MS = 100;
/** From the last machine that runs until what follows it has been done, in milliseconds. */
const REST_MS = 10_000;

export interface Spread {
  readonly p50: number;
  readonly p99: number;
}

export interface UpMeasured {
  /** From the creation of the set until the last machine's status says Running. */
  readonly seconds: number;
  readonly machinesPerSecond: number;
  /** From the creation of the set until the cloud answered the first launch and the last. */
  readonly launchedAfterSeconds: { readonly first: number; readonly last: number };
  /** From the Machine's creation until the cloud was called for it. */
  readonly createToCallMs: Spread;
  readonly createToRunningMs: Spread;
  readonly perMachine: {
    /** Up to the write of Running. */
    readonly historyEvents: number;
    readonly workflowTasks: number;
    /** By worker and watcher, the set's included, until 10 s after the last one ran; Events and Leases apart. */
    readonly kubernetesWrites: number;
    readonly runInstances: number;
    readonly describeCalls: number;
    /** CPU of worker and watcher until then, in milliseconds. */
    readonly nodeCpuMs: number;
  };
  readonly writes: Readonly<Record<string, number>>;
  readonly calls: Readonly<Record<string, number>>;
  /** Of the calls, those that the cloud throttled. */
  readonly throttled: Readonly<Record<string, number>>;
  /** Describes a machine, until nothing is left to do for any. */
  readonly describesUntilAtRest: number;
  readonly processes: Readonly<Record<string, ProcessUsage>>;
}

/** Brings a MachineSet up from nothing. */
export async function measureUp(bench: Bench): Promise<UpMeasured> {
  const { machines, withoutDrain, stack, config, kube, temporal, patience } = bench;
  const isOnEc2 = stack.cloud.provider === 'aws';
  if (isOnEc2) await createUserData(bench);
  const times = await followMachines(config, NAMESPACE);
  const meter = startMeter(stack);
  await kube.create(
    MACHINE_SETS,
    NAMESPACE,
    machineSetManifest(NAMESPACE, SET, {
      replicas: machines,
      ...given({
        machineAnnotations: withoutDrain ? { [EXCLUDE_DRAIN_ANNOTATION]: '' } : undefined,
        providerSpec: isOnEc2 ? EC2_PROVIDER_SPEC : undefined,
      }),
    }),
  );
  await until(
    `${machines} run`,
    async () => times.running.size,
    (running) => running >= machines,
    patience,
  );
  const seconds = (Math.max(...times.running.values()) - meter.startedAt) / 1000;
  times.stop();
  await delay(REST_MS);
  const { writes, calls, processes } = await meter.read();
  const counts = countCalls(calls);
  const { items } = await kube.list<MachineObject>(MACHINES, { namespace: NAMESPACE });
  const ids = items.map((machine) => workflowIdOf(refOf(machine)));
  const ways = await ofEach(ids, (id) => wayToRunning(temporal, id));
  const callLatency = isOnEc2 ? 0 : LAUNCH_LATENCY_MS;
  const toCall = calls.flatMap(({ at, action, machine }) => {
    const createdAt = action === 'launch' ? times.created.get(machine ?? '') : undefined;
    return createdAt === undefined ? [] : [Math.max(0, Date.parse(at) - callLatency - createdAt)];
  });
  const launches = calls.filter(({ action, code }) => action === 'launch' && code === null);
  const launchedAfter = launches.map(({ at }) => (Date.parse(at) - meter.startedAt) / 1000);
  return {
    seconds,
    machinesPerSecond: round(machines / seconds),
    launchedAfterSeconds: { first: Math.min(...launchedAfter), last: Math.max(...launchedAfter) },
    createToCallMs: spread(toCall),
    createToRunningMs: spread([...times.running].map(([uid, at]) => at - (times.created.get(uid) ?? at))),
    perMachine: {
      historyEvents: mean(ways.map(({ events }) => events)),
      workflowTasks: mean(ways.map(({ tasks }) => tasks)),
      kubernetesWrites: round(writes.length / machines),
      runInstances: round((counts['launch'] ?? 0) / machines),
      describeCalls: round((counts['describe'] ?? 0) / machines),
      nodeCpuMs: nodeCpuMs(processes, machines),
    },
    writes: tally(writes),
    calls: counts,
    throttled: countThrottled(calls),
    describesUntilAtRest: round(
      (countCalls(await callsUntilAtRest(bench, meter.startedAt))['describe'] ?? 0) / machines,
    ),
    processes,
  };
}

async function callsUntilAtRest(bench: Bench, since: number): Promise<CloudCall[]> {
  await untilAtRest(bench);
  return callsSince(bench.stack, since);
}

async function createUserData({ kube }: Bench): Promise<void> {
  const { name } = EC2_PROVIDER_SPEC.userDataSecret;
  await kube.create(SECRETS, NAMESPACE, { metadata: { name }, stringData: { userData: '#cloud-config\n' } });
}

function spread(milliseconds: readonly number[]): Spread {
  return { p50: percentile(milliseconds, 0.5), p99: percentile(milliseconds, 0.99) };
}
