import { expect, it } from '@jest/globals';
import { BoundedMap } from './bounded-map.ts';

it('keeps the entries that were used last', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  expect(map.get('a')).toBe(1);
  map.set('c', 3);
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([1, undefined, 3]);
  map.delete('a');
  expect(map.size).toBe(1);
});
