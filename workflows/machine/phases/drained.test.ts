import { describe, expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { KubeError } from '../../../k8s/kube-error.ts';
import { CAUSE_ANNOTATION, writeCause, writeRolloutCause, writeSurplusCause } from '../../../k8s/model/cause.ts';
import { DISRUPTION_BUDGETS, NODES, PODS } from '../../../k8s/resources.ts';
import { before } from '../../../test/world/kubernetes/request.ts';
import { runPods } from '../../../test/world/run-pods.ts';
import {
  busyMachine,
  drainedMachine,
  nodeOf,
  relax,
  report,
  type Fleet,
} from '../../../test/workflow/drained-machine.ts';
import { eventsOf, statesOf } from '../../../test/workflow/machine-stages.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { aBudget } from '../../../test/world/builders/a-budget.ts';
import { aPod } from '../../../test/world/builders/a-pod.ts';
import { aMachine } from '../../../test/world/builders/a-machine.ts';
import { aNode } from '../../../test/world/builders/a-node.ts';
import { MachineWorld } from '../../../test/world/machine-world.ts';
import { OBJECT_CHANGED } from '../../failure-types.ts';
import { changedSignal, inspectSignal } from '../../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const evictions = ({ requests }: MachineWorld) => requests.filter(({ subresource }) => subresource === 'eviction');
const podsOf = (world: MachineWorld) => world.kube.all(PODS).map(({ metadata }) => metadata.name);
const isEnded = (world: MachineWorld) => world.cloud.calls('terminate').length > 0;

const deleted = (name: string, fleet: Fleet = {}) => drainedMachine(temporal, name, fleet);

const WEB = { name: 'web-1', labels: { app: 'web' } };

describe('the Node of a Machine that is deleted', () => {
  it('is cordoned and emptied before the instance ends', async () => {
    const { world, handle } = await deleted('emptied', { pods: [WEB, { name: 'alone' }] });
    await temporal.until(() => world.condition('Drained')?.status === 'False');
    expect(world.kube.peek(NODES, undefined, nodeOf(world))).toMatchObject({ spec: { unschedulable: true } });
    expect(world.status).toMatchObject({ phase: 'Deleting', waiting: { step: 'Drain', reason: 'Draining' } });
    expect(world.status.deletion?.drainStartTime).toBeDefined();
    expect([isEnded(world), evictions(world).length]).toEqual([false, 2]);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect([podsOf(world), evictions(world).length]).toEqual([[], 2]);
    expect(eventsOf(world, 'DrainSucceeded')).toHaveLength(1);
  });

  it('is looked at again at once where a pass was over before it had seen all, which is said once', async () => {
    const began: number[] = [];
    const told: string[] = [];
    const { world, handle } = await deleted('slow', {
      pods: [WEB],
      whenRunning(running) {
        running.kube.store.onChange(() => {
          const { message = '' } = running.status.waiting ?? {};
          if (message !== told.at(-1)) told.push(message);
        });
        running.onActivity = async (name, run) => {
          if (name !== 'drainNode') return run();
          began.push(running.clock.timeOfDay());
          return began.length > 3 ? run() : ({ outcome: 'unfinished', cordonedAt: 1 } as never);
        };
      },
    });
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    const [first = 0, , , fourth = Infinity] = began;
    expect(fourth - first).toBeLessThan(1000);
    expect(
      told.filter((message) =>
        message.includes(`takes long to cordon Node ${nodeOf(world)}, or to tell what is on it`),
      ),
    ).toHaveLength(1);
    expect([evictions(world).length, eventsOf(world, 'DrainProceeds').length]).toEqual([1, 1]);
  });

  it('sleeps between passes where the API server stays slow, and goes on when it is not', async () => {
    const began: number[] = [];
    const { world } = await deleted('slow-for-long', {
      pods: [WEB],
      whenRunning(running) {
        running.onActivity = async (name, run) => {
          if (name !== 'drainNode') return run();
          began.push(temporal.clock.now());
          return began.length > 12 ? run() : ({ outcome: 'unfinished', cordonedAt: 1 } as never);
        };
      },
    });
    await temporal.until(() => evictions(world).length === 1, { within: 150, step: 1 });
    const [first = 0, fourth = 0] = [began[0], began[3]];
    expect(fourth - first).toBeLessThan(1000);
    const pauses = began.slice(4, 12).map((at, n) => Math.round((at - (began[n + 3] ?? 0)) / 1000));
    expect(pauses).toEqual([2, 4, 8, 16, 16, 16, 16, 16]);
  });

  it('says what holds it up also while the API server is slow for a moment, and that it is slow when that lasts', async () => {
    let isSlow = false;
    let slowPasses = 0;
    const { world } = await deleted('slow-later', {
      pods: [WEB],
      budgets: { web: 1 },
      whenRunning(running) {
        running.onActivity = async (name, run) => {
          if (name !== 'drainNode' || !isSlow) return run();
          slowPasses += 1;
          return { outcome: 'unfinished', cordonedAt: 1 } as never;
        };
      },
    });
    await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked');
    const told: (string | undefined)[] = [];
    world.kube.store.onChange(() => {
      const reason = world.status.waiting?.reason;
      if (reason !== told.at(-1)) told.push(slowPasses < 4 && reason === 'Draining' ? 'too early' : reason);
    });
    isSlow = true;
    await temporal.until(() => world.status.waiting?.reason === 'Draining', { within: 60, step: 1 });
    expect(slowPasses).toBe(4);
    isSlow = false;
    await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked', { within: 60, step: 1 });
    expect(told).toEqual(['Draining', 'PodsBlocked']);
  });

  it('looks again after a short rest where something wakes it, and tells nothing of the rest', async () => {
    let looks = 0;
    const { world, handle } = await deleted('woken', {
      pods: [WEB],
      budgets: { web: 1 },
      whenRunning(running) {
        running.onActivity = async (name, run) => {
          if (name === 'drainNode') looks += 1;
          return run();
        };
      },
    });
    await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked');
    await temporal.pass(120);
    const tries: (string | undefined)[] = [];
    world.kube.store.onChange(() => {
      const { nextTry } = world.status.waiting ?? {};
      if (nextTry !== tries.at(-1)) tries.push(nextTry);
    });
    // The first one finds the last look long past; the others come while it rests.
    for (let n = 0; n < 5; n += 1) await temporal.signal(handle, changedSignal);
    const looked = looks;
    await temporal.pass(5);
    expect(looks).toBeGreaterThan(looked);
    for (const next of tries) expect(Date.parse(next ?? '') - temporal.clock.now()).toBeGreaterThan(5000);
  });

  it('is told to be drained also where the write that told it first met one of somebody else', async () => {
    let isChanging = true;
    const { world } = await deleted('told-again', {
      pods: [WEB],
      spec: { lifecycleHooks: { preTerminate: [{ name: 'Guard', owner: 'somebody' }] } },
      whenRunning(running) {
        running.onActivity = async (name, run) => {
          const isEnd = running.condition('Drained')?.status === 'False' && podsOf(running).length === 0;
          if (name !== 'writeMachineStatus' || !isEnd || !isChanging) return run();
          isChanging = false;
          throw ApplicationFailure.nonRetryable('somebody wrote to its status meanwhile', OBJECT_CHANGED);
        };
      },
    });
    await temporal.until(() => world.status.waiting?.reason === 'HookPresent');
    await temporal.pass(30);
    expect(isChanging).toBe(false);
    expect(world.condition('Drained')).toMatchObject({ status: 'True', reason: 'DrainSucceeded' });
    expect(eventsOf(world, 'DrainSucceeded')).toHaveLength(1);
  });

  it('keeps pods that a budget protects, says which and by what, and goes on when it allows that', async () => {
    const { world, handle } = await deleted('blocked', { pods: [WEB], budgets: { web: 1 } });
    await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked');
    await temporal.pass(120);
    const words = 'pod default/web-1: PodDisruptionBudget web allows 0 disruptions now (1 healthy, 1 needed)';
    expect(world.status.waiting?.message).toContain(words);
    expect(world.condition('Drained')).toMatchObject({ status: 'False', reason: 'PodsBlocked' });
    expect([podsOf(world), isEnded(world), eventsOf(world, 'DrainRequeued').length]).toEqual([['web-1'], false, 1]);
    // It would say the same once more.
    expect(eventsOf(world, 'DrainProceeds')).toEqual([]);
    await relax(world, 'web', 0);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(podsOf(world)).toEqual([]);
  });

  it.each<[string, (world: MachineWorld) => void]>([
    ['one of them is gone', ({ kube }) => kube.drop(DISRUPTION_BUDGETS, 'default', 'all')],
    ['both are', ({ kube }) => ['all', 'web'].forEach((budget) => kube.drop(DISRUPTION_BUDGETS, 'default', budget))],
  ])('asks a pod again that several budgets selected within half a minute after %s', async (what, mend) => {
    const { world, handle } = await deleted(`mended-${what.replaceAll(' ', '-')}`, {
      pods: [WEB, { name: 'web-2', labels: { app: 'web' }, node: 'elsewhere' }],
      whenRunning: ({ kube }) =>
        kube.put(aBudget('web', { minAvailable: 1 }), aBudget('all', { selector: {}, minAvailable: 1 })),
    });
    await temporal.until(() => world.status.waiting?.reason === 'MisconfiguredBudget');
    await temporal.pass(5);
    const asked = evictions(world).length;
    await temporal.pass(60);
    expect(evictions(world)).toHaveLength(asked);
    mend(world);
    await temporal.until(() => !podsOf(world).includes('web-1'), { within: 35, step: 1 });
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });

  it('tells of several budgets what its last try was answered, also where only one is left', async () => {
    const { world, handle } = await deleted('several', {
      pods: [WEB, { name: 'web-2', labels: { app: 'web' }, node: 'elsewhere' }],
      whenRunning: ({ kube }) =>
        kube.put(aBudget('web', { minAvailable: 1 }), aBudget('all', { selector: {}, minAvailable: 1 })),
    });
    await temporal.until(() => world.status.waiting?.reason === 'MisconfiguredBudget');
    expect(world.status.waiting?.message).toMatch(/PodDisruptionBudgets all and web both apply/);
    world.kube.drop(DISRUPTION_BUDGETS, 'default', 'all');
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.message.includes('both') === false);
    expect(world.status.waiting).toMatchObject({
      reason: 'MisconfiguredBudget',
      message: expect.stringContaining('several PodDisruptionBudgets applied at the last try, and only web does now'),
    });
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });

  it('costs no write of the status where its set has one too many and all its pods leave within a moment, and tells how that ended', async () => {
    let before = 0;
    const fleet = { pods: [WEB, { name: 'alone' }], endMs: 300 };
    const { world, handle } = await deleted('brief', {
      ...fleet,
      whenRunning: async (running) => {
        const cause = writeSurplusCause('one is too many', running.clock.timeOfDay());
        await running.edit({ metadata: { annotations: { [CAUSE_ANNOTATION]: cause } } });
        before = running.requests.length;
      },
    });
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    const written = world.requests
      .slice(before)
      .filter(({ resource, subresource }) => resource === MACHINES && subresource === 'status');
    expect([written, evictions(world).length, podsOf(world)]).toEqual([[], 2, []]);
    expect([eventsOf(world, 'DrainProceeds'), eventsOf(world, 'DrainSucceeded').length]).toEqual([[], 1]);
  });

  it.each<[string, Fleet['pods'] & object]>([
    ['with-pods', [WEB]],
    ['without-pods', []],
  ])('is told to be drained at once where a set makes another Machine then: %s', async (name, pods) => {
    const { world, handle } = await deleted(`missed-${name}`, { pods, endMs: 300 });
    const begun: (string | undefined)[] = [];
    world.kube.store.onChange(() => {
      const { instance, deletion } = world.status;
      if (instance?.state === 'running') begun.push(deletion?.drainStartTime);
    });
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(begun.at(-1)).toBeDefined();
  });

  it('is emptied of critical pods last', async () => {
    const pods = [{ name: 'dns', priorityClassName: 'system-cluster-critical' }, WEB];
    const { world, handle } = await deleted('tiers', { pods });
    await temporal.resultOf(handle);
    expect(evictions(world).map(({ name }) => name)).toEqual(['web-1', 'dns']);
  });

  it('is not drained where its Machine asks for that, also in the midst of it', async () => {
    const { world, handle } = await deleted('excluded', { pods: [WEB], budgets: { web: 1 } });
    await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked');
    await world.edit({ metadata: { annotations: { 'machine.openshift.io/exclude-node-draining': '' } } });
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(eventsOf(world, 'DrainSkipped')).toHaveLength(1);
    expect(podsOf(world)).toEqual(['web-1']);
  });
});

