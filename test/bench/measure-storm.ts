import { setTimeout as delay } from 'node:timers/promises';
import type { MachineHealthCheckObject } from '../../k8s/api/machine.openshift.io/machine-health-check.ts';
import type { MachineObject } from '../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINE_HEALTH_CHECKS, MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import { KUBELET_LABEL, KUBELET_RUNNING } from '../../k8s/model/hollow-node.ts';
import { isReady, type Node } from '../../k8s/model/node.ts';
import { NODES } from '../../k8s/resources.ts';
import { until } from '../integration/until.ts';
import { callsSince } from './cloud-calls.ts';
import { createCheck, NAME, silence, TIMEOUT_MS } from './measure-heal.ts';
import { NAMESPACE, type Bench } from './open-bench.ts';
import { untilAtRest } from './until-at-rest.ts';

/** Within so long all Nodes that only seem to be gone turn not Ready, in milliseconds. */
const WITHIN_MS = 10_000;
/** For how long they do when the others were replaced, in milliseconds. */
const HELD_MS = TIMEOUT_MS + 30_000;
/** When they are back: for how long it is watched that nothing else is replaced, in milliseconds. */
const BACK_MS = 90_000;

export interface StormMeasured {
  readonly machines: number;
  /** Nodes that only seemed to be gone, and instances that were. */
  readonly silent: number;
  readonly terminated: number;
  /** Machines that were replaced while the Nodes were silent, and until the end: of those whose instances were terminated, and others. */
  readonly replaced: { readonly terminated: number; readonly others: number };
  readonly replacedAtEnd: { readonly terminated: number; readonly others: number };
  /** Calls of the cloud that made an instance. */
  readonly launched: number;
  /** What the check said while they were silent. */
  readonly told: string;
  /** At the end. */
  readonly healthy: number;
}

/** Most Nodes of a set seem to be gone at the same time, and a few are: those alone are to be replaced. */
export async function measureStorm(bench: Bench, silent: number, terminated: number): Promise<StormMeasured> {
  const { kube, stack, patience, machines: count } = bench;
  const machines = await untilAtRest(bench);
  await createCheck(bench);
  const dead = machines.slice(0, terminated);
  const others = machines.slice(terminated, terminated + silent);
  const startedAt = Date.now();
  await Promise.all([
    ...dead.map(({ status }) => terminateByHand(bench, status?.providerStatus?.instanceId ?? '')),
    ...others.map(async (machine, at) => {
      await delay((at * WITHIN_MS) / others.length);
      await silence(bench, machine);
    }),
  ]);
  const deadUids = new Set(dead.map(({ metadata }) => metadata.uid));
  const first = new Set(machines.map(({ metadata }) => metadata.uid));
  const look = async () => {
    const { items } = await kube.list<MachineObject>(MACHINES, { namespace: NAMESPACE });
    const stay = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const left = new Set(stay.map(({ metadata }) => metadata.uid));
    const gone = [...first].filter((uid) => !left.has(uid));
    return {
      running: stay.filter(({ status }) => status?.phase === 'Running').length,
      terminated: gone.filter((uid) => deadUids.has(uid)).length,
      others: gone.filter((uid) => !deadUids.has(uid)).length,
    };
  };
  const wait = { timeoutMs: patience.timeoutMs + 300_000, everyMs: 1000 };
  await until(
    'the dead ones are replaced',
    look,
    ({ terminated: seen, running }) => seen >= terminated && running >= count,
    wait,
  );
  await delay(HELD_MS);
  const { running: _held, ...replaced } = await look();
  const check = await readCheck(bench);
  const told = check.status?.conditions?.find(({ type }) => type === 'StormSuspected')?.message ?? 'nothing';
  await Promise.all(others.map((machine) => wake(bench, machine)));
  await until(
    'all Nodes are Ready again',
    () => kube.list<Node>(NODES),
    ({ items }) => items.filter(isReady).length >= count,
    wait,
  );
  await delay(BACK_MS);
  const { running: _end, ...replacedAtEnd } = await look();
  const launches = (await callsSince(stack, startedAt)).filter(
    ({ action, code }) => /^(launch|run)/i.test(action) && code === null,
  );
  return {
    machines: count,
    silent: others.length,
    terminated,
    replaced,
    replacedAtEnd,
    launched: launches.length,
    told,
    healthy: (await readCheck(bench)).status?.currentHealthy ?? 0,
  };
}

function readCheck({ kube }: Bench): Promise<MachineHealthCheckObject> {
  return kube.get<MachineHealthCheckObject>(MACHINE_HEALTH_CHECKS, NAMESPACE, NAME);
}

async function terminateByHand({ stack }: Bench, id: string): Promise<void> {
  const { ok, status } = await fetch(`${stack.cloud.endpoint}/instances/${id}/terminate`, { method: 'POST' });
  if (!ok) throw new Error(`the cloud did not terminate ${id}: ${status}`);
}

async function wake({ kube }: Bench, { status }: MachineObject): Promise<void> {
  const name = status?.nodeRef?.name ?? '';
  await kube.mergePatch(NODES, undefined, name, { metadata: { labels: { [KUBELET_LABEL]: KUBELET_RUNNING } } });
}
