import { expect, test } from '@jest/globals';
import { joinNames, someOf } from './some-names.ts';

test.each([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b'], 'a, b'],
  [['a', 'b', 'c'], 'a, b and 1 more'],
  [['a', 'b', 'c', 'd'], 'a, b and 2 more'],
])('of %j two are named, and the others counted', (names, words) => {
  expect(joinNames(someOf(names, 2))).toBe(words);
});