describe('the history of a drain', () => {
  const lengthOf = async (handle: Awaited<ReturnType<typeof deleted>>['handle']) =>
    (await handle.fetchHistory()).events?.length ?? 0;

  /** How often its Node was looked at by now. */
  function countLooks(world: MachineWorld): () => number {
    let looks = 0;
    world.onActivity = async (name, run) => {
      if (name === 'drainNode') looks += 1;
      return run();
    };
    return () => looks;
  }

  it('has 25 events of a deletion at most where all pods leave before the second look', async () => {
    const { world, handle } = await busyMachine(temporal, 'few-events', { pods: [WEB, { name: 'alone' }], endMs: 300 });
    const [before, looks] = [await lengthOf(handle), countLooks(world)];
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    // A busy computer may need another look.
    expect((await lengthOf(handle)) - before).toBeLessThanOrEqual(25 + 9 * Math.max(0, looks() - 2));
  }, 60_000);

  it('has no more where a set made smaller loses it, and its pods leave before the third look', async () => {
    const { world, handle } = await busyMachine(temporal, 'few-looks', { pods: [WEB, { name: 'alone' }], endMs: 1500 });
    const [before, looks] = [await lengthOf(handle), countLooks(world)];
    const cause = writeSurplusCause('it has one too many', world.clock.timeOfDay());
    await world.edit({ metadata: { annotations: { [CAUSE_ANNOTATION]: cause } } });
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(looks()).toBeGreaterThanOrEqual(3);
    expect((await lengthOf(handle)) - before).toBeLessThanOrEqual(25 + 9 * Math.max(0, looks() - 3));
  }, 60_000);

  it('has nine events more at most for each further look', async () => {
    const { world, handle } = await busyMachine(temporal, 'looks', { pods: [WEB], budgets: { web: 1 } });
    const looks = countLooks(world);
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked');
    await temporal.pass(20);
    const [before, looked] = [await lengthOf(handle), looks()];
    await temporal.pass(120);
    expect(looks() - looked).toBeGreaterThan(2);
    const each = ((await lengthOf(handle)) - before) / (looks() - looked);
    expect(each).toBeLessThanOrEqual(9);
  }, 60_000);
});

