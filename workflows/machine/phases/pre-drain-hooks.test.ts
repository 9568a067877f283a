import { describe, expect, it } from '@jest/globals';
import { KubeError } from '../../../k8s/kube-error.ts';
import { isOurCondition, type Node } from '../../../k8s/model/node.ts';
import { NODES, PODS } from '../../../k8s/resources.ts';
import { aPass, type PassFacts } from '../../../test/workflow/a-pass.ts';
import { busyMachine, drainedMachine, nodeOf, relax } from '../../../test/workflow/drained-machine.ts';
import { eventsOf, provisioned, statesOf } from '../../../test/workflow/machine-stages.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { aLaunch } from '../../../test/world/builders/a-launch.ts';
import { MADE_AT } from '../../../test/world/builders/metadata.ts';
import { before } from '../../../test/world/kubernetes/request.ts';
import type { MachineWorld } from '../../../test/world/machine-world.ts';
import { changedSignal } from '../../signals.ts';
import { DONE } from '../answer.ts';
import { preDrainHooks } from './pre-drain-hooks.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const GUARD = { point: 'preDrain', name: 'EtcdQuorumOperator', owner: 'clusteroperator/etcd' } as const;
const NODE_REF = { name: 'n', uid: 'uid-of-n' };

function beingDeleted({ status, ...facts }: PassFacts = {}) {
  const known = {
    instance: { id: 'i-1', state: 'running' },
    launch: aLaunch({ namespace: 'ns', name: 'm', uid: 'uid-1' }),
  } as const;
  return aPass({ machine: { hooks: [GUARD], deletedAt: MADE_AT }, status: { ...known, ...status }, ...facts });
}

/** A machine without a Node, which is deleted right after something has changed. */
async function hooked(name: string, change: (world: MachineWorld) => void = () => {}) {
  const { world, handle } = await provisioned(temporal, name);
  await world.edit({ spec: { lifecycleHooks: { preDrain: [{ name: GUARD.name, owner: GUARD.owner }] } } });
  change(world);
  await world.delete();
  await temporal.signal(handle, changedSignal);
  return { world, handle };
}

