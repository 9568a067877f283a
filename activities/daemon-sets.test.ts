import { beforeEach, expect, it } from '@jest/globals';
import { readPod } from '../k8s/model/pod.ts';
import { DAEMON_SETS } from '../k8s/resources.ts';
import { delay } from '../providers/clock.ts';
import { aPod } from '../test/world/builders/a-pod.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { World } from '../test/world/world.ts';
import { createExistingDaemonSets, type ExistingDaemonSets } from './daemon-sets.ts';

let world: World;
let existing: ExistingDaemonSets;

beforeEach(() => {
  world = new World(ownClock());
  existing = createExistingDaemonSets(world.kube.client, world.clock);
});

const podOf = (name: string, uid = `uid-of-${name}`) => readPod(aPod({ owner: { kind: 'DaemonSet', name, uid } }));
const verbs = () => world.requests.map(({ verb }) => verb);

function make(name: string, uid = `uid-of-${name}`): void {
  const { apiVersion, kind } = DAEMON_SETS;
  world.kube.put({ apiVersion, kind, metadata: { namespace: 'default', name, uid } });
}

it('one list serves all drains for some seconds', async () => {
  make('agent');
  const all = await Promise.all([existing([podOf('agent')]), existing([podOf('agent')])]);
  all.push(await existing([podOf('agent')]));
  expect(all.map((uids) => uids.has('uid-of-agent'))).toEqual([true, true, true]);
  expect(verbs()).toEqual(['list']);
  await delay(world.clock, 10_000);
  await existing([podOf('agent')]);
  expect(verbs()).toEqual(['list', 'list']);
});

it('a DaemonSet that is newer than the list is read by its name', async () => {
  await existing([podOf('gone')]);
  make('agent');
  expect((await existing([podOf('agent')])).has('uid-of-agent')).toBe(true);
});

it.each<[string, () => void]>([
  ['is gone', () => {}],
  ['has another of its name in its place', () => make('agent', 'another')],
])('a DaemonSet that %s does not exist', async (_what, change) => {
  change();
  expect((await existing([podOf('agent')])).has('uid-of-agent')).toBe(false);
});

it('nothing is asked for where no pod is of a DaemonSet', async () => {
  await existing([readPod(aPod({ owner: { kind: 'ReplicaSet', uid: 'r' } }))]);
  expect(verbs()).toEqual([]);
});