it('a Node that somebody deletes during its drain is waited for no longer', async () => {
  const { world, handle } = await deleted('node-by-hand', { pods: [WEB], budgets: { web: 1 } });
  await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked');
  await world.kube.others.delete(NODES, undefined, nodeOf(world));
  await temporal.signal(handle, changedSignal);
  await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  expect([world.nodes, statesOf(world)]).toEqual([[], ['terminated']]);
});

describe('the Node of a Machine that a rollout replaces', () => {
  const PATIENT = { ...WEB, metadata: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } };

  /** As a set does that its deployment tells to have fewer. */
  async function replaced(name: string, spec: object, write = writeRolloutCause) {
    const { world, handle } = await busyMachine(temporal, name, { pods: [PATIENT, { name: 'ordinary' }] });
    const cause = write('MachineDeployment default/pool replaces it', world.clock.timeOfDay());
    await world.edit({ metadata: { annotations: { [CAUSE_ANNOTATION]: cause } }, spec });
    await world.delete();
    await temporal.signal(handle, changedSignal);
    return { world, handle };
  }

  it('keeps pods that ask not to be disrupted for ever where no timeout is set, says so, and goes on with one', async () => {
    const { world, handle } = await replaced('rolled', {});
    await temporal.until(() => world.condition('Drained')?.reason === 'PodsNotToBeDisrupted');
    await temporal.pass(2 * 3600);
    expect([podsOf(world), isEnded(world)]).toEqual([['web-1'], false]);
    expect(world.status.waiting).toMatchObject({ step: 'Drain', reason: 'PodsNotToBeDisrupted' });
    expect(world.condition('Drained')?.message).toContain(
      'pod default/web-1: not to be disrupted, as an annotation asks, and waited for without a limit, as spec.drain has no timeout',
    );
    expect(eventsOf(world, 'DrainRequeued')).toHaveLength(1);
    await world.edit({ spec: { drain: { timeout: '1m' } } });
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(podsOf(world)).toEqual([]);
  });

  it('keeps them until the time for the drain is over, be it Wait or not', async () => {
    const { world, handle } = await replaced('rolled-in-time', { drain: { timeout: '5m' } });
    await temporal.pass(280);
    expect([podsOf(world), isEnded(world)]).toEqual([['web-1'], false]);
    await temporal.until(() => isEnded(world), { within: 60 });
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });

  it('does not keep them where the set is only made smaller', async () => {
    const { world, handle } = await replaced('shrunk', {}, writeCause);
    await temporal.until(() => isEnded(world), { within: 60 });
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });
});

