import { expect, it } from '@jest/globals';
import { systemClock } from '../providers/clock.ts';
import type { Instance, MachineSearch, Provider } from '../providers/provider.ts';
import { createFindByMachine } from './find-by-machine.ts';

const HERE = { namespace: 'ns' };
const THERE = { namespace: 'other' };

function searchOf(n: number): MachineSearch {
  return { owner: { clusterName: 'c', namespace: 'ns', name: `m-${n}`, uid: `uid-${n}`, clusterUid: 'k' } };
}

/** A cloud that has one instance for each Machine, and counts its calls. */
function countingProvider(describeBatchSize = 200) {
  const calls: string[] = [];
  const instanceOf = ({ owner }: MachineSearch) => [{ id: `i-${owner.uid}` } as Instance];
  const provider = {
    describeBatchSize,
    findByMachine: async ({ namespace }: typeof HERE, owner: MachineSearch['owner']) => {
      calls.push(`one in ${namespace}`);
      return instanceOf({ owner });
    },
    findByMachines: async ({ namespace }: typeof HERE, searches: readonly MachineSearch[]) => {
      calls.push(`${searches.length} in ${namespace}`);
      return searches.map(instanceOf);
    },
  } as unknown as Provider;
  const find = createFindByMachine(systemClock);
  return {
    calls,
    find: (credentials: typeof HERE, n: number) => find({ provider, credentials }, searchOf(n)),
    provider,
  };
}

const numbers = (count: number) => Array.from({ length: count }, (_one, n) => n);

it('looks for many Machines at once by one shared look-up for each credentials, and tells each its own', async () => {
  const { find, calls } = countingProvider();
  const found = await Promise.all([...numbers(50).map((n) => find(HERE, n)), ...numbers(2).map((n) => find(THERE, n))]);
  expect(calls.toSorted()).toEqual(['2 in other', '50 in ns']);
  expect(found.map(([instance]) => instance?.id)).toEqual([
    ...numbers(50).map((n) => `i-uid-${n}`),
    ...numbers(2).map((n) => `i-uid-${n}`),
  ]);
});

it('begins another look-up where one is full, and for who asks after it began', async () => {
  const { find, calls } = countingProvider(3);
  await Promise.all(numbers(7).map((n) => find(HERE, n)));
  expect(calls.toSorted()).toEqual(['3 in ns', '3 in ns', 'one in ns']);
  await find(HERE, 0);
  expect(calls).toHaveLength(4);
});

it('fails all who shared a look-up that failed, and nobody after', async () => {
  const { provider } = countingProvider();
  const failing = { ...provider, findByMachines: () => Promise.reject(new Error('throttled')) };
  const find = createFindByMachine(systemClock);
  const place = { provider: failing, credentials: HERE };
  const both = await Promise.allSettled(numbers(2).map((n) => find(place, searchOf(n))));
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await find(place, searchOf(0))).toHaveLength(1);
});
