import { expect, it } from '@jest/globals';
import { Behaviours } from './behaviours.ts';
import type { CloudInstance } from './cloud-instance.ts';
import { Fleet } from './fleet.ts';
import { View } from './view.ts';

const ENDED: CloudInstance = {
  id: 'i-1',
  region: 'sim-1',
  zone: 'zone-a',
  instanceType: 'sim.small',
  image: 'image-1',
  tags: {},
  addresses: [],
  interruptible: false,
  launchedAt: 0,
  visibleAt: 100,
  joins: true,
  state: 'shutting-down',
  givesWayAt: 1000,
  vanishedAt: null,
};

it('shows nobody what vanished, and everybody what is back, however far behind it is', () => {
  const behaviours = new Behaviours(() => {});
  const [behind, present] = [new Fleet(), new Fleet()];
  const sees = (): boolean => new View(behind, 500, behaviours, present).isVisible(behind.get('i-1'));
  behind.put(ENDED);
  present.put({ ...ENDED, vanishedAt: 900 });
  expect(sees()).toBe(false);
  behind.put({ ...ENDED, vanishedAt: 400 });
  present.put(ENDED);
  expect(sees()).toBe(true);
});

it('shows instances as they are at its moment, as long as describes show them', () => {
  const behaviours = new Behaviours(() => {}, { terminatedVisibleMs: 500 });
  const fleet = new Fleet();
  fleet.put(ENDED);
  const statesAt = (now: number): string[] => {
    const view = new View(fleet, now, behaviours);
    return view.find({ ids: ['i-1'] }).map((instance) => view.stateOf(instance));
  };
  expect([99, 100, 1000, 1499, 1500].map(statesAt)).toEqual([
    [],
    ['shutting-down'],
    ['terminated'],
    ['terminated'],
    [],
  ]);
  expect(() => new View(fleet, 99, behaviours).require(['i-1'])).toThrow("'i-1' does not exist");
  expect(() => new View(fleet, 100, behaviours).require(['i-1'])).not.toThrow();
});
