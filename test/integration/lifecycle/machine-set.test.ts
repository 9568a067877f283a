import { describe, expect, test } from '@jest/globals';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINE_SETS } from '../../../k8s/dialects/openshift/resources.ts';
import { rawRequest, tableOf } from '../api/raw-request.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import { readLedger } from './cloud.ts';
import { conditionOf, type OwnNamespace } from './own-namespace.ts';
import { useNamespace } from './use-namespace.ts';

const { kube, kubeconfig } = getStack();
const NAMESPACE = 'lifecycle-set';
const SCALE = `/apis/machine.openshift.io/v1beta1/namespaces/${NAMESPACE}/machinesets`;
let own: OwnNamespace;
useNamespace(NAMESPACE, (opened) => (own = opened));

const nameOf = ({ metadata }: MachineObject) => metadata.name;
const ownersOf = (machine: MachineObject | undefined) =>
  machine?.metadata.ownerReferences?.map(({ name }) => name) ?? [];
const isActive = ({ metadata }: MachineObject) => metadata.deletionTimestamp === undefined;
const inSet = async (set: string) => (await own.machines()).filter(({ metadata }) => metadata.labels?.['set'] === set);
const untilActive = (set: string, count: number) =>
  until(
    `${count} machines in ${set}`,
    () => inSet(set),
    (seen) => seen.length === count && seen.every(isActive),
    { timeoutMs: 40_000 },
  );
const quiet = () => new Promise((resolve) => setTimeout(resolve, 4_000));

/** As `kubectl scale` does it. */
async function scale(set: string, replicas: number): Promise<void> {
  await kube.mergePatch(MACHINE_SETS, NAMESPACE, set, { spec: { replicas } }, { subresource: 'scale' });
}

async function readScale(set: string): Promise<{ spec: { replicas: number }; status: object }> {
  const { body } = await rawRequest(kubeconfig, `${SCALE}/${set}/scale`);
  return body as { spec: { replicas: number }; status: object };
}

describe('a set of machines', () => {
  test('makes its machines as the template says, owned by it, and counts them', async () => {
    await own.createMachineSet('web', { replicas: 2, labels: { tier: 'front' }, annotations: {} });
    const set = await own.untilMachineSet('web', (s) => s.status?.availableReplicas === 2, '2 available');
    expect(set.status).toMatchObject({
      replicas: 2,
      readyReplicas: 2,
      fullyLabeledReplicas: 2,
      observedGeneration: set.metadata.generation,
      labelSelector: 'set=web',
    });
    expect(conditionOf(set, 'MachinesCreated')).toMatchObject({ status: 'True' });
    for (const { metadata } of await inSet('web')) {
      expect(metadata.name).toMatch(/^web-[a-z0-9]{6}$/);
      expect(metadata.labels).toMatchObject({ tier: 'front', 'machine.openshift.io/cluster-api-machineset': 'web' });
      expect(metadata.ownerReferences).toMatchObject([{ kind: 'MachineSet', name: 'web', controller: true }]);
    }
  }, 60_000);

  test('is scaled by its scale subresource, and shows its numbers there and in its columns', async () => {
    await scale('web', 3);
    await own.untilMachineSet('web', (s) => s.status?.readyReplicas === 3, '3 ready');
    expect(await readScale('web')).toMatchObject({
      spec: { replicas: 3 },
      status: { replicas: 3, selector: 'set=web' },
    });
    const { columnDefinitions, rows } = await tableOf(kubeconfig, NAMESPACE, 'machinesets');
    const row = rows.find(({ cells }) => cells[0] === 'web');
    const shown = Object.fromEntries(columnDefinitions.map(({ name }, i) => [name, row?.cells[i]]));
    expect(shown).toMatchObject({ Desired: 3, Current: 3, Ready: 3, Available: 3 });
  }, 60_000);

  test.each(['machine.openshift.io/delete-machine', 'machine.openshift.io/cluster-api-delete-machine'])(
    'deletes the machine marked with %s first',
    async (annotation) => {
      const before = await untilActive('web', 3);
      const victim = before.map(nameOf).sort()[1] ?? '';
      await own.patchMachine(victim, { metadata: { annotations: { [annotation]: 'true' } } });
      await scale('web', 2);
      const after = await untilActive('web', 2);
      expect(after.map(nameOf).sort()).toEqual(
        before
          .map(nameOf)
          .filter((name) => name !== victim)
          .sort(),
      );
      await scale('web', 3);
      await own.untilMachineSet('web', (s) => s.status?.readyReplicas === 3, '3 ready again');
    },
    90_000,
  );

  test('makes up for a machine that somebody deleted', async () => {
    const before = await untilActive('web', 3);
    const victim = before[0];
    await own.removeMachine(victim?.metadata.name ?? '');
    const after = await untilActive('web', 3);
    expect(after.map(nameOf)).not.toContain(victim?.metadata.name);
  }, 60_000);

  test('lets a machine go whose labels no longer fit, replaces it, and takes one in that fits', async () => {
    const before = await until(
      'all run',
      () => inSet('web'),
      (seen) => seen.length === 3 && seen.every(({ status }) => status?.phase === 'Running'),
    );
    const leaving = before[0]?.metadata.name ?? '';
    await own.patchMachine(leaving, { metadata: { labels: { set: 'quarantine' } } });
    const released = await own.untilMachine(leaving, (m) => ownersOf(m).length === 0, 'it is released');
    expect(released.status?.phase).toBe('Running');
    await untilActive('web', 3);
    expect((await readLedger(released.metadata.uid)).instances).toMatchObject([{ state: 'running' }]);

    await own.createMachineSet('home', { replicas: 1, annotations: {} });
    await untilActive('home', 1);
    await scale('home', 2);
    await untilActive('home', 2);
    await own.patchMachineSet('home', { spec: { replicas: 3 } });
    await own.patchMachine(leaving, { metadata: { labels: { set: 'home' } } });
    const adopted = await own.untilMachine(leaving, (m) => ownersOf(m).includes('home'), 'it is adopted');
    expect(adopted.metadata.ownerReferences).toMatchObject([{ name: 'home', controller: true }]);
    await untilActive('home', 3);
    await own.patchMachineSet('home', { spec: { replicas: 0 } });
    await untilActive('home', 0);
  }, 120_000);
});

