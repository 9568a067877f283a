import { expect, test } from '@jest/globals';
import { given } from './given.ts';

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