describe('a drain with a time-out', () => {
  it('deletes what is left with Force, so that it ends in time, and says so', async () => {
    const spec = { drain: { timeout: '1m', onTimeout: 'Force' } };
    const { world, handle } = await deleted('forced', { pods: [WEB], budgets: { web: 1 }, spec });
    await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked');
    await temporal.pass(20);
    expect(podsOf(world)).toEqual(['web-1']);
    await temporal.pass(45);
    expect(podsOf(world)).toEqual([]);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    const message = 'deletes without asking its budgets, so that it ends in the time of the drain: pod default/web-1';
    expect(eventsOf(world, 'PodsDeletedByForce')).toMatchObject([{ type: 'Warning', message }]);
  });

  it('tells of many that it deletes together by one event, and of none that leave when they are asked to', async () => {
    const spec = { drain: { timeout: '1m', onTimeout: 'Force' } };
    const many = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, labels: { app: 'web' } }));
    const fleet = { pods: [...many, { name: 'quick' }], budgets: { web: 5 }, spec };
    const { world, handle } = await deleted('forced-many', fleet);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(eventsOf(world, 'PodsDeletedByForce')).toMatchObject([
      { message: expect.stringMatching(/so that they end in .*: pods default\/a, default\/b, default\/c and 2 more$/) },
    ]);
  });

  it('counts from when the API server takes the cordon: no pass could run before', async () => {
    const spec = { drain: { timeout: '1m', onTimeout: 'Force' } };
    const { world, handle } = await busyMachine(temporal, 'kept-out', { pods: [WEB], budgets: { web: 1 } });
    let isAway = true;
    world.onRequest = before({ verb: 'apply', resource: NODES }, () => {
      if (isAway) throw new KubeError(503, 'ServiceUnavailable', 'the server is in trouble');
    });
    await world.edit({ spec });
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.reason === 'KubernetesUnavailable', { within: 60 });
    await temporal.pass(120);
    isAway = false;
    await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked', { within: 120 });
    await temporal.pass(15);
    expect([podsOf(world), isEnded(world)]).toEqual([['web-1'], false]);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });

  it('leaves at the deadline what does not end', async () => {
    const spec = { drain: { timeout: '2m', onTimeout: 'Force' } };
    const { world, handle } = await deleted('late', { pods: [WEB], stuck: ['web-1'], spec });
    await temporal.until(() => world.condition('Drained')?.status === 'False');
    await temporal.pass(110);
    expect(isEnded(world)).toBe(false);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(eventsOf(world, 'DrainTimedOut')[0]?.message).toContain('default/web-1');
  });

  it('has the same end where the record of its beginning is lost meanwhile, which is put back', async () => {
    const spec = { drain: { timeout: '2m', onTimeout: 'Force' } };
    const { world, handle } = await deleted('lost', { pods: [WEB], stuck: ['web-1'], spec });
    await temporal.until(() => world.condition('Drained')?.status === 'False');
    const since = world.status.deletion?.drainStartTime;
    await temporal.pass(60);
    const lost = { status: { deletion: null } };
    await world.kube.others.mergePatch(MACHINES, 'default', 'lost', lost, { subresource: 'status' });
    await temporal.until(() => world.status.deletion?.drainStartTime === since);
    await temporal.pass(45);
    expect(isEnded(world)).toBe(false);
    await temporal.pass(20);
    expect([isEnded(world), eventsOf(world, 'DrainProceeds').length]).toEqual([true, 1]);
    await temporal.resultOf(handle);
  });

  it('is over within a minute of being told to by a label, whatever budgets say and pods do', async () => {
    const { world, handle } = await deleted('hurried', {
      pods: [WEB, { name: 'stuck' }],
      budgets: { web: 1 },
      stuck: ['stuck'],
    });
    await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked');
    await temporal.pass(40);
    await world.edit({ metadata: { labels: { 'force-deletion': 'True' } } });
    await temporal.signal(handle, changedSignal);
    await temporal.pass(5);
    expect([podsOf(world), isEnded(world)]).toEqual([['stuck'], false]);
    expect(eventsOf(world, 'PodsDeletedByForce')).toHaveLength(1);
    await temporal.pass(30);
    expect([podsOf(world), isEnded(world)]).toEqual([['stuck'], true]);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(eventsOf(world, 'DrainTimedOut')[0]?.message).toContain('default/stuck');
  });

  it('tells that its time is over, and what held it up, also where that write met one of somebody else', async () => {
    let writes = 0;
    const { world } = await deleted('told-in-spite', {
      pods: [WEB],
      budgets: { web: 1 },
      spec: { drain: { timeout: '1m' } },
      whenRunning(running) {
        running.onActivity = async (name, run) => {
          if (name !== 'writeMachineStatus') return run();
          writes += 1;
          // Each is refused once.
          if (writes % 2 === 0) return run();
          throw ApplicationFailure.nonRetryable('somebody wrote to its status meanwhile', OBJECT_CHANGED);
        };
      },
    });
    await temporal.until(() => eventsOf(world, 'DrainTimedOut').length > 0, { within: 120 });
    await temporal.pass(60);
    const told = ['DrainProceeds', 'DrainRequeued', 'DrainTimedOut'];
    expect(told.map((reason) => eventsOf(world, reason).length)).toEqual([0, 1, 1]);
  });

  it('goes on waiting without Force, and says so once', async () => {
    const spec = { drain: { timeout: '1m' } };
    const { world, handle } = await deleted('patient', { pods: [WEB], budgets: { web: 1 }, spec });
    await temporal.until(() => eventsOf(world, 'DrainTimedOut').length > 0, { within: 90 });
    const since = Date.parse(world.status.deletion?.drainStartTime ?? '');
    expect(world.clock.timeOfDay() - since).toBeLessThan(61_500);
    await temporal.pass(150);
    expect([isEnded(world), podsOf(world), eventsOf(world, 'DrainTimedOut').length]).toEqual([false, ['web-1'], 1]);
    await relax(world, 'web', 0);
    await temporal.resultOf(handle);
  });
});

