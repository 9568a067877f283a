import { setTimeout as delay } from 'node:timers/promises';
import { DEFAULT_BEHAVIOUR } from '../../devstack/doubles/cloud/behaviour.ts';
import type { MachineDeploymentObject } from '../../k8s/api/machine.openshift.io/machine-deployment.ts';
import type { MachineObject } from '../../k8s/api/machine.openshift.io/machine.ts';
import type { MachineSetObject } from '../../k8s/api/machine.openshift.io/machine-set.ts';
import { refOf } from '../../k8s/dialects/kind.ts';
import { MACHINE_DEPLOYMENTS, MACHINE_SETS, MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import { isReady, type Node } from '../../k8s/model/node.ts';
import { NODES } from '../../k8s/resources.ts';
import { boundsOf } from '../../workflows/machine-deployment/bounds.ts';
import { workflowIdOf } from '../../workflows/ids.ts';
import { providerSpecOf } from '../integration/lifecycle/manifests.ts';
import { until } from '../integration/until.ts';
import { tally } from './audit-log.ts';
import { countCalls } from './cloud-calls.ts';
import { countHistory } from './history.ts';
import { startMeter } from './meter.ts';
import { round } from './numbers.ts';
import { NAMESPACE, SET, type Bench } from './open-bench.ts';
import { nodeCpuMs, type ProcessUsage } from './process-usage.ts';
import { untilAtRest } from './until-at-rest.ts';

const NAME = 'bench-rolled';
/** From an instance's running until its Node registers, in seconds. */
const JOIN_SECONDS = 1;
/** The look that finds nothing left on a Node counts only so long after its cordon, in seconds. */
const DRAIN_SECONDS = 1;
/** After the deployment took the set over, until it is rolled, in milliseconds. */
const REST_MS = 5000;
/** How often it is counted what there is, in milliseconds. */
const LOOK_MS = 100;

export interface RollMeasured {
  readonly machines: number;
  /** Machines beside those that are wanted. */
  readonly surge: number;
  /** From the change of the template until all machines are new, and the last old one is gone. */
  readonly seconds: number;
  readonly machinesPerMinute: number;
  /** What the cloud and the drains take on their own, where each place beside the wanted machines is used again at once. */
  readonly ownSeconds: number;
  readonly waves: number;
  /** Seconds of one machine that comes, and of one that goes. */
  readonly perStep: { readonly up: number; readonly down: number };
  readonly overheadSeconds: number;
  /** All seconds against {@link ownSeconds}. */
  readonly ratio: number;
  /** That existed at one time, those that are being deleted included. */
  readonly mostMachines: number;
  readonly leastReady: number;
  readonly launched: number;
  /** Of the deployment's workflow. */
  readonly workflowTasks: number;
  readonly historyEvents: number;
  readonly perMachine: { readonly kubernetesWrites: number; readonly nodeCpuMs: number };
  readonly writes: Readonly<Record<string, number>>;
  readonly calls: Readonly<Record<string, number>>;
  readonly processes: Readonly<Record<string, ProcessUsage>>;
}

/** Puts a MachineDeployment above the set that is up, and rolls its machines to another template. */
export async function measureRoll(bench: Bench, maxSurge: number | string): Promise<RollMeasured> {
  const { kube, stack, temporal, machines: count, patience } = bench;
  await untilAtRest(bench);
  const created = await createAbove(bench, maxSurge);
  await delay(REST_MS);
  const id = workflowIdOf(refOf(created));
  const before = await countHistory(temporal, id);
  const first = new Set((await list(bench)).map(({ metadata }) => metadata.uid));
  const meter = startMeter(stack);
  await kube.mergePatch(MACHINE_DEPLOYMENTS, NAMESPACE, NAME, {
    spec: { template: { spec: { providerSpec: providerSpecOf({ instanceType: 'sim.large' }) } } },
  });
  let mostMachines = 0;
  let leastReady = Infinity;
  await until(
    'all machines are new',
    async () => ({ machines: await list(bench), nodes: (await kube.list<Node>(NODES)).items }),
    ({ machines, nodes }) => {
      const ready = new Set(nodes.filter(isReady).map(({ metadata }) => metadata.uid));
      const usable = machines.filter(
        ({ metadata, status }) => metadata.deletionTimestamp === undefined && ready.has(status?.nodeRef?.uid ?? ''),
      );
      mostMachines = Math.max(mostMachines, machines.length);
      leastReady = Math.min(leastReady, usable.length);
      return usable.length === count && machines.every(({ metadata }) => !first.has(metadata.uid));
    },
    { ...patience, everyMs: LOOK_MS },
  );
  const seconds = (Date.now() - meter.startedAt) / 1000;
  const { writes, calls, processes } = await meter.read();
  const after = await countHistory(temporal, id);
  const surge = boundsOf({
    replicas: count,
    strategy: { type: 'RollingUpdate', maxSurge, maxUnavailable: 0 },
  }).maxSurge;
  const perStep = {
    up: (DEFAULT_BEHAVIOUR.launchLatencyMs + DEFAULT_BEHAVIOUR.pendingMs) / 1000 + JOIN_SECONDS,
    down: DRAIN_SECONDS + DEFAULT_BEHAVIOUR.terminateMs / 1000,
  };
  const waves = Math.ceil(count / surge);
  const ownSeconds = waves * (perStep.up + perStep.down);
  return {
    machines: count,
    surge,
    seconds,
    machinesPerMinute: round((count / seconds) * 60),
    ownSeconds,
    waves,
    perStep,
    overheadSeconds: seconds - ownSeconds,
    ratio: round(seconds / ownSeconds),
    mostMachines,
    leastReady,
    launched: calls.filter(({ action, code }) => action === 'launch' && code === null).length,
    workflowTasks: after.tasks - before.tasks,
    historyEvents: after.events - before.events,
    perMachine: { kubernetesWrites: round(writes.length / count), nodeCpuMs: nodeCpuMs(processes, count) },
    writes: tally(writes),
    calls: countCalls(calls),
    processes,
  };
}

/** A deployment with the set's own template, which takes the set over as it is. */
async function createAbove(
  { kube, machines, patience }: Bench,
  maxSurge: number | string,
): Promise<MachineDeploymentObject> {
  const { spec } = await kube.get<MachineSetObject>(MACHINE_SETS, NAMESPACE, SET);
  await kube.create(MACHINE_DEPLOYMENTS, NAMESPACE, {
    apiVersion: MACHINE_DEPLOYMENTS.apiVersion,
    kind: MACHINE_DEPLOYMENTS.kind,
    metadata: { name: NAME, namespace: NAMESPACE },
    spec: {
      replicas: machines,
      selector: spec?.selector,
      template: spec?.template,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable: 0 } },
    },
  });
  return until(
    'the deployment has taken the set over',
    () => kube.get<MachineDeploymentObject>(MACHINE_DEPLOYMENTS, NAMESPACE, NAME),
    ({ status }) => status?.updatedReplicas === machines && status.availableReplicas === machines,
    patience,
  );
}

async function list({ kube }: Bench): Promise<MachineObject[]> {
  return (await kube.list<MachineObject>(MACHINES, { namespace: NAMESPACE })).items;
}
