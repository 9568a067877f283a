import { expect, it } from '@jest/globals';
import { ownClock } from '../test/world/world-clock.ts';
import { World } from '../test/world/world.ts';
import { readLease, writeLease } from './lease.ts';

const HOME = { namespace: 'kube-system', name: 'turns', fieldManager: 'test' };

it('a Lease that nobody has written yet is created, and changed from then on', async () => {
  const kube = new World(ownClock()).kube.client;
  expect(await readLease(kube, HOME.namespace, HOME.name)).toBeUndefined();

  const annotations = { size: '3' };
  await expect(
    writeLease(kube, { ...HOME, lease: undefined, annotations, spec: { holderIdentity: 'a', leaseTransitions: 1 } }),
  ).resolves.toBeDefined();
  const lease = await readLease(kube, HOME.namespace, HOME.name);
  await expect(writeLease(kube, { ...HOME, lease, spec: { holderIdentity: 'b' } })).resolves.toBeDefined();

  expect(await readLease(kube, HOME.namespace, HOME.name)).toMatchObject({
    metadata: { annotations },
    spec: { holderIdentity: 'b', leaseTransitions: 1 },
  });
});

it('a Lease that somebody else wrote since it was read stays as that wrote it', async () => {
  const kube = new World(ownClock()).kube.client;
  const write = async (holderIdentity: string, read: boolean) => {
    const lease = read ? await readLease(kube, HOME.namespace, HOME.name) : undefined;
    return () =>
      writeLease(kube, { ...HOME, lease, spec: { holderIdentity } }).then((written) => written !== undefined);
  };
  const [first, second] = [await write('a', false), await write('b', false)];
  expect([await first(), await second()]).toEqual([true, false]);
  const [third, fourth] = [await write('c', true), await write('d', true)];
  expect([await third(), await fourth()]).toEqual([true, false]);
  expect((await readLease(kube, HOME.namespace, HOME.name))?.spec?.holderIdentity).toBe('c');
});
