import { beforeEach, describe, expect, it } from '@jest/globals';
import { MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import { KubeError } from '../../k8s/kube-error.ts';
import type { Node } from '../../k8s/model/node.ts';
import { DAEMON_SETS, DISRUPTION_BUDGETS, EVENTS, NODES, PODS } from '../../k8s/resources.ts';
import { delay } from '../../providers/clock.ts';
import { aBudget } from '../../test/world/builders/a-budget.ts';
import { aNode, type NodeFacts } from '../../test/world/builders/a-node.ts';
import { aPod, type PodFacts } from '../../test/world/builders/a-pod.ts';
import { countBudgets } from '../../test/world/kubernetes/disruption.ts';
import { answerLost, before } from '../../test/world/kubernetes/request.ts';
import { ownClock } from '../../test/world/world-clock.ts';
import { World } from '../../test/world/world.ts';
import type { DrainNode } from '../../workflows/machine/drain-activities.ts';
import type { NodeTarget } from '../../workflows/machine/node-activities.ts';
import { AT_ONCE } from './evictions.ts';

let world: World;
let target: NodeTarget;

beforeEach(() => {
  world = new World(ownClock());
  target = { ...world.addMachine({ instanceId: 'i-1', launch: {}, deleting: true }), ownInstance: 'i-1' };
  register();
});

const WEB: PodFacts = { name: 'web', labels: { app: 'web' } };
const EVICTION = { verb: 'create', resource: PODS, subresource: 'eviction' } as const;

/** The kubelet of the machine's instance. */
function register(facts: NodeFacts = {}): void {
  world.kube.put(aNode({ name: 'n', providerID: 'simulated:///zone-a/i-1', ...facts }));
}

function run(...pods: readonly PodFacts[]): void {
  world.kube.put(...pods.map((facts) => aPod({ node: 'n', ...facts })));
}

const pass = (more: Partial<DrainNode> = {}) =>
  world.run((on) =>
    on.drainNode({
      ...target,
      purpose: 'deletion',
      stage: 'pods',
      startedAt: 0,
      now: world.clock.timeOfDay(),
      notes: {},
      ...more,
    }),
  );
const asked = () =>
  world.requests.map(({ verb, resource, subresource }) => `${verb} ${subresource ?? resource.plural}`);
const isLeaving = (name: string) => world.kube.peek(PODS, 'default', name)?.metadata.deletionTimestamp !== undefined;

describe('a pass of a drain', () => {
  it('cordons before it evicts, and looks a second later whether nothing is left', async () => {
    const began = world.clock.now();
    expect(await pass()).toEqual({
      outcome: 'drained',
      abandoned: { count: 0, names: [] },
      volumes: { count: 0, names: [] },
      isUntold: true,
    });
    expect(world.clock.now() - began).toBeLessThan(2000);
    expect(world.clock.now() - began).toBeGreaterThanOrEqual(1000);
    const node = world.kube.peek(NODES, undefined, 'n');
    expect(node).toMatchObject({ spec: { unschedulable: true } });
    expect(node?.metadata.managedFields?.[0]).toMatchObject({ manager: 'millwright-drain', operation: 'Apply' });
    expect(asked().filter((each) => each === 'list pods')).toHaveLength(2);
  });

  it('does not stay for that second where a set waits to hear that it has begun', async () => {
    const began = world.clock.now();
    const answer = await pass({ tellsBeginning: true });
    expect(world.clock.now() - began).toBeLessThan(1000);
    if (answer.outcome !== 'draining') throw new Error(answer.outcome);
    const { cordonedAt, until } = answer;
    expect(until - cordonedAt).toBe(1000);
    expect(await pass({ tellsBeginning: true, cordonedAt })).toMatchObject({ outcome: 'drained' });
  });

  it('finds a pod that was bound right before the cordon took effect', async () => {
    world.clock.after(500, () => run(WEB));
    const leaving = { count: 1, names: ['default/web'] };
    expect(await pass()).toMatchObject({ outcome: 'draining', counts: { leaving: 1 }, leaving });
    expect(isLeaving('web')).toBe(true);
  });

  it('does not wait for that second again', async () => {
    await pass();
    const began = world.clock.now();
    expect(await pass({ cordonedAt: world.clock.timeOfDay() - 1000 })).toMatchObject({ outcome: 'drained' });
    expect(world.clock.now() - began).toBeLessThan(1000);
  });

  it('counts that second from the answer to the cordon, however long before the pass was asked for', async () => {
    const now = world.clock.timeOfDay() - 15_000;
    const answer = await pass({ now, tellsBeginning: true });
    if (answer.outcome !== 'draining') throw new Error(answer.outcome);
    const { cordonedAt } = answer;
    expect(cordonedAt).toBeLessThan(world.clock.timeOfDay() - 14_000);
    world.clock.after(500, () => run(WEB));
    expect(await pass({ cordonedAt })).toMatchObject({ outcome: 'draining', counts: { leaving: 1 } });
  });

  it('waits for it where the worker before it may have cordoned just now, or the answer to that was lost', async () => {
    const known = { cordonedAt: world.clock.timeOfDay() };
    await pass();
    world.replaceWorker(world.cloud.provider);
    world.clock.after(500, () => run(WEB));
    expect(await pass(known)).toMatchObject({ outcome: 'draining', counts: { leaving: 1 } });
    world.kube.drop(PODS, 'default', 'web');
    await delay(world.clock, 5000);
    await world.kube.others.mergePatch(NODES, undefined, 'n', { spec: { unschedulable: false } });
    world.onRequest = answerLost({ verb: 'apply', resource: NODES, nth: 1 });
    expect(await pass(known)).toMatchObject({ outcome: 'failed' });
    world.clock.after(500, () => run(WEB));
    expect(await pass(known)).toMatchObject({ outcome: 'draining', counts: { leaving: 1 } });
  });

  it('does not cordon where its process stood still since the look at its Machine: that may be wanted no more', async () => {
    world.onRequest = before({ resource: NODES, nth: 1 }, () => world.clock.set(60_000));
    expect(await pass()).toEqual({ outcome: 'unfinished' });
    expect(world.kube.peek(NODES, undefined, 'n')?.metadata.annotations).toBeUndefined();
    // The next one looks again.
    expect(await pass()).toMatchObject({ outcome: 'drained' });
  });

  it('asks no pod to go where somebody opened the Node since it was looked at: it may have new pods', async () => {
    run(WEB);
    await world.kube.others.mergePatch(NODES, undefined, 'n', { spec: { unschedulable: true } });
    world.onRequest = before({ verb: 'list', resource: PODS, nth: 1 }, () => {
      world.clock.set(3_000);
      void world.kube.others.mergePatch(NODES, undefined, 'n', { spec: { unschedulable: false } });
    });
    expect(await pass({ cordonedAt: 1 })).toEqual({ outcome: 'unfinished', cordonedAt: 1 });
    expect(asked()).not.toContain('create eviction');
    expect(await pass({ cordonedAt: 1 })).toMatchObject({ outcome: 'draining', counts: { leaving: 1 } });
    expect(world.kube.peek(NODES, undefined, 'n')).toMatchObject({ spec: { unschedulable: true } });
  });

  it('cordons again where somebody took that back', async () => {
    await world.kube.others.mergePatch(NODES, undefined, 'n', { spec: { unschedulable: false } });
    await pass({ cordonedAt: 1 });
    expect(world.kube.peek(NODES, undefined, 'n')).toMatchObject({ spec: { unschedulable: true } });
  });

  it('is told that an eviction is held by a budget, and does not ask again before its time', async () => {
    run(WEB);
    world.kube.put(aBudget('web', { minAvailable: 1 }));
    countBudgets(world.kube);
    const first = await pass();
    expect(first).toMatchObject({ outcome: 'draining', counts: { held: 1 }, trouble: { reason: 'PodsBlocked' } });
    if (first.outcome !== 'draining') throw new Error(first.outcome);
    const { notes, cordonedAt } = first;
    const second = await pass({ notes, cordonedAt });
    expect(second).toMatchObject({ counts: { held: 1 }, notes, trouble: { reason: 'PodsBlocked' } });
    expect(asked().filter((each) => each === 'create eviction')).toHaveLength(1);
  });

  it('goes on where the answer to an eviction was lost, which took effect', async () => {
    run(WEB);
    world.onRequest = answerLost({ ...EVICTION, nth: 1 });
    expect(await pass()).toMatchObject({ counts: { held: 1 } });
    expect(await pass()).toMatchObject({ counts: { leaving: 1, held: 0 } });
  });

  it('names the pods that it waits for until they end by themselves, but not what is asked to go for other reasons', async () => {
    const labels = { 'cluster.x-k8s.io/drain': 'wait-completed' };
    run(...['a', 'b', 'c', 'd'].map((name) => ({ name, labels })), {
      name: 'dns',
      priorityClassName: 'system-node-critical',
    });
    const answer = await pass();
    expect(answer).toMatchObject({
      counts: { waiting: 5 },
      awaited: { count: 4, names: ['default/a', 'default/b', 'default/c'] },
    });
    expect(answer).not.toHaveProperty('trouble');
    for (const name of ['a', 'b', 'c', 'd']) world.kube.drop(PODS, 'default', name);
    expect(await pass()).not.toHaveProperty('awaited');
  });

  it('says of pods that ask not to be disrupted until when they are waited for, and then evicts them', async () => {
    run({ ...WEB, metadata: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } });
    const hold = 'pod default/web: not to be disrupted, as an annotation asks, and waited for ';
    const reason = 'PodsNotToBeDisrupted';
    const now = world.clock.timeOfDay();
    const until = now + 60_000;
    const forEver = await pass({ now, spares: {} });
    expect(forEver).toMatchObject({
      counts: { waiting: 1 },
      trouble: { reason, message: `${hold}without a limit, as spec.drain has no timeout` },
    });
    expect(forEver).not.toHaveProperty('awaited');
    expect(await pass({ now, spares: { until } })).toMatchObject({
      trouble: { reason, message: `${hold}until spec.drain.timeout is over, at ${new Date(until).toISOString()}` },
    });
    expect(asked()).not.toContain('create eviction');
    expect(await pass({ now: until, spares: { until } })).toMatchObject({ counts: { leaving: 1 } });
  });

  it('names the rule that refuses an eviction, also in a pass that does not ask', async () => {
    run(WEB);
    world.onRequest = before(EVICTION, () => {
      throw new KubeError(403, 'Forbidden', 'admission webhook "guard" denied the request');
    });
    const trouble = {
      reason: 'EvictionRefused',
      message: expect.stringContaining('default/web: admission webhook "guard"'),
    };
    const first = await pass();
    expect(first).toMatchObject({ trouble });
    expect(await pass(first.outcome === 'draining' ? { notes: first.notes } : {})).toMatchObject({ trouble });
  });

  it('names what is to pass in a moment and does not', async () => {
    run(WEB);
    world.onRequest = before(EVICTION, () => {
      throw new KubeError(429, 'TooManyRequests', 'admission webhook "kubevirt" moves the machine first');
    });
    expect(await pass()).not.toHaveProperty('trouble');
    const note = { askedAt: 0, by: 'soon', failures: 4, until: 0 } as const;
    expect(await pass({ notes: { 'uid-of-web': note } })).toMatchObject({
      trouble: { reason: 'EvictionRefused', message: expect.stringContaining('"kubevirt" moves the machine first') },
    });
  });

  it('names a pod that is asked again in a moment, and that nothing else is told of', async () => {
    run(WEB, { name: 'other' });
    world.onRequest = before({ verb: 'create', subresource: 'eviction', name: 'web' }, () => {
      throw new KubeError(409, 'Conflict', 'it was changed meanwhile');
    });
    const askedSoon = { count: 1, names: ['default/web'] };
    const answer = await pass();
    expect(answer).toMatchObject({ counts: { leaving: 1, held: 1 }, askedSoon });
    expect(answer).not.toHaveProperty('trouble');
  });

  it('takes no longer than two seconds where an eviction hangs, and hears of its answer in the next one', async () => {
    run(WEB, { name: 'other' });
    let evictions = 0;
    world.onRequest = async (request, carryOut) => {
      if (request.subresource === 'eviction' && request.name === 'web') {
        evictions += 1;
        await delay(world.clock, 5000);
      }
      return carryOut();
    };
    const began = world.clock.now();
    expect(await pass()).toMatchObject({ counts: { leaving: 1, held: 1 } });
    expect(world.clock.now() - began).toBeLessThan(2000);
    await delay(world.clock, 4000);
    expect(await pass()).toMatchObject({ counts: { leaving: 2, held: 0 } });
    expect(evictions).toBe(1);
  });

  it('leaves a pod at the end of a hurried drain that was asked after that was wanted, and whose grace period is half a minute', async () => {
    run({ ...WEB, graceSeconds: 30 });
    world.kube.put(aBudget('web', { minAvailable: 1 }));
    countBudgets(world.kube);
    const at = world.clock.timeOfDay();
    await delay(world.clock, 20);
    const first = await pass({ hurry: { at } });
    if (first.outcome !== 'draining') throw new Error(first.outcome);
    expect(first.hurriedUntil).toBe(at + 30_000);
    const { notes, cordonedAt } = first;
    // As late as that, its 30 s are over as well.
    await delay(world.clock, 30_900);
    const hurry = { at, until: at + 30_000 };
    expect(await pass({ hurry, notes, cordonedAt })).toMatchObject({
      outcome: 'expired',
      abandoned: { names: ['default/web'] },
    });
    expect(isLeaving('web')).toBe(false);
  });

  it('is followed by another in a second where there was no turn for an eviction, which is held by nothing', async () => {
    run(...Array.from({ length: AT_ONCE + 1 }, (_, n) => ({ name: `web-${n}` })));
    world.onRequest = before(EVICTION, () => delay(world.clock, 1600));
    const answer = await pass();
    if (answer.outcome !== 'draining') throw new Error(answer.outcome);
    expect(answer.counts).toEqual({ leaving: 0, held: AT_ONCE, waiting: 1 });
    expect(Object.keys(answer.notes)).toHaveLength(AT_ONCE);
    expect(answer.until - world.clock.timeOfDay()).toBe(1000);
  });

  it('is followed by another in a second where the last pod was gone when it was asked to go', async () => {
    run(WEB);
    world.onRequest = before(EVICTION, () => world.kube.drop(PODS, 'default', 'web'));
    const answer = await pass();
    expect(answer).toMatchObject({ outcome: 'draining', counts: { leaving: 0, held: 0, waiting: 0 } });
    expect(answer.outcome === 'draining' && answer.until - world.clock.timeOfDay()).toBeLessThanOrEqual(1000);
  });

  it('takes no longer than two seconds where a deletion hangs', async () => {
    run(WEB);
    world.onRequest = async (request, carryOut) => {
      if (request.verb === 'delete') await delay(world.clock, 5000);
      return carryOut();
    };
    const now = world.clock.timeOfDay();
    const note = { askedAt: now - 60_000, by: 'budget', failures: 1, until: now + 60_000 } as const;
    const force = { from: now, deadline: now + 10_000 };
    const began = world.clock.now();
    expect(await pass({ force, notes: { 'uid-of-web': note } })).toMatchObject({ counts: { held: 1 } });
    expect(world.clock.now() - began).toBeLessThan(2000);
  });

  it('tells which pods it deletes before it does, and once: who dies after that tells nobody', async () => {
    run(WEB, { name: 'other' });
    const told = () => world.events.filter(({ reason }) => reason === 'PodsDeletedByForce');
    let before = 0;
    world.onRequest = async (request, carryOut) => {
      if (request.verb !== 'delete') return carryOut();
      before = told().length;
      throw new Error('the worker died');
    };
    const now = world.clock.timeOfDay();
    const note = { askedAt: now - 60_000, by: 'budget', failures: 1, until: now + 60_000 } as const;
    const dying = { force: { from: now, deadline: now + 10_000 }, notes: { 'uid-of-web': note } };
    await expect(pass(dying)).rejects.toThrow('the worker died');
    expect(before).toBe(1);
    world.replaceWorker(world.cloud.provider);
    world.onRequest = (_request, carryOut) => carryOut();
    await delay(world.clock, 2000);
    expect(await pass(dying)).toMatchObject({ outcome: 'draining' });
    expect([isLeaving('web'), told()]).toMatchObject([
      true,
      [{ message: expect.stringMatching(/: pod default\/web$/) }],
    ]);
  });

  it('deletes pods in time where the event about that hangs', async () => {
    run(WEB);
    const through = world.kube.onRequest;
    world.kube.onRequest = async (request, carryOut) => {
      if (request.resource === EVENTS) await delay(world.clock, 5000);
      return through(request, carryOut);
    };
    const now = world.clock.timeOfDay();
    const note = { askedAt: now - 60_000, by: 'budget', failures: 1, until: now + 60_000 } as const;
    const began = world.clock.now();
    await pass({ force: { from: now, deadline: now + 10_000 }, notes: { 'uid-of-web': note } });
    expect([isLeaving('web'), world.clock.now() - began < 2000]).toEqual([true, true]);
  });

  it('keeps what came of the evictions where the budgets cannot be read', async () => {
    run(WEB);
    world.kube.put(aBudget('web', { minAvailable: 1 }));
    countBudgets(world.kube);
    world.onRequest = before({ verb: 'list', resource: DISRUPTION_BUDGETS }, () => {
      throw new KubeError(403, 'Forbidden', 'poddisruptionbudgets is forbidden');
    });
    expect(await pass()).toMatchObject({
      outcome: 'draining',
      notes: { 'uid-of-web': { by: 'budget' } },
      trouble: { reason: 'PodsBlocked', message: expect.stringContaining('poddisruptionbudgets is forbidden') },
    });
  });

  it('says that the API server could not do it', async () => {
    world.onRequest = before({ verb: 'list', resource: PODS }, () => {
      throw new KubeError(503, 'ServiceUnavailable', 'etcd has no leader');
    });
    expect(await pass()).toEqual({ outcome: 'failed', message: 'etcd has no leader' });
  });

  it('takes no pod beside its budget that Kubernetes calls not Ready as it has just not heard its Node', async () => {
    world.kube.put(aBudget('web', { minAvailable: 1 }));
    const unheardFrom = new Date(world.clock.timeOfDay() - 1000).toISOString();
    run({ ...WEB, unheardFrom }, { ...WEB, name: 'other', node: 'elsewhere' });
    countBudgets(world.kube);
    expect(await pass()).toMatchObject({ outcome: 'draining', counts: { leaving: 0, waiting: 1 } });
    expect(asked()).not.toContain('create eviction');
    // It is heard again: its budget lets it go.
    world.kube.put(aPod(WEB));
    countBudgets(world.kube);
    expect(await pass()).toMatchObject({ outcome: 'draining', counts: { leaving: 1 } });
  });

  it('does not wait for what was asked to end on a Node that has been silent for a minute', async () => {
    const lastTransitionTime = new Date(world.clock.timeOfDay() - 60_000).toISOString();
    const status = { conditions: [{ type: 'Ready', status: 'Unknown', lastTransitionTime }] };
    await world.kube.others.mergePatch(NODES, undefined, 'n', { status }, { subresource: 'status' });
    run(WEB);
    expect(await pass()).toMatchObject({ outcome: 'draining', isNodeDown: true });
    expect(await pass()).toMatchObject({ outcome: 'drained', abandoned: { names: ['default/web'] } });
  });
});