it('a drain tells that the kubelet of its Node is not heard of, and since when', async () => {
  const { world, handle } = await deleted('unheard', { pods: [WEB], budgets: { web: 1 } });
  await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked');
  expect(world.condition('Drained')?.message).not.toContain('not heard of');
  await report(world, 'Unknown');
  const since = new Date(world.clock.timeOfDay()).toISOString();
  await temporal.signal(handle, changedSignal);
  const words =
    /; Ready of its Node is Unknown since (.*), as its kubelet is not heard of, and the drain goes on: the cloud/;
  await temporal.until(() => words.test(world.condition('Drained')?.message ?? ''));
  expect(words.exec(world.status.waiting?.message ?? '')?.[1]).toBe(since);
  await relax(world, 'web', 0);
  await temporal.resultOf(handle);
});

it('an instance that ended by itself is not drained', async () => {
  const { world, handle } = await deleted('gone', { pods: [WEB], budgets: { web: 1 } });
  await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked');
  await world.cloud.end(world.instanceId);
  const conditions = [{ type: 'Ready', status: 'Unknown', lastTransitionTime: '2026-01-01T00:00:00Z' }];
  await world.kube.others.mergePatch(
    NODES,
    undefined,
    nodeOf(world),
    { status: { conditions } },
    { subresource: 'status' },
  );
  await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  expect([eventsOf(world, 'DrainSkipped').length, statesOf(world)]).toEqual([1, ['terminated']]);
});

