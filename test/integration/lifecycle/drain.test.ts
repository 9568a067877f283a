import { expect, test } from '@jest/globals';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { EXCLUDED_LABEL, type Node } from '../../../k8s/model/node.ts';
import { DISRUPTION_BUDGETS, EVENTS, NODES } from '../../../k8s/resources.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import { isLive, readLedger } from './cloud.ts';
import { conditionOf, type OwnNamespace } from './own-namespace.ts';
import { useNamespace } from './use-namespace.ts';
import { Workloads } from './workloads.ts';

const { kube } = getStack();
const NAMESPACE = 'lifecycle-drain';
const workloads = new Workloads(NAMESPACE);
let own: OwnNamespace;
useNamespace(NAMESPACE, (opened) => (own = opened));

const waitReason = (machine: MachineObject) => machine.status?.waiting?.reason;

/** A machine with one pod on its Node. */
async function machineWith(
  name: string,
  app: string,
  spec: Readonly<Record<string, unknown>> = {},
): Promise<MachineObject> {
  await own.createMachine(name, { spec });
  const machine = await own.untilPhase(name, 'Running');
  await workloads.runPod(machine, app);
  return machine;
}

async function untilGone(name: string): Promise<void> {
  await own.untilMachines('it is gone', (left) => left.every(({ metadata }) => metadata.name !== name), {
    timeoutMs: 90_000,
  });
}

async function expectAlive({ metadata }: MachineObject): Promise<void> {
  const { calls, instances } = await readLedger(metadata.uid);
  expect(calls.filter(({ action }) => action === 'terminate')).toEqual([]);
  expect(instances.filter(isLive)).toHaveLength(1);
}

async function reasonsOf(name: string): Promise<string[]> {
  const fieldSelector = `involvedObject.name=${name}`;
  const { items } = await kube.list<{ reason: string }>(EVENTS, { namespace: NAMESPACE, fieldSelector });
  return items.map(({ reason }) => reason);
}

test('a budget that allows nothing keeps the pod and the instance, and says so; when it allows it, both go', async () => {
  const up = await machineWith('blocked', 'web');
  await workloads.limit('web', 'web', 1);
  await own.deleteMachine('blocked');
  const held = await own.untilMachine('blocked', (m) => waitReason(m) === 'PodsBlocked', 'its budget blocks it');
  const words = `pod ${NAMESPACE}/web-1: PodDisruptionBudget web allows 0 disruptions now (1 healthy, 1 needed)`;
  expect(held.status?.waiting?.message).toContain(words);
  expect(conditionOf(held, 'Drained')).toMatchObject({ status: 'False', reason: 'PodsBlocked' });
  const node = await kube.get<{ spec: { unschedulable?: boolean } }>(NODES, undefined, up.status?.nodeRef?.name ?? '');
  expect(node.spec.unschedulable).toBe(true);
  await expectAlive(up);
  expect((await workloads.pod('web-1'))?.metadata.deletionTimestamp).toBeUndefined();

  await workloads.relax('web');
  await untilGone('blocked');
  expect(await workloads.pod('web-1')).toBeUndefined();
  expect(await reasonsOf('blocked')).toEqual(expect.arrayContaining(['DrainRequeued', 'DrainSucceeded', 'Delete']));
}, 150_000);

test('two budgets of one pod are named, and hold it until one of them is gone', async () => {
  await machineWith('twice', 'db');
  await workloads.limit('db-a', 'db', 0);
  await workloads.limit('db-b', 'db', 0);
  await own.deleteMachine('twice');
  const isTold = (m: MachineObject) => waitReason(m) === 'MisconfiguredBudget';
  const held = await own.untilMachine('twice', isTold, 'its budgets are told');
  expect(held.status?.waiting?.message).toContain('PodDisruptionBudgets db-a and db-b both apply');
  await kube.delete(DISRUPTION_BUDGETS, NAMESPACE, 'db-b');
  await own.patchMachine('twice', { spec: { drain: { timeout: '1m', onTimeout: 'Force' } } });
  await untilGone('twice');
}, 240_000);

