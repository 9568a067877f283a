import { describe, expect, test } from '@jest/globals';
import { doubled } from './doubling.ts';

describe('a wait that doubles', () => {
  test('from the first up to the most', () => {
    expect([1, 2, 3, 4, 5].map((times) => doubled({ first: 10, most: 60 }, times))).toEqual([10, 20, 40, 60, 60]);
  });

  test('where nothing failed yet, and where it failed ever so often', () => {
    expect([0, 10_000].map((times) => doubled({ first: 1, most: 3 }, times))).toEqual([1, 3]);
  });
});