describe('a preDrain hook', () => {
  it('holds a Machine that had a Node, and says which hook and whose', async () => {
    const pass = beingDeleted({ status: { nodeRef: NODE_REF } });
    const words = 'preDrain hook EtcdQuorumOperator of clusteroperator/etcd';
    expect(await preDrainHooks(pass)).toMatchObject({
      wait: { reason: 'HookPresent', message: expect.stringContaining(words) },
    });
    expect(pass.status.conditions).toMatchObject([
      { type: 'Drainable', status: 'False', message: `waits for ${words}` },
    ]);
  });

  it('holds an instance that was taken over, or whose record was lost: its Node may be on no record', async () => {
    const pass = aPass({ machine: { hooks: [GUARD], deletedAt: MADE_AT, providerID: 'aws:///zone/i-1' } });
    expect(await preDrainHooks(pass)).toMatchObject({ outcome: 'wait', wait: { reason: 'HookPresent' } });
  });

  it.each<[string, PassFacts]>([
    ['whose instance was asked to end', { status: { nodeRef: NODE_REF }, memory: { isEndAskedFor: true } }],
    [
      'whose only hook holds the termination',
      { status: { nodeRef: NODE_REF }, machine: { hooks: [{ ...GUARD, point: 'preTerminate' }] } },
    ],
  ])('does not hold a Machine %s', async (_what, facts) => {
    const pass = beingDeleted(facts);
    expect(await preDrainHooks(pass)).toBe(DONE);
    expect(pass.status.conditions).toEqual([]);
  });

  it('does not hold a Machine that never had an instance', async () => {
    const pass = aPass({ machine: { hooks: [GUARD], deletedAt: MADE_AT } });
    expect(await preDrainHooks(pass)).toBe(DONE);
  });

  it('holds a Machine whose Node joined right before the deletion, which nobody has seen yet', async () => {
    const { world, handle } = await hooked('joined-late', (machine) => machine.nodeRegisters());
    await temporal.until(() => world.status.waiting?.reason === 'HookPresent');
    await temporal.pass(60);
    expect([world.status.nodeRef?.name, world.cloud.calls('terminate').length]).toEqual(['node-of-joined-late', 0]);
    await world.edit({ spec: { lifecycleHooks: null } });
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(eventsOf(world, 'DrainSucceeded')).toHaveLength(1);
  });

  it('is told by one event, and so is one that comes later', async () => {
    const { world, handle } = await hooked('told', (machine) => machine.nodeRegisters());
    await temporal.until(() => eventsOf(world, 'DrainBlocked').length === 1);
    await temporal.signal(handle, changedSignal);
    await temporal.pass(60);
    expect(eventsOf(world, 'DrainBlocked')).toHaveLength(1);
    const late = { name: 'late', owner: 'team' };
    await world.edit({ spec: { lifecycleHooks: { preDrain: [{ name: GUARD.name, owner: GUARD.owner }, late] } } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => eventsOf(world, 'DrainBlocked').length === 2);
    expect(eventsOf(world, 'DrainBlocked')[1]?.message).toContain('preDrain hook late of team');
    await world.edit({ spec: { lifecycleHooks: null } });
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });

  it('does not hold a Machine whose Node never joined', async () => {
    const { world, handle } = await hooked('never-joined');
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(eventsOf(world, 'DrainBlocked')).toEqual([]);
  });
});

it('a preDrain hook that is added during the drain holds what is left of it until it goes', async () => {
  const web = { name: 'web-1', labels: { app: 'web' } };
  const { world, handle } = await drainedMachine(temporal, 'hooked-late', { pods: [web], budgets: { web: 1 } });
  await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked');
  await world.edit({ spec: { lifecycleHooks: { preDrain: [{ name: GUARD.name, owner: GUARD.owner }] } } });
  await temporal.signal(handle, changedSignal);
  await temporal.until(() => world.status.waiting?.reason === 'HookPresent');
  await relax(world, 'web', 0);
  await temporal.pass(60);
  expect(world.kube.all(PODS).map(({ metadata }) => metadata.name)).toEqual(['web-1']);
  expect(world.kube.peek(NODES, undefined, nodeOf(world))).toMatchObject({ spec: { unschedulable: true } });
  await world.edit({ spec: { lifecycleHooks: null } });
  await temporal.signal(handle, changedSignal);
  await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  expect([world.kube.all(PODS), world.nodes, statesOf(world)]).toEqual([[], [], ['terminated']]);
});

describe('while a preDrain hook holds a drain that is under way', () => {
  const nodeIn = (world: MachineWorld) => world.kube.peek(NODES, undefined, nodeOf(world)) as unknown as Node;
  const told = (world: MachineWorld) =>
    (nodeIn(world).status?.conditions ?? [])
      .filter(isOurCondition)
      .map(({ type, status, message }) => `${type} ${status}: ${message}`);
  const writes = (world: MachineWorld) =>
    world.requests.filter(({ verb, resource }) => verb === 'apply' && resource.kind === 'Node').length;
  const byHand = (world: MachineWorld) =>
    world.kube.others.mergePatch(NODES, undefined, nodeOf(world), { spec: { unschedulable: null } });
  const hooks = (...names: readonly string[]) => ({
    spec: { lifecycleHooks: { preDrain: names.map((name) => ({ name, owner: 'team' })) } },
  });

  async function resting(name: string) {
    const web = { name: 'web-1', labels: { app: 'web' } };
    const { world, handle } = await drainedMachine(temporal, name, { pods: [web], budgets: { web: 1 } });
    await temporal.until(() => world.condition('Drained')?.reason === 'PodsBlocked');
    await temporal.pass(10);
    await world.edit(hooks('Quorum'));
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.reason === 'HookPresent');
    return { world, handle };
  }

  it('Machine and Node tell that it rests, and by which hook, and nothing of pods', async () => {
    const { world, handle } = await resting('rests');
    const rests = 'the drain rests: it waits for preDrain hook Quorum of team';
    expect(world.condition('Drained')).toMatchObject({ status: 'False', reason: 'HookPresent', message: rests });
    expect(told(world)).toEqual([`DrainInProgress True: ${rests}`]);
    const sofar = writes(world);
    await temporal.signal(handle, changedSignal);
    await temporal.pass(7 * 3600);
    expect(writes(world)).toBe(sofar);

    await world.edit(hooks('Quorum', 'Backup'));
    await temporal.signal(handle, changedSignal);
    await temporal.pass(1);
    expect(world.condition('Drained')?.message).toBe(`${rests}; preDrain hook Backup of team`);
    expect(told(world)).toEqual([`DrainInProgress True: ${rests}; preDrain hook Backup of team`]);

    await world.edit({ spec: { lifecycleHooks: null } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('Drained')?.reason === 'PodsBlocked');
    await temporal.pass(10);
    expect(told(world)).toEqual(['DrainInProgress True: some pods are there still that have to leave']);
    await relax(world, 'web', 0);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });

  it('a Node that somebody uncordons is cordoned again, and its drain goes on with that', async () => {
    const { world, handle } = await resting('opened');
    await byHand(world);
    expect(nodeIn(world).spec?.unschedulable).toBeUndefined();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => nodeIn(world).spec?.unschedulable === true);
    expect(world.status.waiting?.reason).toBe('HookPresent');
    await relax(world, 'web', 0);
    await world.edit({ spec: { lifecycleHooks: null } });
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });

  it('it is cordoned later where the API server could not take that at once', async () => {
    const { world, handle } = await resting('later');
    await byHand(world);
    world.onRequest = before({ verb: 'apply', resource: NODES, nth: 1 }, () => {
      throw new KubeError(503, 'ServiceUnavailable', 'etcd has no leader');
    });
    await temporal.signal(handle, changedSignal);
    await temporal.pass(5);
    expect(nodeIn(world).spec?.unschedulable).toBeUndefined();
    await temporal.until(() => nodeIn(world).spec?.unschedulable === true, { within: 40 });
  });
});

