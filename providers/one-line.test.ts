import { expect, test } from '@jest/globals';
import { oneLine } from './one-line.ts';

test('puts everything into one line', () => {
  expect(oneLine('  a\r\n\tb  c\n')).toBe('a b c');
});
