import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { unlessGone } from '../../../k8s/kube-error.ts';
import { DEPLOYMENTS, PODS } from '../../../k8s/resources.ts';
import { getStack } from '../stack.ts';
import type { OwnNamespace } from './own-namespace.ts';
import { openRoom, type OwnRoom } from './own-room.ts';
import { recordReady } from './ready-record.ts';
import { Workloads } from './workloads.ts';

const { kube } = getStack();
const NAMESPACE = 'lifecycle-drain-together';
const OLD = ['old-1', 'old-2', 'old-3', 'old-4', 'old-5'];
const NEW = ['new-1', 'new-2'];
const workloads = new Workloads(NAMESPACE);
let own: OwnNamespace;
let room: OwnRoom;

beforeAll(async () => {
  room = await openRoom(NAMESPACE);
  ({ own } = room);
}, 300_000);

afterAll(
  () =>
    room.end(async () => {
      // There is no Node left that its pods could go to.
      await unlessGone(kube.delete(DEPLOYMENTS, NAMESPACE, 'web'));
      await own.end();
    }),
  120_000,
);

async function runMachines(names: readonly string[]): Promise<string[]> {
  const up = await Promise.all(names.map((name) => room.runMachine(name)));
  return up.map(({ status }) => status?.nodeRef?.name ?? '').sort();
}

async function nodesOfPods(): Promise<string[]> {
  const query = { namespace: NAMESPACE, labelSelector: 'app=web' };
  const { items } = await kube.list<{ spec: { nodeName?: string } }>(PODS, query);
  return items.map(({ spec }) => spec.nodeName ?? '').sort();
}

test('five Nodes that drain at once leave a budget one pod short at most, at every event', async () => {
  const old = await runMachines(OLD);
  await workloads.deploy('web', OLD.length, room.labels);
  expect(await nodesOfPods()).toEqual(old);
  await workloads.limit('web', 'web', OLD.length - 1);
  const fresh = await runMachines(NEW);
  const record = await recordReady(PODS, { namespace: NAMESPACE, labelSelector: 'app=web' });

  await Promise.all(OLD.map((name) => own.deleteMachine(name)));
  const isOver = (left: readonly { metadata: { name: string } }[]) =>
    left.every(({ metadata }) => NEW.includes(metadata.name));
  await own.untilMachines('the old ones are gone', isOver, { timeoutMs: 180_000 });
  record.stop();
  // Each pod is asked to end, ends, and comes up anew.
  expect(record.counts.length).toBeGreaterThan(3 * OLD.length);
  expect(Math.min(...record.counts)).toBe(OLD.length - 1);
  expect([...new Set(await nodesOfPods())]).toEqual(fresh);
}, 300_000);