describe('a pass that has come to the pods of DaemonSets', () => {
  const DRAINING = { key: 'millwright.dev/draining', effect: 'NoSchedule' };
  const taints = () => (world.kube.peek(NODES, undefined, 'n') as unknown as Node).spec?.taints ?? [];
  const AGENT: PodFacts = { name: 'agent', owner: { kind: 'DaemonSet', name: 'agent', uid: 'uid-of-agent' } };

  beforeEach(() => {
    const { apiVersion, kind } = DAEMON_SETS;
    world.kube.put({ apiVersion, kind, metadata: { name: 'agent', namespace: 'default', uid: 'uid-of-agent' } });
  });

  it('keeps new ones away before it evicts them, and looks a second later whether any is left', async () => {
    const began = world.clock.now();
    expect(await pass({ stage: 'daemonSets', cordonedAt: 1 })).toMatchObject({ outcome: 'drained' });
    expect(world.clock.now() - began).toBeGreaterThanOrEqual(1000);
    expect(taints()).toEqual([DRAINING]);
    run(AGENT);
    expect(await pass({ stage: 'daemonSets', cordonedAt: 1 })).toMatchObject({ counts: { leaving: 1 } });
    expect(await pass({ stage: 'daemonSets', cordonedAt: 1 })).toMatchObject({ counts: { leaving: 1 } });
    expect(asked().filter((each) => each === 'create eviction')).toHaveLength(1);
  });

  it('leaves no taint of ours where the deletion is aborted, nor in a maintenance', async () => {
    await pass({ stage: 'daemonSets' });
    target = {
      ...world.addMachine({ instanceId: 'i-1', launch: {}, spec: { maintenance: true } }),
      ownInstance: 'i-1',
    };
    await pass({ purpose: 'maintenance' });
    expect(taints()).toEqual([]);
    target = { ...world.addMachine({ instanceId: 'i-1', launch: {}, deleting: true }), ownInstance: 'i-1' };
    await pass({ stage: 'daemonSets' });
    expect(taints()).toEqual([DRAINING]);
    target = { ...world.addMachine({ instanceId: 'i-1', launch: {} }), ownInstance: 'i-1' };
    await world.run((on) => on.uncordonNode(target));
    expect([taints(), world.kube.peek(NODES, undefined, 'n')]).toEqual([
      [],
      expect.not.objectContaining({ spec: expect.objectContaining({ unschedulable: true }) }),
    ]);
  });
});

