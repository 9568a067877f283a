import { expect, test } from '@jest/globals';
import { countOf } from './count.ts';

test('one is one, and all else are many', () => {
  expect([0, 1, 2].map((n) => countOf(n, 'machine is', 'machines are'))).toEqual([
    '0 machines are',
    '1 machine is',
    '2 machines are',
  ]);
});
