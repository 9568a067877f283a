import { expect, it } from '@jest/globals';
import { createCachedRead } from './cached-read.ts';

it('shares one read among those who ask at once, and its answer until it is too old', async () => {
  let reads = 0;
  let now = 0;
  const read = createCachedRead(async (key: { readonly name: string }) => `${key.name} ${(reads += 1)}`, {
    ttlMs: 1_000,
    now: () => now,
  });
  expect(await Promise.all([read({ name: 'a' }), read({ name: 'a' }), read({ name: 'b' })])).toEqual([
    'a 1',
    'a 1',
    'b 2',
  ]);
  now = 999;
  expect(await read({ name: 'a' })).toBe('a 1');
  now = 1_000;
  expect(await read({ name: 'a' })).toBe('a 3');
});

it('does not remember a failure', async () => {
  let isBroken = true;
  const read = createCachedRead(
    async () => {
      if (isBroken) throw new Error('broken');
      return 'mended';
    },
    { ttlMs: 60_000 },
  );
  const all = await Promise.allSettled([read(''), read('')]);
  expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isBroken = false;
  expect(await read('')).toBe('mended');
});