it('a reason to look at the instance holds until the cloud has answered', async () => {
  const { world, handle } = await deleted('unanswered', { pods: [WEB], budgets: { web: 1 } });
  await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked');
  await world.cloud.end(world.instanceId);
  world.cloud.fail({ action: 'describe', code: 'Unavailable', times: 1 });
  await temporal.signal(handle, inspectSignal);
  await temporal.pass(15);
  expect(eventsOf(world, 'DrainSkipped')).toEqual([]);
  await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  expect([eventsOf(world, 'DrainSkipped').length, podsOf(world)]).toEqual([1, ['web-1']]);
});

it('of several Nodes of its instance none is drained, and the instance stays, until somebody tells which it is', async () => {
  const { world, handle } = await busyMachine(temporal, 'doubled', { pods: [WEB] });
  const { providerID } = world.kube.require(NODES, undefined, nodeOf(world)).spec as { providerID: string };
  await world.kube.others.delete(NODES, undefined, nodeOf(world));
  world.kube.put(...['first', 'second'].map((name) => aNode({ name, providerID })));
  world.kube.put(aPod({ ...WEB, node: 'second' }));
  await world.delete();
  await temporal.signal(handle, changedSignal);
  await temporal.until(() => world.condition('Drained')?.reason === 'NodeAmbiguous');
  await temporal.pass(120);
  expect(world.status.waiting?.message).toMatch(/several Nodes match by instance .*: first, second$/);
  expect(world.status.waiting).not.toHaveProperty('nextTry');
  expect([isEnded(world), evictions(world)]).toEqual([false, []]);
  await world.kube.others.delete(NODES, undefined, 'first');
  await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  expect([world.nodes, podsOf(world), evictions(world).length]).toEqual([[], [], 1]);
});

