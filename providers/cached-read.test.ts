import { expect, it } from '@jest/globals';
import { createCachedRead } from './cached-read.ts';
import { systemClock } from './clock.ts';
import { VirtualClock } from './virtual-clock-for-tests.ts';

it('shares one read among those who ask at once, and its answer until it is too old', async () => {
  let reads = 0;
  const clock = new VirtualClock();
  const read = createCachedRead(async (key: { readonly name: string }) => `${key.name} ${(reads += 1)}`, {
    ttlMs: 1_000,
    clock,
  });
  expect(await Promise.all([read({ name: 'a' }), read({ name: 'a' }), read({ name: 'b' })])).toEqual([
    'a 1',
    'a 1',
    'b 2',
  ]);
  await clock.pass(999);
  expect(await read({ name: 'a' })).toBe('a 1');
  await clock.pass(1);
  expect(await read({ name: 'a' })).toBe('a 3');
});

it('remembers no more answers than it may, and those that were asked for last', async () => {
  let reads = 0;
  const read = createCachedRead(async (key: string) => `${key} ${(reads += 1)}`, {
    ttlMs: 60_000,
    most: 2,
    clock: systemClock,
  });
  await read('a');
  await read('b');
  await read('a');
  await read('c');
  expect(reads).toBe(3);
  expect([await read('a'), await read('c')]).toEqual(['a 1', 'c 3']);
  expect(await read('b')).toBe('b 4');
});

it('answers those who wait for a read that is forgotten meanwhile', async () => {
  const slow = Promise.withResolvers<string>();
  const read = createCachedRead((key: string) => (key === 'slow' ? slow.promise : Promise.resolve(key)), {
    ttlMs: 60_000,
    most: 1,
    clock: systemClock,
  });
  const waiting = read('slow');
  await read('other');
  slow.resolve('late');
  expect(await waiting).toBe('late');
});

it('does not remember a failure', async () => {
  let isBroken = true;
  const read = createCachedRead(
    async () => {
      if (isBroken) throw new Error('broken');
      return 'mended';
    },
    { ttlMs: 60_000, clock: systemClock },
  );
  const all = await Promise.allSettled([read(''), read('')]);
  expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isBroken = false;
  expect(await read('')).toBe('mended');
});
