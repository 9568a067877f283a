import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { MachineDeploymentObject } from '../../../k8s/api/machine.openshift.io/machine-deployment.ts';
import type { MachineSetObject } from '../../../k8s/api/machine.openshift.io/machine-set.ts';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { CLUSTER_LABEL } from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINE_DEPLOYMENTS, MACHINE_SETS } from '../../../k8s/dialects/openshift/resources.ts';
import { unlessGone } from '../../../k8s/kube-error.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import { readLedger } from './cloud.ts';
import { providerSpecOf } from './manifests.ts';
import { openNamespace, type OwnNamespace } from './own-namespace.ts';

const { kube } = getStack();
const NAMESPACE = 'lifecycle-roll';
let own: OwnNamespace;

beforeAll(async () => {
  own = await openNamespace(NAMESPACE);
}, 120_000);

afterAll(async () => {
  await own.end();
}, 120_000);

interface Wish {
  readonly replicas: number;
  readonly strategy?: object;
}

function deploymentOf(name: string, { replicas, strategy }: Wish): object {
  const labels = { [CLUSTER_LABEL]: NAMESPACE, pool: name };
  return {
    apiVersion: MACHINE_DEPLOYMENTS.apiVersion,
    kind: MACHINE_DEPLOYMENTS.kind,
    metadata: { name, namespace: NAMESPACE },
    spec: {
      replicas,
      selector: { matchLabels: { pool: name } },
      template: { metadata: { labels }, spec: { providerSpec: providerSpecOf() } },
      ...(strategy === undefined ? {} : { strategy }),
    },
  };
}

const create = (name: string, wish: Wish) => kube.create(MACHINE_DEPLOYMENTS, NAMESPACE, deploymentOf(name, wish));
const change = (name: string, spec: object) => kube.mergePatch(MACHINE_DEPLOYMENTS, NAMESPACE, name, { spec });
const annotate = (value: string) => ({ template: { metadata: { annotations: { 'example.com/version': value } } } });
const untilDeployment = (
  name: string,
  what: string,
  isIt: (seen: MachineDeploymentObject) => boolean,
  timeoutMs = 60_000,
) =>
  until(
    `${name}: ${what}`,
    () => kube.get<MachineDeploymentObject>(MACHINE_DEPLOYMENTS, NAMESPACE, name),
    (seen) => seen.status?.observedGeneration === seen.metadata.generation && isIt(seen),
    { timeoutMs },
  );
const isRolledOut = ({ status }: MachineDeploymentObject): boolean =>
  status?.conditions?.some(({ type, reason }) => type === 'Progressing' && reason === 'NewReplicaSetAvailable') ===
  true;
const machinesOf = async (name: string): Promise<MachineObject[]> =>
  (await own.machines()).filter(({ metadata }) => metadata.labels?.['pool'] === name);
const setsOf = async (name: string): Promise<MachineSetObject[]> => {
  const { items } = await kube.list<MachineSetObject>(MACHINE_SETS, { namespace: NAMESPACE });
  return items.filter(({ metadata }) => metadata.labels?.['pool'] === name);
};
const versionOf = ({ metadata }: MachineObject) => metadata.annotations?.['example.com/version'];