it('a Node that another Machine claims is left as it is, and an event says so', async () => {
  const { world, handle } = await busyMachine(temporal, 'rivalled', { pods: [WEB] });
  const rival = { name: 'rival', namespace: 'elsewhere', instanceId: world.instanceId };
  world.kube.put(aMachine(rival));
  const annotations = { 'machine.openshift.io/machine': 'elsewhere/rival' };
  await world.kube.others.mergePatch(NODES, undefined, nodeOf(world), { metadata: { annotations } });
  await world.delete();
  await temporal.signal(handle, changedSignal);
  await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  expect(eventsOf(world, 'DrainSkipped')[0]?.message).toContain('the Machine elsewhere/rival claims it');
  expect([podsOf(world), world.kube.peek(NODES, undefined, nodeOf(world))?.spec]).toEqual([
    ['web-1'],
    expect.not.objectContaining({ unschedulable: true }),
  ]);
});

describe('an instance that the Machine only names', () => {
  async function named(name: string, wish: object = {}): Promise<MachineWorld> {
    const world = new MachineWorld(name, temporal.clock, { known: {} });
    const { providerID } = await world.cloud.launch({ machineUid: world.ref.uid });
    await world.edit({ spec: { providerID, ...wish } });
    const annotations = { 'machine.openshift.io/machine': `${world.ref.namespace}/${name}` };
    world.kube.put(aNode({ name: nodeOf(world), providerID, annotations }), aPod({ node: nodeOf(world), ...WEB }));
    runPods(world);
    return world;
  }

  it('is drained when it is known to be its own', async () => {
    const world = await named('named-only');
    await world.delete();
    const handle = await temporal.startMachine(world);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect([evictions(world).length, podsOf(world), statesOf(world)]).toEqual([1, [], ['terminated']]);
  });

  it('is drained before its Machine is deleted also where somebody wrote to that when it was to be recorded', async () => {
    const world = await named('named-and-changed', { delete: true });
    let isFirst = true;
    let atDeletion: unknown;
    world.onActivity = (activity, run) => {
      if (activity === 'deleteMachine') atDeletion ??= [world.status.instance?.state, podsOf(world)];
      if (activity !== 'writeMachineStatus' || !isFirst) return run();
      isFirst = false;
      throw ApplicationFailure.nonRetryable('somebody wrote to its status meanwhile', OBJECT_CHANGED);
    };
    const handle = await temporal.startMachine(world);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect([isFirst, atDeletion, statesOf(world)]).toEqual([false, ['running', []], ['terminated']]);
  });
});

