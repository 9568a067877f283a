import { describe, expect, it } from '@jest/globals';
import { mergePatchOf } from './merge-patch.ts';

describe('the merge patch from one value to another', () => {
  it.each([
    ['nothing', { a: 1, b: { c: [1] } }, { b: { c: [1] }, a: 1 }, {}],
    ['what is changed', { a: 1, b: { c: 1, d: 2 } }, { a: 2, b: { c: 1, d: 3 } }, { a: 2, b: { d: 3 } }],
    [
      'null for what is gone, or undefined',
      { a: 1, b: { c: 1 }, d: 1 },
      { b: {}, d: undefined },
      { a: null, d: null, b: { c: null } },
    ],
    ['nothing for what is undefined in both', { a: undefined }, { a: undefined }, {}],
    ['null for what is null by now', { a: 1 }, { a: null }, { a: null }],
    ['a map in the place of null', { a: null }, { a: { b: 1 } }, { a: { b: 1 } }],
    ['a list as a whole', { a: [1, 2] }, { a: [1] }, { a: [1] }],
    ['a map where there was none', {}, { a: { b: 1 } }, { a: { b: 1 } }],
    ['an empty map where there was none', {}, { a: {} }, { a: {} }],
    ['a map in the place of something else', { a: 1 }, { a: { b: 1 } }, { a: { b: 1 } }],
  ])('has %s', (_what, from, to, patch) => {
    expect(mergePatchOf(from, to)).toEqual(patch);
  });
});
