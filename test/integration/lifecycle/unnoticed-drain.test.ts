import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { unlessGone } from '../../../k8s/kube-error.ts';
import { DEPLOYMENTS, EVENTS, PODS, REPLICA_SETS } from '../../../k8s/resources.ts';
import { getStack } from '../stack.ts';
import { conditionOf, type OwnNamespace } from './own-namespace.ts';
import { openRoom, type OwnRoom } from './own-room.ts';
import { Prober } from './prober.ts';
import { Workloads } from './workloads.ts';

const { kube } = getStack();
const NAMESPACE = 'lifecycle-unnoticed-drain';
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
      // There is no Node left that its pod could go to.
      await unlessGone(kube.delete(DEPLOYMENTS, NAMESPACE, 'web'));
      await own.end();
    }),
  120_000,
);

async function runMachine(name: string): Promise<string> {
  const { status } = await room.runMachine(name);
  return status?.nodeRef?.name ?? '';
}

const podsOf = (app: string) =>
  kube.list<{ spec: { nodeName?: string } }>(PODS, { namespace: NAMESPACE, labelSelector: `app=${app}` });

test('a single replica that its budget keeps moves as soon as its Deployment asks for it, and nobody notices', async () => {
  await runMachine('first');
  await workloads.deploy('web', 1, room.labels);
  const prober = new Prober(NAMESPACE, 'app=web');
  await workloads.limit('web', 'web', 1);
  const second = await runMachine('second');
  prober.start();
  await own.deleteMachine('first');
  const offer = 'with the annotation millwright.dev/drain: surge on Deployment web a new pod would come first';
  const isTold = (message = '') => message.includes(offer);
  await own.untilMachine('first', (m) => isTold(conditionOf(m, 'Drained')?.message), 'it is told how it could go on');

  const annotations = { 'millwright.dev/drain': 'surge' };
  await kube.mergePatch(DEPLOYMENTS, NAMESPACE, 'web', { metadata: { annotations } });
  const isGone = (left: readonly { metadata: { name: string } }[]) =>
    left.every(({ metadata }) => metadata.name !== 'first');
  await own.untilMachines('the first one is gone', isGone, { timeoutMs: 90_000 });
  const { looks, without } = await prober.end();
  expect(without).toBe(0);
  expect(looks).toBeGreaterThan(100);
  expect((await podsOf('web')).items.map(({ spec }) => spec.nodeName)).toEqual([second]);
  expect((await kube.list(REPLICA_SETS, { namespace: NAMESPACE })).items).toHaveLength(2);
  const { items } = await kube.list<{ reason: string; involvedObject: { kind: string } }>(EVENTS, {
    namespace: NAMESPACE,
  });
  const rolled = items
    .filter(({ reason }) => reason === 'DeploymentRolled')
    .map(({ involvedObject }) => involvedObject.kind);
  expect(rolled.sort()).toEqual(['Deployment', 'Machine']);
}, 240_000);
