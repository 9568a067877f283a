/**
 * What cluster-autoscaler 1.36.1 does with the provider clusterapi, call by call as its sources have it, as the user of examples/cluster-autoscaler-rbac.yaml,
 * against the API server, our processes and the simulated cloud.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { join } from 'node:path';
import type { MachineDeploymentObject } from '../../../k8s/api/machine.openshift.io/machine-deployment.ts';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { DELETE_MACHINE_ANNOTATION, MACHINE_ANNOTATION } from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINE_DEPLOYMENTS, MACHINES, MACHINE_SETS } from '../../../k8s/dialects/openshift/resources.ts';
import type { Node } from '../../../k8s/model/node.ts';
import { PAUSED_ANNOTATION } from '../../../k8s/model/paused-annotation.ts';
import { NODES } from '../../../k8s/resources.ts';
import { readAccess } from '../../autoscaler/access.ts';
import { AutoscalerCalls, CallRefused, goTime, TAINT, type Group } from '../../autoscaler/calls.ts';
import { CaseWorld, type GroupWish } from '../../autoscaler/case-world.ts';
import { isRolling, readGroup } from '../../autoscaler/stand-in-world.ts';
import { makeAutoscalerUser } from '../../autoscaler/user.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import { behave } from './cloud.ts';
import { openNamespace, type OwnNamespace } from './own-namespace.ts';

const stack = getStack();
const { kube } = stack;
const NAMESPACE = 'autoscaler-contract';
/** Of no other test. */
const TYPE = 'sim.contract';
const CAPACITY = 'capacity.cluster-autoscaler.kubernetes.io/';
let own: OwnNamespace;
let calls: AutoscalerCalls;
let world: CaseWorld;

beforeAll(async () => {
  own = await openNamespace(NAMESPACE, { workerArgs: ['--capacity-failure-after', '3'] });
  const kubeconfig = join(stack.stateDir, 'autoscaler-contract.kubeconfig');
  await makeAutoscalerUser(stack.kubeconfig, kubeconfig);
  calls = new AutoscalerCalls(await readAccess(kubeconfig), NAMESPACE);
  world = new CaseWorld({ kube, namespace: NAMESPACE, behave });
}, 120_000);

afterAll(async () => {
  await behave('sim.none', {});
  await behave(TYPE, {});
  await own.end();
}, 120_000);

/** As its informers see it now. */
async function group(name: string): Promise<Group> {
  const found = (await calls.groups()).find(({ metadata }) => metadata.name === name);
  if (found === undefined) throw new Error(`${name} is no group`);
  return found;
}

const isLiving = ({ metadata }: MachineObject) => metadata.deletionTimestamp === undefined;
const living = async (name: string) => (await calls.members(await group(name))).filter(isLiving);
const names = (machines: readonly MachineObject[]) => machines.map(({ metadata }) => metadata.name).sort();

/** So many of the group are there, and cluster-autoscaler takes each for a Node that has registered. */
async function ready(name: string, count: number) {
  const seen = await until(
    `${name} has ${count} Nodes`,
    async () => {
      const { ready: members } = (await readGroup(calls, await group(name), await calls.nodes())) ?? { ready: [] };
      const running = members.filter(
        ({ machine: { status } }) => status?.nodeRef !== undefined && status.phase === 'Running',
      );
      return { members: running, living: (await living(name)).length };
    },
    (it) => it.members.length === count && it.living === count,
    { timeoutMs: 60_000 },
  );
  return seen.members;
}

async function open(wish: GroupWish): Promise<Group> {
  await world.makeGroup(wish);
  return group(wish.name);
}

/** As it takes one away, its own taint first. */
async function takeAway(name: string, machine: MachineObject, least = 0): Promise<void> {
  const node = (await calls.nodes()).find(({ spec }) => spec?.providerID === machine.spec.providerID);
  if (node !== undefined) await calls.taint(node);
  await calls.deleteNodes(await group(name), [machine.metadata.name], least);
}

const release = (name: string, version: string) =>
  kube.mergePatch<MachineDeploymentObject>(MACHINE_DEPLOYMENTS, NAMESPACE, name, {
    spec: { template: { metadata: { annotations: { 'example.com/version': version } } } },
  });

