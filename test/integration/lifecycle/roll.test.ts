import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { MACHINE_DEPLOYMENTS } from '../../../k8s/dialects/openshift/resources.ts';
import { unlessGone } from '../../../k8s/kube-error.ts';
import { runCli } from '../cli/run-cli.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import { behave, isLive, readLedger } from './cloud.ts';
import { DeploymentOfMachines, isServing, mostAtOnce, progressOf } from './deployment-of-machines.ts';
import { useNamespace } from './use-namespace.ts';

const { kube } = getStack();
const NAMESPACE = 'lifecycle-roll';
/** Types of instances: whose Nodes never join, and of which the cloud has one only, until it has more. */
const NEVER = 'sim.never';
const SCARCE = 'sim.scarce';
beforeAll(() => Promise.all([behave(NEVER, { joins: false }), behave(SCARCE, { capacity: 1 })]));
afterAll(() => Promise.all([behave(NEVER, {}), behave(SCARCE, {})]));
useNamespace(NAMESPACE, () => {});

const deploymentOf = (name: string) => new DeploymentOfMachines(NAMESPACE, name);
const web = deploymentOf('web');

/** Looks at what there is again and again, until told to end; answers the extremes. */
function watchBounds(deployment: DeploymentOfMachines) {
  const seen = { most: 0, leastReady: Infinity };
  const watch = { isOver: false };
  const uids = new Set<string>();
  const run = (async () => {
    while (!watch.isOver) {
      const machines = await deployment.machines();
      for (const { metadata } of machines) uids.add(metadata.uid);
      seen.most = Math.max(seen.most, machines.length);
      seen.leastReady = Math.min(seen.leastReady, machines.filter(isServing).length);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  return {
    async end() {
      watch.isOver = true;
      await run;
      return { ...seen, mostInstances: mostAtOnce(await instancesOf([...uids])) };
    },
  };
}

async function instancesOf(uids: readonly string[]) {
  return (await readLedger()).instances.filter(({ machine }) => machine !== null && uids.includes(machine));
}

// They mostly wait. The one that waits longest comes first.

test.concurrent('a rollout waits for capacity that is gone in its middle, says so, and goes on when there is some', async () => {
  const full = deploymentOf('full');
  await full.create({ replicas: 2 });
  await full.untilRolledOut(1);
  await full.ask({ instanceType: SCARCE });
  const waiting = await full.untilProgressing('WaitingForCapacity');
  expect(progressOf(waiting)).toMatchObject({ status: 'True' });
  expect(progressOf(waiting)?.message).toMatch(/InsufficientInstanceCapacity|capacity/i);
  expect(waiting.spec.paused ?? false).toBe(false);
  expect(waiting.status).toMatchObject({ updatedReplicas: 2, availableReplicas: 2 });
  await behave(SCARCE, {});
  // It asks again after a minute.
  await full.untilRolledOut(2, 180_000);
  expect(await full.machines()).toHaveLength(2);
}, 480_000);

test.concurrent('it stops where new machines do not become Ready in time, says which, and undo leaves what was there before', async () => {
  const never = deploymentOf('never');
  await never.create({ replicas: 2, spec: { progressDeadlineSeconds: 15 } });
  await never.untilRolledOut(1);
  const before = await never.uids();
  await never.ask({ instanceType: NEVER });
  const stopped = await never.untilProgressing('ProgressDeadlineExceeded');
  expect(stopped.spec.paused).toBe(true);
  const fresh = (await never.machines()).filter(({ metadata }) => !before.includes(metadata.uid));
  expect(fresh).toHaveLength(1);
  expect(progressOf(stopped)).toMatchObject({ status: 'False' });
  expect(progressOf(stopped)?.message).toContain(fresh[0]?.metadata.name);
  expect(await never.uids()).toEqual(expect.arrayContaining(before));
  expect(await runCli(['rollout', 'undo', 'never', '-n', NAMESPACE])).toMatchObject({ code: 0 });
  await never.untilRolledOut(3);
  await until(
    'only what was there before is there',
    () => never.uids(),
    (uids) => JSON.stringify(uids) === JSON.stringify(before),
  );
  const instances = await instancesOf([...before, ...fresh.map(({ metadata }) => metadata.uid)]);
  const living = instances.filter(isLive);
  expect(new Set(living.map(({ machine }) => machine))).toEqual(new Set(before));
  expect(living).toHaveLength(before.length);
}, 360_000);

test.concurrent('of two changes in a row in mid-roll the second wins, and no machine of the first is left', async () => {
  const twice = deploymentOf('twice');
  await twice.create({ replicas: 3 });
  await twice.untilRolledOut(1);
  await twice.release('2');
  await until(
    'it is in mid-roll',
    () => twice.versions(),
    (versions) => versions.includes('2') && versions.includes('first'),
  );
  await twice.release('3');
  await twice.untilRolledOut(3);
  expect(await twice.versions()).toEqual(['3', '3', '3']);
  expect((await twice.sets()).filter(({ spec }) => spec.replicas > 0)).toHaveLength(1);
}, 360_000);

test('makes machines of its template, by a MachineSet of its own', async () => {
  await web.create({ replicas: 3 });
  const seen = await web.untilRolledOut(1);
  expect(seen.status).toMatchObject({ replicas: 3, updatedReplicas: 3, availableReplicas: 3, revision: 1 });
  const [set, ...more] = await web.sets();
  expect(more).toEqual([]);
  expect(set?.spec).toMatchObject({ replicas: 3, maxMachines: 4 });
  expect(set?.metadata.labels).toMatchObject({ 'cluster.x-k8s.io/deployment-name': 'web' });
}, 90_000);

test('replaces them when the template changes, one more at a time, and none before another is available', async () => {
  const bounds = watchBounds(web);
  await web.release('2');
  const seen = await web.untilRolledOut(2);
  const { most, leastReady, mostInstances } = await bounds.end();
  expect(most).toBe(4);
  expect(mostInstances).toBe(4);
  expect(leastReady).toBe(3);
  expect(seen.status).toMatchObject({ replicas: 3, updatedReplicas: 3, availableReplicas: 3 });
  expect(await web.versions()).toEqual(['2', '2', '2']);
  expect((await web.sets()).map(({ spec }) => spec.replicas)).toEqual(expect.arrayContaining([0, 3]));
}, 150_000);

test('deleted in mid-roll, it leaves nothing: no object, and no instance', async () => {
  await web.release('3');
  await until(
    'it is in mid-roll',
    () => web.versions(),
    (versions) => versions.includes('2') && versions.includes('3'),
  );
  const uids = await web.uids();
  await web.delete();
  await until(
    'all machines are gone',
    () => web.machines(),
    (left) => left.length === 0,
    { timeoutMs: 90_000 },
  );
  await until(
    'all sets are gone',
    () => web.sets(),
    (left) => left.length === 0,
  );
  expect(await unlessGone(kube.get(MACHINE_DEPLOYMENTS, NAMESPACE, 'web'))).toBeUndefined();
  expect((await instancesOf(uids)).filter(isLive)).toEqual([]);
}, 180_000);