it('a Node that was emptied for a maintenance says what it waits for when that is over', async () => {
  const { world, handle } = await busyMachine(temporal, 'worked-on');
  const told = () =>
    ((world.kube.peek(NODES, undefined, nodeOf(world)) as unknown as Node).status?.conditions ?? [])
      .filter(isOurCondition)
      .map(({ type, message }) => `${type}: ${message}`);
  await world.edit({ spec: { maintenance: true } });
  await temporal.signal(handle, changedSignal);
  await temporal.until(() => world.status.maintenance === true);
  const preDrain = [{ name: GUARD.name, owner: GUARD.owner }];
  await world.edit({ spec: { lifecycleHooks: { preDrain }, delete: true } });
  await temporal.signal(handle, changedSignal);
  await temporal.until(() => world.status.waiting?.reason === 'HookPresent');
  await temporal.pass(60);
  expect(told()).toContain('MaintenanceInProgress: its machine is in maintenance');

  await world.edit({ spec: { maintenance: null } });
  await temporal.signal(handle, changedSignal);
  await temporal.until(() => !told().join().includes('Maintenance'));
  expect(told()).toEqual([
    `DrainInProgress: the drain rests: it waits for preDrain hook ${GUARD.name} of ${GUARD.owner}`,
  ]);
  expect(world.kube.peek(NODES, undefined, nodeOf(world))).toMatchObject({ spec: { unschedulable: true } });

  await world.edit({ spec: { delete: null } });
  await temporal.signal(handle, changedSignal);
  await temporal.until(() => told().length === 0, { within: 120 });
  expect((world.kube.peek(NODES, undefined, nodeOf(world)) as unknown as Node).spec?.unschedulable).toBeUndefined();
});

it('before the drain began a preDrain hook has nothing cordoned', async () => {
  const { world, handle } = await hooked('not-begun', (machine) => machine.nodeRegisters());
  await temporal.until(() => world.status.waiting?.reason === 'HookPresent');
  await temporal.signal(handle, changedSignal);
  await temporal.pass(60);
  expect(world.requests.filter(({ verb, resource }) => verb === 'apply' && resource.kind === 'Node')).toEqual([]);
  expect(world.condition('Drained')).toBeUndefined();
});
