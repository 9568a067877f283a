import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { writeCause } from '../../../k8s/model/cause.ts';
import { OUT_OF_TURN_ANNOTATION } from '../../../k8s/model/control-plane.ts';
import { NODES } from '../../../k8s/resources.ts';
import { openNamespace, type OwnNamespace } from './own-namespace.ts';
import { recordReady } from './ready-record.ts';

const NAMESPACE = 'lifecycle-control-plane';
const ROLE = { 'machine.openshift.io/cluster-api-machine-role': 'master' };
/** On the Nodes of this control plane. */
const LABELS = { 'example.com/room': NAMESPACE };
const SIZE = 3;
let own: OwnNamespace;

beforeAll(async () => {
  own = await openNamespace(NAMESPACE);
}, 120_000);

afterAll(async () => {
  // Its last two would wait for one another.
  const annotations = { [OUT_OF_TURN_ANNOTATION]: writeCause('the end of the test', Date.now()) };
  for (const name of namesOf(await own.machines())) await own.patchMachine(name, { metadata: { annotations } });
  await own.end();
}, 120_000);

const namesOf = (machines: readonly { metadata: { name: string } }[]) => machines.map(({ metadata }) => metadata.name);

test('of a control plane of three that is deleted whole one goes at a time, when the one before is replaced', async () => {
  await own.createMachineSet('masters', { replicas: SIZE, labels: ROLE, spec: { metadata: { labels: LABELS } } });
  const isUp = (machines: readonly { status?: { phase?: string } }[]) =>
    machines.length === SIZE && machines.every(({ status }) => status?.phase === 'Running');
  const old = namesOf(await own.untilMachines('all run', isUp));
  const labelSelector = `example.com/room=${NAMESPACE}`;
  const record = await recordReady(NODES, { labelSelector });
  expect(record.counts).toEqual([SIZE]);

  await Promise.all(old.map((name) => own.deleteMachine(name)));
  const waiting = await own.untilMachines('two wait for their turn', (machines) => {
    const reasons = machines.map(({ status }) => status?.waiting?.reason);
    return reasons.filter((reason) => reason === 'ControlPlaneInTheWay').length === SIZE - 1;
  });
  for (const { status } of waiting) {
    if (status?.waiting?.reason !== 'ControlPlaneInTheWay') continue;
    expect(status.waiting.message).toMatch(/masters-/);
  }
  const isOver = (machines: readonly { metadata: { name: string }; status?: { phase?: string } }[]) =>
    isUp(machines) && namesOf(machines).every((name) => !old.includes(name));
  await own.untilMachines('all are replaced', isOver, { timeoutMs: 120_000 });
  record.stop();
  expect(record.counts.length).toBeGreaterThan(SIZE);
  expect(Math.min(...record.counts)).toBe(SIZE - 1);
}, 240_000);
