import { beforeEach, describe, expect, it } from '@jest/globals';
import { MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import { KubeError } from '../../k8s/kube-error.ts';
import {
  DAEMON_SETS,
  DISRUPTION_BUDGETS,
  NODES,
  PODS,
  VOLUME_ATTACHMENTS,
  type Resource,
} from '../../k8s/resources.ts';
import { delay } from '../../providers/clock.ts';
import { aBudget } from '../../test/world/builders/a-budget.ts';
import { aNode } from '../../test/world/builders/a-node.ts';
import { aPod } from '../../test/world/builders/a-pod.ts';
import { countBudgets } from '../../test/world/kubernetes/disruption.ts';
import type { KubeRequest } from '../../test/world/kubernetes/request.ts';
import { ownClock } from '../../test/world/world-clock.ts';
import { World } from '../../test/world/world.ts';
import type { DrainAnswer, DrainNode } from '../../workflows/machine/drain-activities.ts';
import { OBJECT_CHANGED } from '../../workflows/failure-types.ts';
import type { NodeTarget } from '../../workflows/machine/node-activities.ts';
import { given } from '../../providers/given.ts';

let world: World;
let target: NodeTarget;

beforeEach(() => {
  world = new World(ownClock());
  target = { ...world.addMachine({ instanceId: 'i-1', launch: {}, spec: { delete: true } }), ownInstance: 'i-1' };
  world.kube.put(aNode({ name: 'n', providerID: 'simulated:///zone-a/i-1' }));
});

const run = (count: number) =>
  world.kube.put(
    ...Array.from({ length: count }, (_, n) => aPod({ node: 'n', name: `web-${n}`, labels: { app: 'web' } })),
  );

/** From now on these requests take so long. */
function slow(ms: number, isMeant: (request: KubeRequest) => boolean = () => true): void {
  world.onRequest = async (request, carryOut) => {
    if (isMeant(request)) await delay(world.clock, ms);
    return carryOut();
  };
}
const lists = (resource: Resource) => (request: KubeRequest) =>
  request.verb === 'list' && request.resource === resource;
const asked = (isMeant: (request: KubeRequest) => boolean) => world.requests.filter(isMeant).length;
const isCordon = ({ verb, resource, subresource }: KubeRequest) =>
  verb === 'apply' && resource === NODES && subresource === undefined;
const isEviction = ({ subresource }: KubeRequest) => subresource === 'eviction';
const leaving = () => world.kube.all(PODS).filter(({ metadata }) => metadata.deletionTimestamp !== undefined).length;

let cordonedAt: number | undefined;
beforeEach(() => (cordonedAt = undefined));

/** A pass, as the workflow asks for it, and how long it took. */
async function pass(more: Partial<DrainNode> = {}): Promise<{ readonly answer: DrainAnswer; readonly ms: number }> {
  const began = world.clock.now();
  const now = world.clock.timeOfDay();
  const known = given({ cordonedAt });
  const request = {
    ...target,
    purpose: 'deletion',
    stage: 'pods',
    startedAt: 0,
    now,
    notes: {},
    ...known,
    ...more,
  } as const;
  const answer = await world.run((on) => on.drainNode(request));
  if ('cordonedAt' in answer) ({ cordonedAt } = answer);
  return { answer, ms: world.clock.now() - began };
}

/** One pass after the other, until one is no more unfinished: how many were, how long the longest took, and its answer. */
async function passes() {
  const times: number[] = [];
  for (;;) {
    const { answer, ms } = await pass();
    times.push(ms);
    if (answer.outcome !== 'unfinished') return { answer, unfinished: times.length - 1, longest: Math.max(...times) };
    if (times.length > 20) throw new Error('it does not get on');
  }
}

describe('a pass of a drain takes two seconds at most', () => {
  it.each([100, 400, 700, 1500])('where each request takes %i ms, and the pods leave', async (ms) => {
    run(3);
    slow(ms);
    // What the Node is to tell is waited for, where that was begun.
    const most = ms <= 700 ? 2000 : 1600 + ms;
    expect((await passes()).longest).toBeLessThanOrEqual(most);
    expect((await passes()).longest).toBeLessThanOrEqual(most);
    expect(leaving()).toBe(3);
  });

  it('where it takes long to tell what is on the Node: that is asked for once, and the next pass has it', async () => {
    run(1);
    slow(5000, lists(PODS));
    expect(await passes()).toMatchObject({ unfinished: 2, longest: 1900, answer: { counts: { leaving: 1 } } });
    expect([asked(lists(PODS)), asked(isEviction)]).toEqual([1, 1]);
  });

  it('where it takes long to tell which Node it is: that one is cordoned when it is known', async () => {
    run(1);
    slow(3000, lists(NODES));
    expect(await passes()).toMatchObject({ unfinished: 2, answer: { counts: { leaving: 1 } } });
  });

  it('where 500 pods are asked to go, each of which takes a moment', async () => {
    run(500);
    slow(600, isEviction);
    expect(await pass()).toMatchObject({ answer: { outcome: 'draining' } });
    for (let n = 0; n < 3; n += 1) expect((await pass()).ms).toBeLessThanOrEqual(2000);
    expect(leaving()).toBe(500);
  });

  it('where nothing is left, and what is attached is not told soon', async () => {
    slow(5000, lists(VOLUME_ATTACHMENTS));
    const { answer, longest } = await passes();
    expect([longest <= 2000, answer.outcome]).toEqual([true, 'drained']);
    expect(answer).not.toHaveProperty('volumes');
  });

  it('where nothing is left of a maintenance, whose Node tells so all the same', async () => {
    target = {
      ...world.addMachine({ instanceId: 'i-1', launch: {}, spec: { maintenance: true } }),
      ownInstance: 'i-1',
    };
    slow(5000, lists(VOLUME_ATTACHMENTS));
    const { answer, ms } = await pass({ purpose: 'maintenance' });
    expect([ms <= 2000, answer]).toEqual([true, { outcome: 'drained', abandoned: { count: 0, names: [] } }]);
  });

  it('where its budgets are not told soon: the words of the API server stand for them', async () => {
    run(1);
    world.kube.put(aBudget('web', { minAvailable: 1 }));
    countBudgets(world.kube);
    slow(5000, lists(DISRUPTION_BUDGETS));
    const { answer, ms } = await pass();
    expect(ms).toBeLessThanOrEqual(2000);
    expect(answer).toMatchObject({
      trouble: { reason: 'PodsBlocked', message: expect.stringContaining('; the budget is looked at again') },
    });
  });

  it('where the cordon takes long, which is sent once: the next pass waits for its answer', async () => {
    run(1);
    slow(3000, isCordon);
    expect(await passes()).toMatchObject({ unfinished: 1, longest: 1900, answer: { counts: { leaving: 1 } } });
    expect([asked(isCordon), asked(lists(PODS))]).toEqual([1, 1]);
  });
});

describe('a cordon that was answered when its pass was over', () => {
  const open = () => world.kube.others.mergePatch(NODES, undefined, 'n', { spec: { unschedulable: false } });

  /** Somebody does this right after it took effect, before it is answered. */
  function cordonedLate(then: () => unknown): void {
    world.onRequest = async (request, carryOut) => {
      const answer = await carryOut();
      if (!isCordon(request)) return answer;
      world.onRequest = (_request, pass) => pass();
      await then();
      await delay(world.clock, 3000);
      return answer;
    };
  }

  it('is no proof that the Node is closed: that is looked at anew', async () => {
    cordonedLate(open);
    expect((await pass()).answer).toEqual({ outcome: 'unfinished' });
    world.clock.after(1500, () => run(1));
    expect(await passes()).toMatchObject({ answer: { outcome: 'draining', counts: { leaving: 1 } } });
    expect(asked(isCordon)).toBe(2);
    expect(world.kube.peek(NODES, undefined, 'n')).toMatchObject({ spec: { unschedulable: true } });
  });

  it('counts from when it is seen: a look that finds nothing comes a second later', async () => {
    cordonedLate(() => {});
    expect((await pass()).answer).toEqual({ outcome: 'unfinished' });
    const began = world.clock.now();
    expect(await passes()).toMatchObject({ answer: { outcome: 'drained' } });
    // It takes another 1.1 s to be answered.
    expect(world.clock.now() - began).toBeGreaterThanOrEqual(2100);
    expect(asked(isCordon)).toBe(1);
  });

  it('has no pod asked to go where the deletion was aborted since', async () => {
    run(1);
    cordonedLate(() => world.kube.others.mergePatch(MACHINES, 'default', target.ref.name, { spec: { delete: false } }));
    expect((await pass()).answer).toEqual({ outcome: 'unfinished' });
    await expect(pass()).rejects.toThrow('is not to be empty for deletion');
    expect(leaving()).toBe(0);
  });

  it('is told of where it was refused, or came to nothing', async () => {
    world.onRequest = async (request, carryOut) => {
      if (!isCordon(request)) return carryOut();
      await delay(world.clock, 3000);
      throw new KubeError(504, 'Timeout', 'it took too long');
    };
    expect((await pass()).answer).toEqual({ outcome: 'unfinished' });
    expect((await pass()).answer).toEqual({ outcome: 'failed', message: 'it took too long' });
    expect(asked(isCordon)).toBe(1);
  });
});

describe('drains that begin together', () => {
  /** Two Nodes, each with a pod; the eviction of the second one's takes so long. By how much earlier the first one's pass was over. */
  async function together(evictionMs: number, known: Partial<DrainNode> = {}): Promise<number> {
    const other = world.addMachine({ name: 'other', instanceId: 'i-2', launch: {}, spec: { delete: true } });
    world.kube.put(aNode({ name: 'm', providerID: 'simulated:///zone-a/i-2' }));
    world.kube.put(aPod({ node: 'n', name: 'quick' }), aPod({ node: 'm', name: 'slow' }));
    slow(evictionMs, (request) => isEviction(request) && request.name === 'slow');
    const began = world.clock.now();
    const drain = async (of: NodeTarget, more: Partial<DrainNode> = {}) => {
      const times = { startedAt: 0, now: world.clock.timeOfDay(), notes: {} };
      const request = { ...of, purpose: 'deletion', stage: 'pods', ...times, ...more } as const;
      await world.run((on) => on.drainNode(request));
      return world.clock.now() - began;
    };
    const [quick, late] = await Promise.all([drain(target, known), drain({ ...other, ownInstance: 'i-2' })]);
    return late - quick;
  }

  it('go on when the pods of all of them were asked to go', async () => {
    expect(await together(700)).toBe(0);
  });

  it('go on after a second, whatever the others are at', async () => {
    expect(await together(1300)).toBe(300);
  });

  it('hold up none that has begun before', async () => {
    expect(await together(700, { cordonedAt: 0 })).toBe(700);
  });
});

describe('a look that was carried on', () => {
  it('does not count as one that found nothing where it began right after the cordon', async () => {
    world.onRequest = async (request, carryOut) => {
      const answer = await carryOut();
      if (lists(PODS)(request)) await delay(world.clock, 2500);
      return answer;
    };
    expect((await pass()).answer.outcome).toBe('unfinished');
    run(1);
    expect(await passes()).toMatchObject({ answer: { outcome: 'draining', counts: { leaving: 1 } } });
    expect(asked(lists(PODS))).toBe(2);
  });

  it('has no pod asked to go where the deletion was aborted since', async () => {
    run(1);
    slow(2500, lists(NODES));
    expect((await pass()).answer.outcome).toBe('unfinished');
    await world.kube.others.mergePatch(MACHINES, 'default', target.ref.name, { spec: { delete: false } });
    await expect(pass()).rejects.toThrow('is not to be empty for deletion');
    expect([leaving(), asked(isEviction)]).toEqual([0, 0]);
  });
});

describe('a pass that has stood still', () => {
  const HOOKS = { preDrain: [{ name: 'Guard', owner: 'somebody' }] };

  /** Somebody adds a hook, and a minute goes by, while it looks what is on the Node. */
  const hooked = (): void => {
    world.onRequest = async (request, carryOut) => {
      const answer = await carryOut();
      if (!lists(PODS)(request)) return answer;
      world.clock.set(60_000);
      const { namespace, name } = target.ref;
      await world.kube.others.mergePatch(MACHINES, namespace, name, { spec: { lifecycleHooks: HOOKS } });
      return answer;
    };
  };

  it('asks no pod to go where a hook holds the drain by then', async () => {
    run(2);
    hooked();
    await expect(pass()).rejects.toMatchObject({ type: OBJECT_CHANGED, message: expect.stringContaining('hook') });
    expect([asked(isEviction), leaving()]).toEqual([0, 0]);
  });

  it('goes on where nothing is held any more: pods of DaemonSets leave last', async () => {
    const owner = { kind: 'DaemonSet', name: 'agent', uid: 'uid-of-agent' };
    const { apiVersion, kind } = DAEMON_SETS;
    world.kube.put(
      { apiVersion, kind, metadata: { name: 'agent', namespace: 'default', uid: owner.uid } },
      aPod({ node: 'n', name: 'agent', owner }),
    );
    hooked();
    expect(await pass({ stage: 'daemonSets' })).toMatchObject({ answer: { counts: { leaving: 1 } } });
  });
});
