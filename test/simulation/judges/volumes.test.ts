import { beforeEach, expect, it } from '@jest/globals';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { PODS, VOLUME_ATTACHMENTS } from '../../../k8s/resources.ts';
import { aMachine } from '../../world/builders/a-machine.ts';
import { aPod } from '../../world/builders/a-pod.ts';
import { ApiServer } from '../../world/kubernetes/api-server.ts';
import { Agenda } from '../time/agenda.ts';
import { VolumeJudge } from './volumes.ts';
import { Wishes } from './wishes.ts';
import { given } from '../../../providers/given.ts';

let api: ApiServer;
let agenda: Agenda;
let judge: VolumeJudge;
let accused: string[];

beforeEach(() => {
  agenda = new Agenda(1_000_000);
  agenda.after(1e9, () => {});
  api = new ApiServer({ now: () => agenda.now, garbage: 'when told', newUid: () => `uid-${Math.random()}` });
  accused = [];
  const wishes = new Wishes(api, () => agenda.now);
  judge = new VolumeJudge({ universe: { agenda, api }, wishes, accuse: (message) => accused.push(message) });
});

function attach(claim: string): void {
  const { apiVersion, kind } = VOLUME_ATTACHMENTS;
  const source = { persistentVolumeName: `pv-${claim}` };
  const made = { apiVersion, kind, metadata: { name: claim, uid: `uid-of-${claim}` }, spec: { nodeName: 'n', source } };
  api.put(made);
}

/** A pod with a volume leaves the Node, whose volume stays there. */
function leave(name: string, owner?: { readonly kind: string; readonly uid: string }): void {
  api.put(aPod({ name, claims: [`data-${name}`], ...given({ owner }) }));
  attach(`data-${name}`);
  api.drop(PODS, 'default', name);
}

/** Its Machine, with how long volumes may be waited for. */
function machine(volumeDetachTimeout?: string): MachineObject {
  const made = aMachine({ name: 'm' });
  if (volumeDetachTimeout !== undefined) made.spec.drain = { volumeDetachTimeout };
  api.put(made);
  return made;
}

const pass = (seconds: number) => agenda.runUntil(agenda.now + seconds * 1000);

it('an instance that ends while the volume of a pod that left is attached is accused', async () => {
  leave('db');
  await pass(10);
  judge.seeEnd(machine(), 'n');
  expect(accused).toEqual([expect.stringContaining('pv-data-db is attached to n')]);
});

it('no volume is waited for longer than the Machine says', async () => {
  leave('db');
  await pass(11);
  judge.seeEnd(machine('10s'), 'n');
  await pass(110);
  judge.seeEnd(machine(), 'n');
  expect(accused).toEqual([]);
});

it('a wait counts from when it began, where the Node is said to be drained later once more, and not from before its pods had left', async () => {
  const begunAt = new Date(agenda.now).toISOString();
  leave('db');
  await pass(60);
  const at = new Date(agenda.now).toISOString();
  const drained = { type: 'Drained', status: 'True', reason: 'DrainSucceeded', message: '', lastTransitionTime: at };
  const status = { deletion: { volumeDetachStartTime: begunAt }, conditions: [drained] } as NonNullable<
    MachineObject['status']
  >;
  await pass(65);
  judge.seeEnd({ ...machine(), status }, 'n');
  expect(accused).toEqual([]);
  leave('late');
  judge.seeEnd({ ...machine(), status }, 'n');
  expect(accused).toHaveLength(1);
});

it('volumes of pods of DaemonSets, of pods that are there, and of other Nodes are not waited for', async () => {
  leave('agent', { kind: 'DaemonSet', uid: 'uid-of-agents' });
  api.put(aPod({ name: 'late', claims: ['data-late'] }));
  attach('data-late');
  leave('db');
  judge.seeEnd(machine(), 'another');
  api.drop(VOLUME_ATTACHMENTS, undefined, 'data-db');
  judge.seeEnd(machine(), 'n');
  expect(accused).toEqual([]);
});