/** Looks at what there is again and again, until told to end; answers the extremes. */
function watchBounds(name: string) {
  const seen = { most: 0, leastReady: Infinity };
  const watch = { isOver: false };
  const uids = new Set<string>();
  const run = (async () => {
    while (!watch.isOver) {
      const machines = await machinesOf(name);
      for (const { metadata } of machines) uids.add(metadata.uid);
      const isReady = (machine: MachineObject) =>
        machine.metadata.deletionTimestamp === undefined &&
        machine.status?.conditions?.some(({ type, status }) => type === 'NodeReady' && status === 'True') === true;
      seen.most = Math.max(seen.most, machines.length);
      seen.leastReady = Math.min(seen.leastReady, machines.filter(isReady).length);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  return {
    async end() {
      watch.isOver = true;
      await run;
      return { ...seen, mostInstances: await mostAtOnce(uids) };
    },
  };
}

/** The most instances of these machines that lived at one time, by the cloud's own record. */
async function mostAtOnce(uids: ReadonlySet<string>): Promise<number> {
  const { instances } = await readLedger();
  const changes = instances
    .filter(({ machine }) => machine !== null && uids.has(machine))
    .flatMap(({ createdAt, endedAt }) => [
      { at: Date.parse(createdAt), by: 1 },
      ...(endedAt === null ? [] : [{ at: Date.parse(endedAt), by: -1 }]),
    ])
    .sort((a, b) => a.at - b.at || a.by - b.by);
  let [living, most] = [0, 0];
  for (const { by } of changes) {
    living += by;
    most = Math.max(most, living);
  }
  return most;
}

test('makes machines of its template, by a MachineSet of its own', async () => {
  await create('web', { replicas: 3 });
  const seen = await untilDeployment('web', 'all are there', isRolledOut);
  expect(seen.status).toMatchObject({ replicas: 3, updatedReplicas: 3, availableReplicas: 3, revision: 1 });
  const [set, ...more] = await setsOf('web');
  expect(more).toEqual([]);
  expect(set?.spec).toMatchObject({ replicas: 3, maxMachines: 4 });
  expect(set?.metadata.labels).toMatchObject({ 'cluster.x-k8s.io/deployment-name': 'web' });
}, 90_000);

test('replaces them when the template changes, one more at a time, and none before another is available', async () => {
  const bounds = watchBounds('web');
  await change('web', annotate('2'));
  const seen = await untilDeployment('web', 'rolled', (it) => isRolledOut(it) && it.status?.revision === 2);
  const { most, leastReady, mostInstances } = await bounds.end();
  expect(most).toBe(4);
  expect(mostInstances).toBe(4);
  expect(leastReady).toBe(3);
  expect(seen.status).toMatchObject({ replicas: 3, updatedReplicas: 3, availableReplicas: 3 });
  expect((await machinesOf('web')).map(versionOf)).toEqual(['2', '2', '2']);
  expect((await setsOf('web')).map(({ spec }) => spec.replicas)).toEqual(expect.arrayContaining([0, 3]));
}, 120_000);

test('deleted in mid-roll, it leaves nothing', async () => {
  await change('web', annotate('3'));
  await until(
    'two sets have machines',
    () => setsOf('web'),
    (sets) => sets.filter(({ spec }) => spec.replicas > 0).length === 2,
  );
  await kube.delete(MACHINE_DEPLOYMENTS, NAMESPACE, 'web');
  await until(
    'all machines are gone',
    () => machinesOf('web'),
    (left) => left.length === 0,
    { timeoutMs: 60_000 },
  );
  await until(
    'all sets are gone',
    () => setsOf('web'),
    (left) => left.length === 0,
  );
  expect(await unlessGone(kube.get(MACHINE_DEPLOYMENTS, NAMESPACE, 'web'))).toBeUndefined();
}, 120_000);

test('20 machines are rolled with 3 besides: never more than 23, never fewer than 20 Ready, and at the end all are new', async () => {
  const rollingUpdate = { maxSurge: 3, maxUnavailable: 0 };
  await create('many', { replicas: 20, strategy: { type: 'RollingUpdate', rollingUpdate } });
  await untilDeployment('many', 'all are there', isRolledOut);
  const bounds = watchBounds('many');
  await change('many', annotate('2'));
  const began = Date.now();
  await untilDeployment('many', 'rolled', (it) => isRolledOut(it) && it.status?.revision === 2, 150_000);
  console.log(`20 machines rolled in ${(Date.now() - began) / 1000} s`);
  const { most, leastReady, mostInstances } = await bounds.end();
  expect(most).toBe(23);
  expect(mostInstances).toBeLessThanOrEqual(23);
  expect(leastReady).toBe(20);
  const machines = await machinesOf('many');
  expect(machines.map(versionOf)).toEqual(Array.from({ length: 20 }, () => '2'));
}, 240_000);