test('hooks hold at their points: nothing is cordoned before the first, and the pods have left before the second', async () => {
  const hook = (name: string) => [{ name, owner: 'the test' }];
  const lifecycleHooks = { preDrain: hook('First'), preTerminate: hook('Second') };
  const up = await machineWith('hooked', 'batch', { lifecycleHooks });
  await own.deleteMachine('hooked');
  await own.untilMachine('hooked', (m) => conditionOf(m, 'Drainable')?.status === 'False', 'the first hook holds it');
  expect((await workloads.pod('batch-1'))?.metadata.deletionTimestamp).toBeUndefined();
  await own.patchMachine('hooked', { spec: { lifecycleHooks: { preDrain: null } } });
  const drained = await own.untilMachine(
    'hooked',
    (m) => conditionOf(m, 'Terminable')?.status === 'False',
    'the second',
  );
  expect(conditionOf(drained, 'Drained')).toMatchObject({ status: 'True', reason: 'DrainSucceeded' });
  expect(Object.keys(drained.status?.deletion ?? {}).sort()).toEqual([
    'drainStartTime',
    'preDrainHookStartTime',
    'preTerminateHookStartTime',
  ]);
  expect(await workloads.pod('batch-1')).toBeUndefined();
  await expectAlive(up);
  await own.patchMachine('hooked', { spec: { lifecycleHooks: null } });
  await untilGone('hooked');
}, 150_000);

const nodeNameOf = (machine: MachineObject) => machine.status?.nodeRef?.name ?? '';

test('while pods end, the Node tells that it is drained, and load balancers to leave it out; an abort takes both back', async () => {
  await own.createMachine('beside', {});
  const beside = nodeNameOf(await own.untilPhase('beside', 'Running'));
  await kube.mergePatch(NODES, undefined, beside, { metadata: { labels: { [EXCLUDED_LABEL]: 'theirs' } } });
  await own.createMachine('telling', {});
  const up = await own.untilPhase('telling', 'Running');
  await workloads.runPod(up, 'slow', { endsWhenLet: true });
  const isTold = (node: Node, told: boolean) =>
    EXCLUDED_LABEL in (node.metadata.labels ?? {}) === told &&
    (node.status?.conditions ?? []).some(({ type }) => type === 'DrainInProgress') === told;
  const untilTold = (what: string, told: boolean) =>
    until(
      what,
      () => kube.get<Node>(NODES, undefined, nodeNameOf(up)),
      (node) => isTold(node, told),
      { timeoutMs: 60_000 },
    );
  try {
    await own.patchMachine('telling', { spec: { delete: true } });
    const told = await untilTold('the Node tells that it is drained', true);
    expect(told.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'DrainInProgress', status: 'True' }),
    );
    expect((await workloads.pod('slow-1'))?.metadata.deletionTimestamp).toBeDefined();
    await own.patchMachine('telling', { spec: { delete: false } });
    const after = await untilTold('the Node tells of no drain', false);
    expect(after.spec?.unschedulable).not.toBe(true);
    expect((await workloads.pod('slow-1'))?.metadata.deletionTimestamp).toBeDefined();
  } finally {
    await workloads.letEnd('slow-1');
  }
  const other = await kube.get<Node>(NODES, undefined, beside);
  expect(other.metadata.labels).toMatchObject({ [EXCLUDED_LABEL]: 'theirs' });
}, 150_000);

test('with Force a pod that its budget keeps is deleted before the time is over', async () => {
  const up = await machineWith('forced', 'queue', { drain: { timeout: '40s', onTimeout: 'Force' } });
  await workloads.limit('queue', 'queue', 1);
  await own.deleteMachine('forced');
  await own.untilMachine('forced', (m) => waitReason(m) === 'PodsBlocked', 'its budget blocks it');
  await expectAlive(up);
  await untilGone('forced');
  expect(await workloads.pod('queue-1')).toBeUndefined();
}, 150_000);