test.each(['Newest', 'Oldest'])(
  'deletePolicy %s chooses by age',
  async (deletePolicy) => {
    const set = `by-age-${deletePolicy.toLowerCase()}`;
    await own.createMachineSet(set, { replicas: 1, set: { deletePolicy } });
    const [elder] = await untilActive(set, 1);
    await own.untilPhase(elder?.metadata.name ?? '', 'Running');
    // Creation times have whole seconds.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await scale(set, 2);
    await own.untilMachineSet(set, (s) => s.status?.readyReplicas === 2, '2 ready');
    await scale(set, 1);
    const [left] = await untilActive(set, 1);
    expect(left?.metadata.name === elder?.metadata.name).toBe(deletePolicy === 'Newest');
  },
  90_000,
);

test('a machine is available only after minReadySeconds', async () => {
  await own.createMachineSet('patient', { replicas: 1, set: { minReadySeconds: 8 } });
  const ready = await own.untilMachineSet('patient', (s) => s.status?.readyReplicas === 1, 'ready', { everyMs: 100 });
  expect(ready.status?.availableReplicas).toBe(0);
  const [machine] = await inSet('patient');
  const since = machine === undefined ? undefined : conditionOf(machine, 'NodeReady')?.lastTransitionTime;
  await own.untilMachineSet('patient', (s) => s.status?.availableReplicas === 1, 'available', { everyMs: 100 });
  expect(Date.now() - Date.parse(since ?? '')).toBeGreaterThanOrEqual(8_000);
}, 60_000);

test('a paused set creates and deletes nothing, says so, and goes on when the pause is taken off', async () => {
  await own.createMachineSet('frozen', { replicas: 2, annotations: { 'cluster.x-k8s.io/paused': '' } });
  const set = await own.untilMachineSet('frozen', (s) => conditionOf(s, 'Paused') !== undefined, 'Paused');
  expect(conditionOf(set, 'Paused')).toMatchObject({
    status: 'True',
    message: expect.stringMatching(/cluster\.x-k8s\.io\/paused is set/),
  });
  await quiet();
  expect(await inSet('frozen')).toEqual([]);
  const pauseWith = (value: string | null) => ({ metadata: { annotations: { 'cluster.x-k8s.io/paused': value } } });
  await own.patchMachineSet('frozen', pauseWith(null));
  const going = await own.untilMachineSet('frozen', (s) => s.status?.readyReplicas === 2, '2 ready');
  expect(conditionOf(going, 'Paused')).toBeUndefined();
  await own.patchMachineSet('frozen', pauseWith(''));
  await own.untilMachineSet('frozen', (s) => conditionOf(s, 'Paused') !== undefined, 'Paused again');
  await scale('frozen', 0);
  await quiet();
  expect((await inSet('frozen')).filter(isActive)).toHaveLength(2);
  await own.patchMachineSet('frozen', pauseWith(null));
  await untilActive('frozen', 0);
}, 90_000);
