import { expect, it } from '@jest/globals';
import type { CloudInstance } from './cloud-instance.ts';
import { Replica } from './replica.ts';

const AN_INSTANCE: CloudInstance = {
  id: 'i-1',
  region: 'sim-1',
  zone: 'zone-a',
  instanceType: 'sim.small',
  image: 'image-1',
  tags: { machineUid: 'uid-1' },
  addresses: [],
  interruptible: false,
  launchedAt: 0,
  visibleAt: 0,
  joins: true,
  state: 'running',
  settlesAt: 0,
  vanishedAt: null,
};

const idsAt = (replica: Replica, now: number, machineUid = 'uid-1'): string[] =>
  replica
    .at(now)
    .fleet.find({ filters: { machineUid } })
    .map(({ id }) => id);

it('hears of an instance and of each change of it as late as it is behind', () => {
  const replica = new Replica(50, [], 0);
  replica.put(AN_INSTANCE, 100);
  expect(idsAt(replica, 149)).toEqual([]);
  replica.put({ ...AN_INSTANCE, tags: { machineUid: 'uid-2' } }, 120);
  expect(idsAt(replica, 150)).toEqual(['i-1']);
  expect(idsAt(replica, 170)).toEqual([]);
  expect(idsAt(replica, 170, 'uid-2')).toEqual(['i-1']);
});

it('begins with what there is, and shows no moment before it began', () => {
  const replica = new Replica(50, [AN_INSTANCE], 100);
  expect(idsAt(replica, 100)).toEqual(['i-1']);
  expect([100, 149, 160].map((now) => replica.at(now).now)).toEqual([100, 100, 110]);
});
