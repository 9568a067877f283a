import { expect, test } from '@jest/globals';
import { firstDifference } from './difference.ts';

test('what the API server fills in is no difference', () => {
  expect(firstDifference({ a: 1, b: [{ c: 2 }] }, { a: 1, b: [{ c: 2, filled: 'in' }], status: {} })).toBeUndefined();
});

test.each([
  ['another value', { a: { b: 1 } }, { a: { b: 2 } }, '.a.b'],
  ['a missing field', { a: { b: 1 } }, { a: {} }, '.a.b'],
  ['a list of another length', { a: [1] }, { a: [1, 2] }, '.a'],
  ['another item of a list', { a: [{ b: 1 }, { b: 2 }] }, { a: [{ b: 1 }, { b: 3 }] }, '.a[1].b'],
  ['a list that is none', { a: [1] }, { a: 1 }, '.a'],
])('%s is told by its path', (_what, wanted, live, path) => {
  expect(firstDifference(wanted, live)).toBe(path);
});

test('within a schema a field too many is another release’s', () => {
  const schema = (properties: object) => ({ openAPIV3Schema: { properties } });
  expect(firstDifference(schema({ a: {} }), schema({ a: {}, gone: {} }))).toBe('.openAPIV3Schema.properties.gone');
});
