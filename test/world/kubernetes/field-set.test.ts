import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import {
  describePath,
  difference,
  fromFieldsV1,
  intersection,
  pathOf,
  toFieldsV1,
  union,
  without,
} from './field-set.ts';

test('a set is written as the API server writes it, and read back', () => {
  const spec = pathOf('spec', 'providerID');
  const item = pathOf('status', 'conditions').item('k:{"type":"Ready"}');
  const set = new Set([spec, item, item.field('status'), pathOf('metadata', 'finalizers').item('v:"x"')]);
  expect(toFieldsV1(set)).toEqual({
    'f:metadata': { 'f:finalizers': { 'v:"x"': {} } },
    'f:spec': { 'f:providerID': {} },
    'f:status': { 'f:conditions': { 'k:{"type":"Ready"}': { '.': {}, 'f:status': {} } } },
  });
  expect(fromFieldsV1(toFieldsV1(set))).toEqual(set);
  expect([...set].map(describePath)).toContain('.status.conditions[{"type":"Ready"}].status');
});

test('sets are as sets are, whatever is in them', () => {
  const paths = fc.array(fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 4 }));
  fc.assert(
    fc.property(paths, paths, (left, right) => {
      const [a, b] = [new Set(left.map((path) => pathOf(...path))), new Set(right.map((path) => pathOf(...path)))];
      expect(fromFieldsV1(toFieldsV1(a))).toEqual(a);
      expect(union(difference(a, b), intersection(a, b))).toEqual(a);
      expect(without(a, [pathOf('a')])).toEqual(
        new Set([...a].filter((path) => !/^\.a(\.|$)/.test(describePath(path)))),
      );
    }),
  );
});