test('it finds what it needs at its start', async () => {
  const needed = ['machines', 'machinesets', 'machinesets/scale', 'machinedeployments', 'machinedeployments/scale'];
  expect(await calls.discover()).toEqual(expect.arrayContaining(needed));
  await expect(calls.read(`/apis/machine.openshift.io/v1beta1/machinehealthchecks`)).rejects.toThrow('HTTP 403');
});

describe('a set', () => {
  const SET: GroupWish = { kind: 'MachineSet', name: 'contract-set', replicas: 0, min: 1, max: 5, instanceType: TYPE };

  test('is scaled from zero: it says what a Node will be like, and its Nodes are its Machines', async () => {
    await open(SET);
    const { metadata } = await until(
      'its capacity is told',
      () => group(SET.name),
      (it) => it.metadata.annotations?.[`${CAPACITY}memory`] !== undefined,
    );
    expect(metadata.annotations).toMatchObject({ [`${CAPACITY}cpu`]: '3920m', [`${CAPACITY}memory`]: '13621Mi' });
    const labels = metadata.annotations?.[`${CAPACITY}labels`]?.split(',') ?? [];
    await calls.setReplicas(await group(SET.name), 4);
    const members = await ready(SET.name, 4);
    for (const { machine, node } of members) {
      expect(node.metadata.annotations?.[MACHINE_ANNOTATION]).toBe(`${NAMESPACE}/${machine.metadata.name}`);
      expect(machine.status?.nodeRef?.name).toBe(node.metadata.name);
      // What was told of them is so.
      const told = Object.entries(node.metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`);
      expect(told).toEqual(expect.arrayContaining(labels));
    }
    const ids = members.map(({ machine }) => machine.spec.providerID?.split('/').at(-1));
    expect(new Set(ids).size).toBe(4);
  }, 120_000);

  test('loses the marked one, and no other; the mark alone deletes nothing', async () => {
    const [first, second] = await ready(SET.name, 4);
    if (first === undefined || second === undefined) throw new Error('there are none');
    await calls.mark(first.machine.metadata.name);
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(await living(SET.name)).toHaveLength(4);
    await calls.setReplicas(await group(SET.name), 3);
    const left = await ready(SET.name, 3);
    expect(names(left.map(({ machine }) => machine))).not.toContain(first.machine.metadata.name);
    // Two in a row, one of which changes while it is being written.
    const stale = await calls.machine(second.machine.metadata.name);
    await kube.mergePatch(MACHINES, NAMESPACE, second.machine.metadata.name, {
      metadata: { labels: { other: 'writer' } },
    });
    const conflict = await calls.putMarked(stale).catch((error: unknown) => error);
    expect(conflict).toBeInstanceOf(CallRefused);
    expect((conflict as CallRefused).status).toBe(409);
    await takeAway(SET.name, second.machine, 1);
    const after = await ready(SET.name, 2);
    expect(names(after.map(({ machine }) => machine))).not.toContain(second.machine.metadata.name);
  }, 120_000);

  test('is never made smaller than its least size, and keeps what was marked for a decrease that failed', async () => {
    const [first] = await ready(SET.name, 2);
    if (first === undefined) throw new Error('there is none');
    await expect(calls.deleteNodes(await group(SET.name), names(await living(SET.name)), 1)).rejects.toThrow(
      'min size reached',
    );
    await calls.mark(first.machine.metadata.name);
    await calls.unmark(first.machine.metadata.name);
    await calls.setReplicas(await group(SET.name), 3);
    await ready(SET.name, 3);
    expect((await calls.machine(first.machine.metadata.name)).metadata.annotations).not.toHaveProperty([
      DELETE_MACHINE_ANNOTATION,
    ]);
  }, 120_000);

  test('lets go what never came, where fewer are asked for', async () => {
    const before = names((await ready(SET.name, 3)).map(({ machine }) => machine));
    await behave(TYPE, { joins: false });
    try {
      await calls.setReplicas(await group(SET.name), 5);
      await until(
        'two more are there, without a Node',
        () => living(SET.name),
        (machines) => machines.length === 5,
      );
      await calls.setReplicas(await group(SET.name), 3);
      await until(
        'they are gone',
        () => living(SET.name),
        (machines) => machines.length === 3,
      );
      expect(names(await living(SET.name))).toEqual(before);
    } finally {
      await behave(TYPE, {});
    }
  }, 120_000);

  test('that is paused is no group, and nothing of it is done', async () => {
    const pause = (value: string | null) =>
      kube.mergePatch(MACHINE_SETS, NAMESPACE, SET.name, { metadata: { annotations: { [PAUSED_ANNOTATION]: value } } });
    await pause('');
    expect(await readGroup(calls, await group(SET.name), [])).toBeUndefined();
    await calls.setReplicas(await group(SET.name), 4);
    await new Promise((resolve) => setTimeout(resolve, 2000));
    expect(await living(SET.name)).toHaveLength(3);
    await calls.setReplicas(await group(SET.name), 3);
    await pause(null);
  }, 60_000);
});

describe('a group for which the cloud has no room', () => {
  const NONE: GroupWish = {
    kind: 'MachineSet',
    name: 'contract-none',
    replicas: 0,
    min: 0,
    max: 3,
    instanceType: 'sim.none',
  };

  test('has Machines that are Failed with a message, both at once, until there is room; they go as any other', async () => {
    await behave('sim.none', { capacity: 0 });
    await open(NONE);
    await calls.setReplicas(await group(NONE.name), 2);
    const failed = await until(
      'both are Failed',
      () => living(NONE.name),
      (machines) => machines.length === 2 && machines.every(({ status }) => status?.phase === 'Failed'),
      { timeoutMs: 30_000, everyMs: 50 },
    );
    for (const { status } of failed) {
      expect(status?.nodeRef).toBeUndefined();
      expect(status?.failureMessage).toBe(status?.errorMessage);
      expect(status?.failureMessage).toMatch(/no room/);
    }
    const [first, second] = names(failed);
    await calls.deleteNodes(await group(NONE.name), [first ?? ''], 0);
    await until(
      'one is left',
      async () => calls.members(await group(NONE.name)),
      (machines) => machines.length === 1,
    );
    await behave('sim.none', {});
    await kube.mergePatch(MACHINES, NAMESPACE, second ?? '', { metadata: { labels: { look: 'again' } } });
    const [machine] = (await ready(NONE.name, 1)).map((member) => member.machine);
    expect(machine?.metadata.name).toBe(second);
    expect(machine?.status).not.toHaveProperty('failureMessage');
    expect(machine?.status?.phase).toBe('Running');
  }, 180_000);
});

describe('a deployment', () => {
  const DEPLOYMENT: GroupWish = { kind: 'MachineDeployment', name: 'contract-deployment', replicas: 0, min: 0, max: 6 };

  test('is scaled up and down by the right machine', async () => {
    await open(DEPLOYMENT);
    await until(
      'its capacity is told',
      () => group(DEPLOYMENT.name),
      (it) => it.metadata.annotations?.[`${CAPACITY}cpu`] === '3920m',
    );
    await calls.setReplicas(await group(DEPLOYMENT.name), 4);
    const members = await ready(DEPLOYMENT.name, 4);
    const victims = members.slice(1, 3).map(({ machine }) => machine);
    for (const victim of victims) await takeAway(DEPLOYMENT.name, victim);
    const left = await ready(DEPLOYMENT.name, 2);
    const expected = names(members.map(({ machine }) => machine)).filter((name) => !names(victims).includes(name));
    expect(names(left.map(({ machine }) => machine))).toEqual(expected);
  }, 180_000);

  test('loses a mark of its that is stale, and keeps one while the Node bears its taint', async () => {
    const [first, second] = await ready(DEPLOYMENT.name, 2);
    if (first === undefined || second === undefined) throw new Error('there are none');
    const isMarked = async ({ machine }: typeof first) =>
      DELETE_MACHINE_ANNOTATION in ((await calls.machine(machine.metadata.name)).metadata.annotations ?? {});
    const longAgo = new Date(Date.now() - 120_000);
    await calls.taint(second.node);
    for (const { machine } of [second, first])
      await calls.putMarked(await calls.machine(machine.metadata.name), longAgo);
    await until(
      'the mark is dropped',
      () => isMarked(first),
      (it) => !it,
      { timeoutMs: 60_000 },
    );
    expect(await isMarked(second)).toBe(true);
    await calls.untaint(second.node);
    await calls.unmark(second.machine.metadata.name);
    const { spec } = await kube.get<Node>(NODES, undefined, second.node.metadata.name);
    expect([spec?.unschedulable, spec?.taints ?? []]).toEqual([undefined, []]);
    expect(await living(DEPLOYMENT.name)).toHaveLength(2);
  }, 120_000);

  test('that rolls is known to roll, and loses the marked machine all the same, in whichever set it is', async () => {
    await calls.setReplicas(await group(DEPLOYMENT.name), 3);
    await ready(DEPLOYMENT.name, 3);
    expect(isRolling(await group(DEPLOYMENT.name), await calls.sets())).toBe(false);
    await release(DEPLOYMENT.name, '2');
    await until(
      'a new machine is there beside old ones',
      async () =>
        (await calls.sets()).filter(
          ({ status, metadata }) => metadata.labels?.['group'] === DEPLOYMENT.name && (status?.readyReplicas ?? 0) > 0,
        ).length,
      (sets) => sets === 2,
      { timeoutMs: 60_000, everyMs: 50 },
    );
    await kube.mergePatch(MACHINE_DEPLOYMENTS, NAMESPACE, DEPLOYMENT.name, { spec: { paused: true } });
    expect(isRolling(await group(DEPLOYMENT.name), await calls.sets())).toBe(true);
    // It stands still in the middle, with machines of both templates.
    await new Promise((resolve) => setTimeout(resolve, 3000));
    const before = await living(DEPLOYMENT.name);
    const { spec } = await group(DEPLOYMENT.name);
    const surplus = before.length - spec.replicas;
    const setOf = ({ metadata }: MachineObject) => metadata.labels?.['machine-template-hash'];
    const hashes = [...new Set(before.map(setOf))];
    expect(hashes).toHaveLength(2);
    // The one that was made first is of the old template, the last of the new: neither is what would go by itself.
    for (const [n, hash] of hashes.entries()) {
      const victim = (await living(DEPLOYMENT.name)).find((machine) => setOf(machine) === hash);
      if (victim === undefined) continue;
      await takeAway(DEPLOYMENT.name, victim);
      const left = await until(
        `the marked one of ${hash} is gone`,
        () => living(DEPLOYMENT.name),
        (machines) => !names(machines).includes(victim.metadata.name),
      );
      expect(left.length).toBeLessThanOrEqual(before.length - 1 - n);
      // Where Machines of one template only are left, the one beyond replicas goes as well; never one of those that are asked for.
      expect(left.length).toBeGreaterThanOrEqual(spec.replicas - 1 - n);
      expect(surplus).toBeLessThanOrEqual(1);
    }
    await kube.mergePatch(MACHINE_DEPLOYMENTS, NAMESPACE, DEPLOYMENT.name, { spec: { paused: false } });
    await ready(DEPLOYMENT.name, 1);
    await until(
      'the roll is over',
      async () => isRolling(await group(DEPLOYMENT.name), await calls.sets()),
      (it) => !it,
    );
  }, 240_000);
});

test('a malformed size is refused on either kind', async () => {
  const bad = { [`machine.openshift.io/cluster-api-autoscaler-node-group-max-size`]: 'many' };
  for (const kind of ['MachineSet', 'MachineDeployment'] as const) {
    const wish: GroupWish = { kind, name: 'malformed', replicas: 0, min: 0, max: 1, annotations: bad };
    await expect(world.makeGroup(wish)).rejects.toThrow("max-size is 'many'");
  }
});

test('the mark is in the words of Go, and the taint is its own', () => {
  expect(goTime(new Date('2026-11-21T10:11:12.345Z'))).toBe('2026-11-21 10:11:12.345456789 +0000 UTC m=+12.345678901');
  expect(TAINT).toBe('ToBeDeletedByClusterAutoscaler');
});
