import { setTimeout as delay } from 'node:timers/promises';
import type { MachineHealthCheckObject } from '../../k8s/api/machine.openshift.io/machine-health-check.ts';
import type { MachineObject } from '../../k8s/api/machine.openshift.io/machine.ts';
import { refOf } from '../../k8s/dialects/kind.ts';
import { MACHINE_HEALTH_CHECKS, MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import type { KubeClient } from '../../k8s/client.ts';
import { unlessGone } from '../../k8s/kube-error.ts';
import { KUBELET_LABEL, KUBELET_STOPPED } from '../../k8s/model/hollow-node.ts';
import { isReady, type Node } from '../../k8s/model/node.ts';
import { NODES } from '../../k8s/resources.ts';
import { workflowIdOf } from '../../workflows/ids.ts';
import { until } from '../integration/until.ts';
import type { BenchOptions } from './bench-options.ts';
import { callsSince, countCalls } from './cloud-calls.ts';
import { countHistory, countPasses } from './history.ts';
import { percentile } from './machine-times.ts';
import { startMeter } from './meter.ts';
import { round } from './numbers.ts';
import { NAMESPACE, SET, type Bench } from './open-bench.ts';
import type { Spread } from './measure-up.ts';
import type { ProcessUsage } from './process-usage.ts';
import { untilAtRest } from './until-at-rest.ts';
import { given } from '../../providers/given.ts';

/** For how long a Node may be not Ready, in milliseconds. */
export const TIMEOUT_MS = 30_000;
/** How long healthy machines are watched first, in milliseconds. */
const HEALTHY_MS = 60_000;
/** By then KWOK has heard that it is to beat no more for a Node, in milliseconds. */
const BEATEN_MS = 3000;
/** The share of machines that are remediated at a time, where nobody says another. */
const IN_FLIGHT = 0.2;
/** Of the health check. */
export const NAME = 'bench';

export interface HealMeasured {
  readonly machines: number;
  readonly failing: number;
  /** While all were healthy for a minute: what it cost. */
  readonly healthy: {
    readonly workflowTasks: number;
    readonly processes: Readonly<Record<string, ProcessUsage>>;
  };
  /** From a Node's being not Ready for as long as it may, until its instance was asked to end. */
  readonly dueToTerminateMs: Spread;
  /** From the first Node that was not Ready until as many machines are Ready again. */
  readonly healedSeconds: number;
  /** Machines that were asked to go, and whose replacement was not Ready, at the same time. */
  readonly mostAtOnce: number;
  /** As many may be. */
  readonly mayBeAtOnce: number;
  /** Calls of the cloud that made an instance. */
  readonly launched: number;
  /** Of the check's workflow, for each of the Nodes that turned: from then until all were healed. */
  readonly perNode: { readonly workflowTasks: number; readonly historyEvents: number; readonly passes: number };
  /** The same for the change alone, before anything was due. */
  readonly perChange: { readonly historyEvents: number; readonly passes: number };
  readonly calls: Readonly<Record<string, number>>;
  readonly processes: Readonly<Record<string, ProcessUsage>>;
}

/** Has a health check watch machines that are up, and some of their Nodes turn not Ready at the same time. */
export async function measureHeal(
  bench: Bench,
  { failing, inFlight, rewriteEverySeconds }: Pick<BenchOptions, 'failing' | 'inFlight' | 'rewriteEverySeconds'>,
): Promise<HealMeasured> {
  const { kube, stack, temporal, patience, machines: count } = bench;
  const machines = await untilAtRest(bench);
  const check = await createCheck(bench, inFlight);
  const id = workflowIdOf(refOf(check));
  await delay(5000);
  const healthy = startMeter(stack);
  const before = await countHistory(temporal, id);
  await delay(HEALTHY_MS);
  const healthyReading = await healthy.read();
  const quiet = await countPasses(temporal, id, 'surveyHealth');

  const victims = machines.slice(0, failing);
  const meter = startMeter(stack);
  const turned = new Map(
    await Promise.all(
      victims.map(async (machine) => [machine.metadata.uid, await silenceForGood(bench, machine)] as const),
    ),
  );
  const heard = await countPasses(temporal, id, 'surveyHealth');
  const rewriting = rewriteEverySeconds && setInterval(() => void rewrite(bench, victims), rewriteEverySeconds * 1000);
  const gone = new Set(turned.keys());
  const first = new Set(machines.map(({ metadata }) => metadata.uid));
  let mostAtOnce = 0;
  await until(
    'all are healed',
    async () => Promise.all([kube.list<MachineObject>(MACHINES, { namespace: NAMESPACE }), kube.list<Node>(NODES)]),
    ([{ items }, nodes]) => {
      const ready = new Set(nodes.items.filter(isReady).map(({ metadata }) => metadata.uid));
      mostAtOnce = Math.max(mostAtOnce, missedOf(items, first, ready));
      const well = items.filter(
        ({ metadata, status }) => !gone.has(metadata.uid) && ready.has(status?.nodeRef?.uid ?? ''),
      );
      return well.length === count;
    },
    // A list of thousands is itself much of what the computer has to do.
    { timeoutMs: patience.timeoutMs + TIMEOUT_MS, everyMs: Math.max(50, count / 2) },
  );
  const healedSeconds = (Date.now() - meter.startedAt) / 1000;
  clearInterval(rewriting);
  const { calls, processes } = await meter.read();
  const terminated = (await callsSince(stack, meter.startedAt)).filter(({ action }) => /^terminate/i.test(action));
  const late = terminated.flatMap(({ machine, at }) => {
    const from = turned.get(machine ?? '');
    return from === undefined ? [] : [Date.parse(at) - from - TIMEOUT_MS];
  });
  const after = await countPasses(temporal, id, 'surveyHealth');
  return {
    machines: count,
    failing,
    healthy: { workflowTasks: quiet.tasks - before.tasks, processes: healthyReading.processes },
    dueToTerminateMs: { p50: percentile(late, 0.5), p99: percentile(late, 0.99) },
    healedSeconds,
    mostAtOnce,
    mayBeAtOnce: inFlight ?? Math.max(1, Math.ceil(count * IN_FLIGHT)),
    launched: calls.filter(({ action, code }) => /^(launch|run)/i.test(action) && code === null).length,
    perNode: {
      workflowTasks: round((after.tasks - quiet.tasks) / failing),
      historyEvents: round((after.events - quiet.events) / failing),
      passes: round((after.passes - quiet.passes) / failing),
    },
    perChange: {
      historyEvents: round((heard.events - quiet.events) / failing),
      passes: round((heard.passes - quiet.passes) / failing),
    },
    calls: countCalls(calls),
    processes,
  };
}

/** How many machines are missed: of the first ones those that were asked to go, less those that came in their place and are Ready. */
function missedOf(items: readonly MachineObject[], first: ReadonlySet<string>, ready: ReadonlySet<string>): number {
  const stay = items.filter(
    ({ metadata: { uid, deletionTimestamp } }) => first.has(uid) && deletionTimestamp === undefined,
  );
  const fresh = items.filter(
    ({ metadata, status }) => !first.has(metadata.uid) && ready.has(status?.nodeRef?.uid ?? ''),
  );
  return first.size - stay.length - fresh.length;
}

/** @param inFlight how many machines may be remediated at a time. @default 20% */
export async function createCheck({ kube, patience }: Bench, inFlight?: number): Promise<MachineHealthCheckObject> {
  const timeout = `${TIMEOUT_MS / 1000}s`;
  await kube.create(MACHINE_HEALTH_CHECKS, NAMESPACE, {
    apiVersion: MACHINE_HEALTH_CHECKS.apiVersion,
    kind: MACHINE_HEALTH_CHECKS.kind,
    metadata: { name: NAME, namespace: NAMESPACE },
    spec: {
      selector: { matchLabels: { set: SET } },
      unhealthyConditions: ['False', 'Unknown'].map((status) => ({ type: 'Ready', status, timeout })),
      ...given({ remediation: inFlight === undefined ? undefined : { maxInFlight: inFlight } }),
    },
  });
  return until(
    'the check has looked',
    () => kube.get<MachineHealthCheckObject>(MACHINE_HEALTH_CHECKS, NAMESPACE, NAME),
    ({ status }) => status?.expectedMachines !== undefined,
    patience,
  );
}

/** Of a Machine's Node: its kubelet says that it is not Ready, and nothing after that. Answers when it said so, in milliseconds since the epoch. */
export async function silence({ kube }: Bench, { status }: MachineObject): Promise<number> {
  const name = status?.nodeRef?.name ?? '';
  await kube.mergePatch(NODES, undefined, name, { metadata: { labels: { [KUBELET_LABEL]: KUBELET_STOPPED } } });
  return notReady(kube, name, 'KubeletNotReady');
}

/** The same, until it lasts: where there are thousands, KWOK may beat once more for the Node. */
async function silenceForGood(bench: Bench, machine: MachineObject): Promise<number> {
  for (;;) {
    const at = await silence(bench, machine);
    await delay(BEATEN_MS);
    const node = await bench.kube.get<Node>(NODES, undefined, machine.status?.nodeRef?.name ?? '');
    if (!isReady(node)) return at;
  }
}

/** Says of Nodes that are still there that they are bad since now, for another reason. */
async function rewrite({ kube }: Bench, victims: readonly MachineObject[]): Promise<void> {
  const names = victims.map(({ status }) => status?.nodeRef?.name ?? '');
  await Promise.all(names.map((name) => unlessGone(notReady(kube, name, `Rewritten${Date.now()}`))));
}

async function notReady(kube: KubeClient, name: string, reason: string): Promise<number> {
  const at = new Date();
  const condition = {
    type: 'Ready',
    status: 'False',
    reason,
    message: 'the container runtime is down',
    lastHeartbeatTime: at.toISOString(),
    lastTransitionTime: at.toISOString(),
  };
  await kube.mergePatch(NODES, undefined, name, { status: { conditions: [condition] } }, { subresource: 'status' });
  return at.getTime();
}
