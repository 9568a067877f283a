import { expect, test } from '@jest/globals';
import { mergePatch } from './merge-patch.ts';

test.each<[string, unknown, unknown, unknown]>([
  ['lays fields over those that are there', { a: 1, b: { c: 1 } }, { b: { d: 2 } }, { a: 1, b: { c: 1, d: 2 } }],
  ['removes by null', { a: 1, b: 2 }, { b: null }, { a: 1 }],
  ['removes in what is new, too', {}, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
  ['writes lists whole', { a: [1, 2] }, { a: [3] }, { a: [3] }],
  ['puts fields in place of a value', { a: 'text' }, { a: { b: 1 } }, { a: { b: 1 } }],
])('%s', (_what, value, patch, expected) => {
  expect(mergePatch(value, patch)).toEqual(expected);
});
