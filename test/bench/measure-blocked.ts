import type { MachineObject } from '../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINE_SETS, MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import { DISRUPTION_BUDGETS, NAMESPACES } from '../../k8s/resources.ts';
import { machineSetManifest } from '../integration/lifecycle/manifests.ts';
import { until } from '../integration/until.ts';
import { createPodNamespace, POD_NAMESPACE, PODS_LABELS, runPods } from './bench-pods.ts';
import { followMachines } from './machine-times.ts';
import { round } from './numbers.ts';
import { NAMESPACE, SET, type Bench } from './open-bench.ts';
import { untilAtRest } from './until-at-rest.ts';

/** Where a second set comes up, twice. */
const SECOND = 'bench-second';
const SECOND_SIZE = 20;

export interface BlockedMeasured {
  /** How many machines a budget keeps from going. */
  readonly blocked: number;
  /** Seconds until a second set is Running: before anything is blocked, and meanwhile. */
  readonly beforeSeconds: number;
  readonly meanwhileSeconds: number;
  readonly ratio: number;
}

/** Whether machines that cannot be drained slow down others that come up. */
export async function measureBlocked(bench: Bench): Promise<BlockedMeasured> {
  const { kube, machines: count, patience } = bench;
  const { apiVersion, kind } = NAMESPACES;
  await createPodNamespace(bench);
  await kube.create(NAMESPACES, undefined, { apiVersion, kind, metadata: { name: SECOND } });
  await runPods(bench, await untilAtRest(bench), 1);
  const budget = { minAvailable: count, selector: { matchLabels: PODS_LABELS } };
  await kube.create(DISRUPTION_BUDGETS, POD_NAMESPACE, { metadata: { name: 'all' }, spec: budget });
  const beforeSeconds = await bringUpSecond(bench);
  await kube.mergePatch(MACHINE_SETS, NAMESPACE, SET, { spec: { replicas: 0 } });
  const list = async () => (await kube.list<MachineObject>(MACHINES, { namespace: NAMESPACE })).items;
  const areBlocked = (all: readonly MachineObject[]) =>
    all.length === count && all.every(({ status }) => status?.waiting?.reason === 'PodsBlocked');
  await until('all are blocked', list, areBlocked, { ...patience, everyMs: 1000 });
  const meanwhileSeconds = await bringUpSecond(bench);
  const ratio = round(meanwhileSeconds / beforeSeconds);
  return { blocked: count, beforeSeconds, meanwhileSeconds, ratio };
}

/** Until the last of its machines says Running, in seconds. Afterwards it is gone. */
async function bringUpSecond({ kube, config, patience }: Bench): Promise<number> {
  const times = await followMachines(config, SECOND);
  const startedAt = Date.now();
  await kube.create(MACHINE_SETS, SECOND, machineSetManifest(SECOND, SECOND, { replicas: SECOND_SIZE }));
  await until(
    `${SECOND_SIZE} run`,
    async () => times.running.size,
    (running) => running >= SECOND_SIZE,
    patience,
  );
  const seconds = (Math.max(...times.running.values()) - startedAt) / 1000;
  await kube.delete(MACHINE_SETS, SECOND, SECOND);
  await until(
    'all are gone',
    async () => times.gone.size,
    (gone) => gone >= SECOND_SIZE,
    patience,
  );
  times.stop();
  return round(seconds);
}
