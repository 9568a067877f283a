import { beforeEach, describe, expect, it } from '@jest/globals';
import { KubeError } from '../../k8s/kube-error.ts';
import { MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import { EXCLUDED_ANNOTATION, EXCLUDED_LABEL, type Node } from '../../k8s/model/node.ts';
import { NODES, PODS } from '../../k8s/resources.ts';
import { aBudget } from '../../test/world/builders/a-budget.ts';
import { aNode } from '../../test/world/builders/a-node.ts';
import { aPod, type PodFacts } from '../../test/world/builders/a-pod.ts';
import { countBudgets } from '../../test/world/kubernetes/disruption.ts';
import { before } from '../../test/world/kubernetes/request.ts';
import { ownClock } from '../../test/world/world-clock.ts';
import { World } from '../../test/world/world.ts';
import type { DrainNode, PodNotes } from '../../workflows/machine/drain-activities.ts';
import type { NodeTarget } from '../../workflows/machine/node-activities.ts';

let world: World;
let target: NodeTarget;
let notes: PodNotes;

function start(wish: 'deletion' | 'maintenance', ...pods: readonly PodFacts[]): void {
  world = new World(ownClock());
  const spec = wish === 'maintenance' ? { maintenance: true } : {};
  target = {
    ...world.addMachine({ instanceId: 'i-1', launch: {}, deleting: wish === 'deletion', spec }),
    ownInstance: 'i-1',
  };
  world.kube.put(aNode({ name: 'n', providerID: 'simulated:///zone-a/i-1' }));
  world.kube.put(...pods.map((facts) => aPod({ node: 'n', ...facts })));
  notes = {};
}
beforeEach(() => start('deletion'));

async function pass(more: Partial<DrainNode> = {}): Promise<void> {
  const now = world.clock.timeOfDay();
  const asked = { ...target, purpose: 'deletion', stage: 'pods', startedAt: 0, now, notes, ...more } as const;
  const answer = await world.run((on) => on.drainNode(asked));
  if (answer.outcome === 'draining') ({ notes } = answer);
}
const node = () => world.kube.peek(NODES, undefined, 'n') as unknown as Node;
const told = () =>
  (node().status?.conditions ?? []).flatMap(({ type, status, reason }) =>
    reason === 'Millwright' ? [`${type} ${status}`] : [],
  );
const isExcluded = () => EXCLUDED_LABEL in (node().metadata.labels ?? {});
const BLOCKED: PodFacts = { name: 'web', labels: { app: 'web' } };
const block = (minAvailable: number) => {
  world.kube.put(aBudget('web', { minAvailable }));
  countBudgets(world.kube);
};
const LATER = { cordonedAt: 1 };

describe('a Node that is drained', () => {
  it('is left out by load balancers while its last pods end, and tells of nothing where that is over soon', async () => {
    start('deletion', BLOCKED);
    await pass();
    expect([isExcluded(), told()]).toEqual([false, []]);
    await pass({ cordonedAt: world.clock.timeOfDay() - 3999 });
    expect([isExcluded(), told()]).toEqual([false, []]);
    await pass({ cordonedAt: world.clock.timeOfDay() - 4000 });
    expect([isExcluded(), told()]).toEqual([true, ['DrainInProgress True']]);
  });

  it('is not while a pod stays that may not leave; and tells after some seconds that it is drained', async () => {
    start('deletion', BLOCKED);
    block(1);
    await pass();
    expect([isExcluded(), told()]).toEqual([false, []]);
    await pass(LATER);
    expect([isExcluded(), told()]).toEqual([false, ['DrainInProgress True']]);
    world.kube.drop(PODS, 'default', 'web');
    await pass(LATER);
    expect([isExcluded(), told()]).toEqual([true, ['Drained True']]);
  });

  it('gets requests again where a pod comes that may not leave', async () => {
    start('deletion', BLOCKED);
    await pass(LATER);
    expect(isExcluded()).toBe(true);
    world.kube.put(aPod({ node: 'n', name: 'db', labels: { app: 'web' } }));
    block(2);
    await pass(LATER);
    expect(isExcluded()).toBe(false);
  });

  it('tells of a maintenance, and afterwards of nothing', async () => {
    start('maintenance');
    await pass({ purpose: 'maintenance' });
    expect([isExcluded(), told()]).toEqual([true, ['Drained True', 'MaintenanceInProgress True']]);
    await world.kube.others.mergePatch(
      { apiVersion: target.ref.apiVersion, kind: 'Machine', plural: 'machines', namespaced: true },
      'default',
      target.ref.name,
      { spec: { maintenance: false } },
    );
    await world.run((on) => on.uncordonNode(target));
    expect([told(), isExcluded(), node().spec?.unschedulable]).toEqual([[], false, undefined]);
    expect(node().status?.conditions).toHaveLength(1);
  });

  it.each(['', 'true'])('keeps the label that somebody else put there, with its value "%s"', async (value) => {
    start('maintenance', BLOCKED);
    const labels = { [EXCLUDED_LABEL]: value };
    await world.kube.others.mergePatch(
      NODES,
      undefined,
      'n',
      { metadata: { labels } },
      { fieldManager: 'kubectl-label' },
    );
    const purpose = 'maintenance';
    await pass({ ...LATER, purpose });
    expect(node().metadata).toMatchObject({ labels, annotations: { [EXCLUDED_ANNOTATION]: '' } });
    await world.kube.others.mergePatch(MACHINES, 'default', target.ref.name, { spec: { maintenance: false } });
    await world.run((on) => on.uncordonNode(target));
    expect(node().metadata.labels).toEqual(labels);
    expect(node().metadata.annotations ?? {}).not.toHaveProperty([EXCLUDED_ANNOTATION]);
  });

  it('stays left out where its maintenance becomes a deletion, but one that was opened meanwhile', async () => {
    start('maintenance');
    await pass({ ...LATER, purpose: 'maintenance' });
    const labels: boolean[] = [];
    world.onRequest = async (_request, carryOut) => {
      const answer = await carryOut();
      labels.push(isExcluded());
      return answer;
    };
    await world.kube.others.delete(MACHINES, 'default', target.ref.name);
    await pass();
    expect(new Set(labels)).toEqual(new Set([true]));
    await world.kube.others.mergePatch(NODES, undefined, 'n', { spec: { unschedulable: null } });
    world.kube.put(aPod({ node: 'n', ...BLOCKED }));
    block(1);
    await pass();
    expect([isExcluded(), node().spec?.unschedulable]).toEqual([false, true]);
  });

  it('is drained all the same where its conditions may not be written', async () => {
    start('deletion', BLOCKED);
    world.onRequest = before({ verb: 'apply', resource: NODES, subresource: 'status' }, () => {
      throw new KubeError(403, 'Forbidden', 'nodes/status must not be patched');
    });
    await pass(LATER);
    const isAsked = world.kube.all(PODS)[0]?.metadata.deletionTimestamp !== undefined;
    expect([isAsked, isExcluded(), told()]).toEqual([true, true, []]);
  });

  it('does not tell how its drain ended where that may not be written, which is no failure of the deletion', async () => {
    start('deletion');
    await pass();
    world.onRequest = before({ verb: 'apply', resource: NODES, subresource: 'status' }, () => {
      throw new KubeError(403, 'Forbidden', 'nodes/status must not be patched');
    });
    const asked = { ...target, now: world.clock.timeOfDay(), end: 'drained' } as const;
    expect(await world.run((on) => on.tellDrained(asked))).toMatchObject({ outcome: 'failed' });
  });
});
