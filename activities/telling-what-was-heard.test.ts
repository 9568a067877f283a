import { expect, test } from '@jest/globals';
import { tellingWhatWasHeard } from './telling-what-was-heard.ts';

const activities = tellingWhatWasHeard({
  look: async (_request: { readonly heard?: number }) => ({ found: true }),
  write: async (_request: { readonly heard?: number }) => undefined,
  count: async (_request: { readonly heard?: number }) => 3,
  fixTime: async () => ({ at: 1 }),
});

test('an answer that is an object has what its request heard, and no other answer has', async () => {
  expect(await activities.look({ heard: 2 })).toEqual({ found: true, heard: 2 });
  expect(await activities.look({ heard: 0 })).toEqual({ found: true, heard: 0 });
  expect(await activities.look({})).toEqual({ found: true });
  expect(await activities.write({ heard: 2 })).toBeUndefined();
  expect(await activities.count({ heard: 2 })).toBe(3);
  expect(await activities.fixTime()).toEqual({ at: 1 });
});
