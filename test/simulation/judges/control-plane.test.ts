import { beforeEach, expect, it } from '@jest/globals';
import { CLUSTER_LABEL, MACHINE_ROLE_LABEL } from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { aMachine } from '../../world/builders/a-machine.ts';
import { aNode } from '../../world/builders/a-node.ts';
import { ApiServer } from '../../world/kubernetes/api-server.ts';
import type { CloudInMemory } from '../cluster/cloud.ts';
import { Agenda } from '../time/agenda.ts';
import { ControlPlaneJudge } from './control-plane.ts';
import { given } from '../../../providers/given.ts';

const LABELS = { [CLUSTER_LABEL]: 'c1', [MACHINE_ROLE_LABEL]: 'master' };

let api: ApiServer;
let agenda: Agenda;
let judge: ControlPlaneJudge;
let accused: string[];

beforeEach(() => {
  agenda = new Agenda(Date.parse('2026-03-01T00:00:00Z'));
  agenda.after(1e9, () => {});
  api = new ApiServer({ now: () => agenda.now, garbage: 'when told' });
  accused = [];
  const living = () => ['a', 'b', 'c', 'd'].map((name) => ({ id: `i-${name}`, state: 'running' }));
  const cloud = { living, touched: new Set() } as unknown as Pick<CloudInMemory, 'living' | 'touched'>;
  judge = new ControlPlaneJudge({ api, agenda, cloud } as ConstructorParameters<typeof ControlPlaneJudge>[0], (name) =>
    accused.push(name),
  );
  for (const name of ['a', 'b', 'c']) member(name);
});

/** One whose Node is Ready. */
function member(name: string): void {
  const node = aNode({ name, providerID: `simulated:///zone-a/i-${name}` });
  const nodeRef = { kind: 'Node', name, uid: node.metadata.uid };
  api.put(node, aMachine({ name, instanceId: `i-${name}`, metadata: { labels: LABELS }, status: { nodeRef } }));
}

it('one of three whose others are Ready may end, and a second one may not before it is gone and replaced', () => {
  judge.seeEnd('i-a');
  expect(accused).toEqual([]);
  judge.seeEnd('i-b');
  expect(accused).toEqual(['one of a control plane']);
  accused = [];
  api.drop(MACHINES, 'default', 'a');
  member('d');
  judge.seeEnd('i-c');
  expect(accused).toEqual(['one of a control plane']);
});

it('one may not end where another went by force and nothing has replaced it, though its Node is Ready', () => {
  api.drop(MACHINES, 'default', 'a');
  judge.seeEnd('i-b');
  expect(accused).toEqual(['a control plane keeps its quorum']);
});

it('one may end where another that went by force was replaced', () => {
  api.drop(MACHINES, 'default', 'a');
  member('d');
  judge.seeEnd('i-b');
  expect(accused).toEqual([]);
});

it.each([
  ['has had for long is of the control plane all the same', undefined, ['a control plane keeps its quorum']],
  ['has only now need not be known to be', '2026-03-01T00:02:00Z', []],
])('one that does not name the Node that it %s', async (_what, creationTimestamp, judges) => {
  for (const name of ['b', 'c']) api.drop(MACHINES, 'default', name);
  const metadata = given({ creationTimestamp });
  api.put(
    aNode({ name: 'd', providerID: 'simulated:///zone-a/i-d', metadata }),
    aMachine({ name: 'd', instanceId: 'i-d', metadata: { labels: LABELS } }),
  );
  await agenda.runUntil(agenda.now + 120_000);
  judge.seeEnd('i-d');
  expect(accused).toEqual(judges);
});

it('one that was asked to end before it had joined may be asked once more, though the cloud lost that and it has joined since', async () => {
  for (const name of ['b', 'c']) api.drop(MACHINES, 'default', name);
  const machine = aMachine({ name: 'd', instanceId: 'i-d', metadata: { labels: LABELS } });
  api.put(machine);
  judge.seeEnd('i-d');
  api.put(aNode({ name: 'd', providerID: 'simulated:///zone-a/i-d' }));
  await agenda.runUntil(agenda.now + 120_000);
  judge.seeEnd('i-d');
  expect(accused).toEqual([]);
  judge.seeEnd('i-a');
  expect(accused).toEqual(['a control plane keeps its quorum']);
});