describe('a Machine', () => {
  it('whose Node is not linked yet has that drained all the same', async () => {
    run(WEB);
    expect(await pass()).toMatchObject({ outcome: 'draining', node: 'n' });
  });

  it('without a Node has nothing to drain', async () => {
    world.kube.drop(NODES, undefined, 'n');
    expect(await pass()).toEqual({ outcome: 'noNode' });
  });

  it('of whose instance there are several Nodes has none of them touched', async () => {
    run(WEB);
    world.kube.put(aNode({ name: 'n-2', providerID: 'simulated:///zone-a/i-1' }));
    expect(await pass()).toEqual({ outcome: 'noNode', ambiguous: 'several Nodes match by instance i-1: n, n-2' });
    expect(asked().filter((each) => !/^(get|list)/.test(each))).toEqual([]);
  });

  it('that took its instance over does not have all Machines listed in each pass', async () => {
    target = world.addMachine({ instanceId: 'i-1', deleting: true });
    register({ annotations: { 'machine.openshift.io/machine': `default/${target.ref.name}` } });
    run(WEB);
    expect(await pass()).toMatchObject({ outcome: 'draining' });
    await pass();
    expect(asked().filter((each) => each === 'list machines')).toHaveLength(1);
  });

  it('is drained although another one had its instance on record some seconds ago, and not where one has it still', async () => {
    target = world.addMachine({ instanceId: 'i-1', deleting: true });
    register({ annotations: { 'machine.openshift.io/machine': `default/${target.ref.name}` } });
    const other = world.addMachine({ name: 'other', instanceId: 'i-1' });
    expect(await pass()).toEqual({ outcome: 'noNode', leftTo: 'default/other' });
    world.kube.drop(MACHINES, 'default', other.ref.name);
    expect(await pass()).toMatchObject({ outcome: 'drained' });
  });

  it('that lives is not drained, whatever a workflow thinks', async () => {
    target = { ...world.addMachine({ instanceId: 'i-1', launch: {} }), ownInstance: 'i-1' };
    await expect(pass()).rejects.toThrow('is not to be empty for deletion');
    expect(world.kube.peek(NODES, undefined, 'n')).not.toMatchObject({ spec: { unschedulable: true } });
  });
});
