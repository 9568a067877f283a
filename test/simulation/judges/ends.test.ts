import { beforeEach, expect, it } from '@jest/globals';
import { INSTANCE_UNKNOWN_ANNOTATION } from '../../../k8s/model/node.ts';
import { aMachine } from '../../world/builders/a-machine.ts';
import { aNode } from '../../world/builders/a-node.ts';
import { ApiServer } from '../../world/kubernetes/api-server.ts';
import type { KubeObject } from '../../world/kubernetes/kube-object.ts';
import type { Universe } from '../universe.ts';
import { EndJudge } from './ends.ts';
import { Wishes } from './wishes.ts';
import { given } from '../../../providers/given.ts';

const MARK = { [INSTANCE_UNKNOWN_ANNOTATION]: 'i-1' };
const NODE_REF = { kind: 'Node', name: 'n', uid: 'uid-of-n' };
const LEFT = 'n is left of the Machine with uid uid-of-m, which went by force, and its instance ended';

let api: ApiServer;
let living: readonly object[];
let status: string;
let judge: EndJudge;
beforeEach(() => {
  api = new ApiServer({ garbage: 'when told' });
  living = [];
  status = 'COMPLETED';
  const agenda = { now: Date.now() };
  const cloud = { living: () => living };
  const temporal = { newestOf: () => ({ status }) };
  const universe = { api, agenda, cloud, temporal } as unknown as Universe;
  const wishes = new Wishes(api, () => agenda.now);
  judge = new EndJudge({ universe, wishes, people: () => undefined, accuse: () => {} });
});

/** A Machine went by force, and its Node is there. */
function goneByForce(node: object, nodeRef?: typeof NODE_REF): void {
  const machine = aMachine({
    deleting: true,
    instanceId: 'i-1',
    spec: { deletionPolicy: 'forced' },
    status: given({ nodeRef }),
  });
  api.put(machine, aNode(node));
  judge.see(machine as unknown as KubeObject);
}

it.each([
  ['which its status named', {}, NODE_REF],
  ['which joined while the cloud failed', { annotations: MARK }, undefined],
  ['which was registered anew', { annotations: MARK, metadata: { uid: 'another' } }, NODE_REF],
])('the Node of an instance that ended is left of a forced deletion, %s', (_what, node, nodeRef) => {
  goneByForce(node, nodeRef);
  expect(judge.nodesLeft()).toEqual([LEFT]);
  living = [{ id: 'i-1', machineUid: 'uid-of-m' }];
  expect(judge.nodesLeft()).toEqual([]);
});

it('no other Node is, nor one of which nobody knows any more', () => {
  goneByForce({ annotations: { [INSTANCE_UNKNOWN_ANNOTATION]: 'i-2' }, metadata: { uid: 'another' } }, NODE_REF);
  expect(judge.nodesLeft()).toEqual([]);
  goneByForce({ annotations: MARK });
  status = 'TERMINATED';
  expect(judge.nodesLeft()).toEqual([]);
});
