import { expect, test } from '@jest/globals';
import { staleDependencies } from './bootstrap.mjs';

const lock = {
  packages: {
    '': {},
    'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
    'node_modules/for-windows': { version: '1.0.0', integrity: 'sha512-w', optional: true },
  },
};

test('installed packages that are those of the lock file are not stale, without other platforms’', () => {
  expect(staleDependencies(lock, { packages: { 'node_modules/a': lock.packages['node_modules/a'] } })).toBeUndefined();
});

test.each([
  ['nothing is installed', undefined, 'they are not there yet'],
  ['one is missing', { packages: {} }, 'node_modules/a should be 1.0.0 and is missing'],
  [
    'one has another version',
    { packages: { 'node_modules/a': { version: '0.9.0', integrity: 'sha512-b' } } },
    'node_modules/a should be 1.0.0 and is 0.9.0',
  ],
])('stale: %s', (_name, installed, reason) => {
  expect(staleDependencies(lock, installed)).toBe(reason);
});
