import { beforeEach, expect, it } from '@jest/globals';
import type { KubernetesObject } from '@kubernetes/client-node';
import { APIS } from '../../k8s/dialects/registry.ts';
import { DRAINED_FOR_ANNOTATION, OUR_CONDITION_REASON, type Node } from '../../k8s/model/node.ts';
import { aNode } from '../../test/world/builders/a-node.ts';
import { FollowingClock } from '../../test/world/world-clock.ts';
import { given } from '../../providers/given.ts';
import { DrainWatches, type PodHandlers } from './drain-watches.ts';
import { nodeFacts, type NodeFacts } from './node-facts.ts';

const AFTER_MS = 10_000;
const annotations = { [DRAINED_FOR_ANNOTATION]: 'Machine default/web: deletion' };

let clock: FollowingClock;
/** Open ones, by the Node's name. */
let sources: Map<string, PodHandlers>;
let told: string[];
let watches: DrainWatches;
beforeEach(() => {
  // It stands still until it is told to go ahead.
  clock = new FollowingClock({ now: async () => 0, sleep: async () => {} }, 0);
  sources = new Map();
  told = [];
  watches = new DrainWatches({
    openSource: (node, handlers) => ({
      start: () => void sources.set(node, handlers),
      stop: async () => void sources.delete(node),
    }),
    onPodsEnded: ({ ref }) => told.push(ref.name),
    clock,
  });
});

/** A Node that we have cordoned. */
function drained(name: string, changes: Partial<Node> = {}): NodeFacts {
  const node = aNode({ name, annotations, spec: { unschedulable: true } });
  return nodeFacts({ ...node, ...changes, metadata: { ...node.metadata, ...changes.metadata } }, APIS);
}

const pod = (uid: string, isEnding = false): KubernetesObject => ({
  metadata: { uid, name: uid, ...given({ deletionTimestamp: isEnding ? new Date(0) : undefined }) },
});

async function open(name: string): Promise<PodHandlers> {
  watches.see(drained(name));
  await clock.goAhead(AFTER_MS);
  const handlers = sources.get(name);
  if (handlers === undefined) throw new Error(`the pods of ${name} are not watched`);
  return handlers;
}

it('watches the pods of a Node that drains for longer than a moment, until that is over', async () => {
  watches.see(drained('long'));
  watches.see(drained('brief'));
  watches.see(nodeFacts(aNode({ name: 'quiet' }), APIS));
  await clock.goAhead(AFTER_MS - 1);
  watches.drop('brief');
  expect([...sources.keys()]).toEqual([]);
  await clock.goAhead(1);
  expect([...sources.keys()]).toEqual(['long']);
  watches.see(drained('long', { spec: {} }));
  expect([...sources.keys()]).toEqual([]);
});

it('watches 200 Nodes at a time, and the next one when one of them is done with', async () => {
  const names = Array.from({ length: 202 }, (_, n) => `node-${n}`);
  for (const name of names) watches.see(drained(name));
  await clock.goAhead(AFTER_MS);
  expect([...sources.keys()]).toEqual(names.slice(0, 200));
  watches.drop('node-200');
  watches.drop('node-7');
  expect([sources.size, sources.has('node-201')]).toEqual([200, true]);
});

it('watches none of a Node that says it is drained, as in a maintenance', async () => {
  const conditions = [{ type: 'Drained', status: 'True', reason: OUR_CONDITION_REASON } as const];
  watches.see(drained('maintained', { status: { conditions } }));
  await clock.goAhead(AFTER_MS);
  expect([...sources.keys()]).toEqual([]);
});

it('tells when the last pod has ended that was asked to, and not before', async () => {
  const pods = await open('node');
  for (const each of [pod('a'), pod('b'), pod('stays')]) pods.onObject(each);
  pods.onGone(pod('finished'));
  pods.onObject(pod('a', true));
  pods.onObject(pod('b', true));
  pods.onGone(pod('a', true));
  expect(told).toEqual([]);
  pods.onGone(pod('b', true));
  expect(told).toEqual(['node']);
});

it('tells it after a list that does not show them any more, too', async () => {
  const pods = await open('node');
  pods.onListed([pod('a', true)]);
  pods.onListed([pod('a', true), pod('stays')]);
  expect(told).toEqual([]);
  pods.onListed([pod('stays')]);
  expect(told).toEqual(['node']);
});

it('tells when a pod has ended by itself that asked drains to wait, or asks for that no more', async () => {
  const pods = await open('node');
  const patient = (uid: string, phase = 'Running', value = 'true'): object => ({
    metadata: { uid, name: uid, annotations: { 'karpenter.sh/do-not-disrupt': value } },
    status: { phase },
  });
  const job = (uid: string): object => ({
    metadata: { uid, name: uid, labels: { 'cluster.x-k8s.io/drain': 'wait-completed' } },
  });
  for (const each of [patient('a'), patient('b'), patient('c'), patient('d'), job('e')]) pods.onObject(each);
  pods.onObject(patient('a'));
  pods.onGone(pod('nobody'));
  expect(told).toEqual([]);
  pods.onObject(patient('a', 'Succeeded'));
  pods.onObject(patient('b', 'Running', 'false'));
  pods.onGone(pod('c'));
  expect(told).toHaveLength(3);
  pods.onObject(patient('a', 'Succeeded'));
  pods.onObject(pod('d', true));
  pods.onListed([pod('d', true), job('e')]);
  expect(told).toHaveLength(3);
  pods.onListed([pod('d', true)]);
  expect(told).toHaveLength(4);
});

it('begins anew with another Node of that name', async () => {
  await open('node');
  watches.see(drained('node', { metadata: { ...aNode({ name: 'node', annotations }).metadata, uid: 'another' } }));
  expect([...sources.keys()]).toEqual([]);
  await clock.goAhead(AFTER_MS);
  expect([...sources.keys()]).toEqual(['node']);
  await watches.stop();
  expect([...sources.keys()]).toEqual([]);
});
