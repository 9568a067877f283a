import { setTimeout as delay } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { NAMESPACES } from '../../../k8s/resources.ts';
import { EVERYTHING } from '../../faults/choose-points.ts';
import { DeploymentOfMachines, isServing, mostAtOnce } from '../lifecycle/deployment-of-machines.ts';
import { Workloads } from '../lifecycle/workloads.ts';
import { watchCrowd } from '../crowd.ts';
import { watchSlowness } from '../slowness.ts';
import { until } from '../until.ts';
import { BudgetWatch } from './budget-watch.ts';
import type { OutageStack } from './outage-stack.ts';

const MACHINES = 20;
const SURGE = 3;
/** Of the Deployments on the Nodes: how many pods each has, and how many its budget keeps. */
const WORKLOADS = { web: { replicas: 20, keeps: 18 }, db: { replicas: 5, keeps: 4 } };
/** Of the rollout, in milliseconds: on a slow computer the worker is away for half of it, as it needs as long to start as it lives. */
const MOST_MS = 600_000;
const LOOK_MS = 250;
const KILL_EVERY_MS = 20_000;
/** In a crowd a worker does less in 20 s: it lives as much longer, up to so many times. */
const LONGEST_LIFE = 3;
const AWAY_MS = 30_000;
/** From the change of the template until the API server goes, in milliseconds: the rollout is in its midst. */
const UNDER_WAY_MS = 8_000;

/** What goes wrong while machines are rolled; ends soon after `isOver`. */
type Trouble = (outages: OutageStack, isOver: () => boolean) => Promise<void>;

/** The worker is killed every 20 s, and started again at once. */
const killsWorkers: Trouble = async ({ stack }, isOver) => {
  const crowd = watchCrowd();
  for (let n = 1; ; n += 1) {
    crowd.look();
    await delayUnless(isOver, KILL_EVERY_MS * Math.min(crowd.factor(), LONGEST_LIFE));
    if (isOver()) return;
    await stack.kill('worker');
    await stack.restart('worker');
    console.log(`the worker was killed, and started again, ${n} times`);
  }
};

/** The cloud refuses a third of all calls. */
const throttles: Trouble = async (outages, isOver) => {
  await outages.setBehaviour('*', { throttling: { oneIn: 3 } });
  while (!isOver()) await delay(LOOK_MS);
  await outages.setBehaviour('*', {});
};

const takesApiServerAway: Trouble = async ({ stack }) => {
  await delay(UNDER_WAY_MS);
  await stack.kill('kube-apiserver');
  await delay(AWAY_MS);
  await stack.restart('kube-apiserver');
};

const BOTH: Trouble = async (...given) => {
  await Promise.all([killsWorkers(...given), throttles(...given)]);
};

/** What rollouts go through: in words, by which the test is named. `npm test` has the first, `npm run test:faults` all. */
export function troubles(): readonly (readonly [string, Trouble])[] {
  const all = [
    ['the worker is killed every 20 s and the cloud throttles a third of all calls', BOTH],
    ['nothing happens', async () => {}],
    ['the worker is killed every 20 s', killsWorkers],
    ['the API server is away for 30 s', takesApiServerAway],
    ['the cloud throttles a third of all calls', throttles],
  ] as const;
  return EVERYTHING ? all : all.slice(0, 1);
}

/** Twenty machines with workloads under budgets, another template, the trouble, and what must hold by the cloud's ledger and the pods. */
export async function rollsThrough(outages: OutageStack, namespace: string, trouble: Trouble): Promise<void> {
  const { kube, stack } = outages;
  const since = new Date().toISOString();
  const instances = async () => (await outages.readLedger()).instances.filter(({ createdAt }) => createdAt >= since);
  await kube.create(NAMESPACES, undefined, { metadata: { name: namespace } });
  const machines = new DeploymentOfMachines(namespace, 'rolled', kube);
  const labels = { 'example.com/room': namespace };
  await machines.create({
    replicas: MACHINES,
    rollingUpdate: { maxSurge: SURGE, maxUnavailable: 0 },
    template: { metadata: { labels } },
  });
  await machines.untilRolledOut(1);
  const old = new Set(await machines.uids());
  const workloads = new Workloads(namespace, { kube, schedulerName: 'default-scheduler' });
  for (const [app, { replicas, keeps }] of Object.entries(WORKLOADS)) {
    await workloads.deploy(app, replicas, labels);
    await workloads.limit(app, app, keeps);
  }

  const keeps = Object.fromEntries(Object.entries(WORKLOADS).map(([app, workload]) => [app, workload.keeps]));
  const budgets = new BudgetWatch({ kube, kubeconfig: stack.kubeconfig }, namespace, keeps);
  let isOver = false;
  const troubled = trouble(outages, () => isOver);
  const startedAt = Date.now();
  let leastReady = Infinity;
  // Those that came up and were not taken: whether a Node is Ready is known only while its kubelet is heard.
  let leastKept = Infinity;
  const cameUp = new Set<string>();
  try {
    await machines.release('2');
    const slowness = watchSlowness();
    const crowd = watchCrowd();
    for (;;) {
      crowd.look();
      const seen = await machines.machines().catch(() => undefined);
      if (seen !== undefined) {
        const serving = seen.filter(isServing);
        for (const { metadata } of serving) cameUp.add(metadata.uid);
        const kept = seen.filter(
          ({ metadata: { uid, deletionTimestamp: goes } }) => goes === undefined && cameUp.has(uid),
        );
        leastReady = Math.min(leastReady, serving.length);
        leastKept = Math.min(leastKept, kept.length);
      }
      if (seen?.length === MACHINES && seen.every((each) => !old.has(each.metadata.uid) && isServing(each))) break;
      if (Date.now() - startedAt > MOST_MS * slowness() * crowd.factor()) {
        throw new Error(
          `not rolled within ${Math.round((Date.now() - startedAt) / 1000)} s: ${JSON.stringify((await machines.read()).status)}`,
        );
      }
      await delay(LOOK_MS);
    }
  } finally {
    isOver = true;
    await troubled;
  }
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  await machines.untilRolledOut(2);
  const { taken, violations } = await budgets.end();
  const most = mostAtOnce(await instances());
  console.log(
    `rolled in ${seconds} s; most instances ${most}, least kept ${leastKept}, least Ready ${leastReady}, pods taken ${taken}`,
  );
  expect(violations).toEqual([]);
  expect(taken).toBeGreaterThanOrEqual(WORKLOADS.web.replicas);
  expect(most).toBeLessThanOrEqual(MACHINES + SURGE);
  expect(leastKept).toBe(MACHINES);
  // Kubernetes calls Nodes not Ready whose kubelets it could not hear: nobody took these.
  if (trouble !== takesApiServerAway) expect(leastReady).toBe(MACHINES);
  expect(await machines.versions()).toEqual(Array.from({ length: MACHINES }, () => '2'));
  const owners = (await machines.uids()).sort();
  await until(
    'each of the new machines has one instance, and nothing else lives',
    async () =>
      (await instances())
        .filter(({ endedAt }) => endedAt === null)
        .map(({ machine }) => machine ?? '')
        .sort(),
    (living) => JSON.stringify(living) === JSON.stringify(owners),
  );
  // No machine, old or new, ever had a second one.
  const ever = (await instances()).map(({ machine }) => machine);
  expect(ever).toHaveLength(new Set(ever).size);
}

async function delayUnless(isOver: () => boolean, ms: number): Promise<void> {
  const until = Date.now() + ms;
  while (!isOver() && Date.now() < until) await delay(LOOK_MS);
}
