import { expect, test } from '@jest/globals';
import { given, unlessEmpty } from './given.ts';

test('leaves out what is undefined, and nothing else', () => {
  const fields = given({ zone: undefined, region: 'r', count: 0, name: '', flag: false, none: null });
  expect(Object.entries(fields)).toEqual([
    ['region', 'r'],
    ['count', 0],
    ['name', ''],
    ['flag', false],
    ['none', null],
  ]);
});

test('takes an empty list or map for absent, and no other', () => {
  const [list, map] = [[undefined], { zone: undefined }];
  expect(unlessEmpty([])).toBeUndefined();
  expect(unlessEmpty({})).toBeUndefined();
  expect(unlessEmpty(list)).toBe(list);
  expect(unlessEmpty(map)).toBe(map);
});
