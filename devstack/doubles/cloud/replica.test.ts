import { expect, it } from '@jest/globals';
import type { CloudInstance } from './cloud-instance.ts';
import { Replica } from './replica.ts';

it('a replica hears of what came in the very moment in which it began as late as of anything else', () => {
  const replica = new Replica(60_000, [], 1000);
  replica.put({ id: 'i-1', instanceType: 't', tags: {} } as unknown as CloudInstance, 1000);
  expect([...replica.at(1000).fleet.all()]).toEqual([]);
  expect([...replica.at(60_999).fleet.all()]).toEqual([]);
  expect([...replica.at(61_000).fleet.all()]).toHaveLength(1);
});
