import { expect, test } from '@jest/globals';
import { tellingWhatWasTold } from './telling-what-was-told.ts';

const activities = tellingWhatWasTold({
  look: async (_request: { readonly told?: number }) => ({ found: true }),
  write: async (_request: { readonly told?: number }) => undefined,
  count: async (_request: { readonly told?: number }) => 3,
  fixTime: async () => ({ at: 1 }),
});

test('an answer that is an object has what its request told, and no other answer has', async () => {
  expect(await activities.look({ told: 2 })).toEqual({ found: true, told: 2 });
  expect(await activities.look({ told: 0 })).toEqual({ found: true, told: 0 });
  expect(await activities.look({})).toEqual({ found: true });
  expect(await activities.write({ told: 2 })).toBeUndefined();
  expect(await activities.count({ told: 2 })).toBe(3);
  expect(await activities.fixTime()).toEqual({ at: 1 });
});