it('a Machine that was restored in the midst of an earlier deletion, and lives, is drained in a later one', async () => {
  const { world, handle } = await busyMachine(temporal, 'restored', { pods: [WEB] });
  const deletion = { preTerminateHookStartTime: '2026-01-01T00:00:00Z' };
  await world.kube.others.mergePatch(
    MACHINES,
    'default',
    'restored',
    { status: { deletion } },
    { subresource: 'status' },
  );
  await temporal.signal(handle, changedSignal);
  await temporal.until(() => world.status.deletion === undefined);
  await world.delete();
  await temporal.signal(handle, changedSignal);
  await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  expect([evictions(world).length, podsOf(world)]).toEqual([1, []]);
});

it('there is no second drain after the hooks before the termination were reached, whoever takes over', async () => {
  const lifecycleHooks = { preTerminate: [{ name: 'CopyLogs', owner: 'log-copier' }] };
  const { world } = await deleted('once', { spec: { lifecycleHooks } });
  await temporal.until(() => world.condition('Terminable')?.status === 'False');
  expect(world.status.deletion?.preTerminateHookStartTime).toBeDefined();
  world.kube.put(aPod({ node: nodeOf(world), name: 'late' }));
  await temporal.endAll();
  await world.edit({ spec: { lifecycleHooks: null } });
  const handle = await temporal.startMachine(world);
  await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  expect([evictions(world), podsOf(world)]).toEqual([[], ['late']]);
});
