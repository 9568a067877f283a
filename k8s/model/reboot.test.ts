import { describe, expect, test } from '@jest/globals';
import { hasBootedSince, readRebootWish, recentReboots, writeRebootWish } from './reboot.ts';
import { given } from '../../providers/given.ts';

const NOW = Date.parse('2026-01-02T12:00:00Z');

describe('a wish for a reboot', () => {
  test('is read as it was written', () => {
    const wish = { id: '2026-01-02T11:00:00.000Z', causes: ['node Ready=False,Unknown 300000'] };
    expect(readRebootWish(writeRebootWish(wish))).toEqual(wish);
  });

  test('is read where it is just as long as it may be', () => {
    const empty = { id: 'a'.repeat(64), causes: [''] };
    const wish = { ...empty, causes: ['x'.repeat(8192 - writeRebootWish(empty).length)] };
    expect(readRebootWish(writeRebootWish(wish))).toEqual(wish);
  });

  test.each([
    undefined,
    '',
    'yes',
    'null',
    '{}',
    '{"id":"","causes":[]}',
    '{"id":7,"causes":[]}',
    '{"id":"a","causes":"all"}',
    '{"id":"a","causes":[1]}',
    '{"id":"a","causes":["x",1]}',
    JSON.stringify({ id: 'a'.repeat(65), causes: [] }),
    JSON.stringify({ id: 'a', causes: ['x'.repeat(9000)] }),
  ])('is none where it is %j', (value) => {
    expect(readRebootWish(value)).toBeUndefined();
  });
});

test('reboots count for 24 hours; what is no time is none', () => {
  const times = ['2026-01-02T11:00:00Z', 'never', '2026-01-01T12:00:01Z', '2026-01-01T12:00:00Z'];
  expect(recentReboots({ times }, NOW)).toEqual([Date.parse('2026-01-01T12:00:01Z'), NOW - 3_600_000]);
});

test.each([
  ['Sent', 'a', 'b', true],
  ['Sent', undefined, 'b', true],
  ['Sent', 'a', 'a', false],
  ['Sent', 'a', undefined, false],
  ['Sent', 'a', '', false],
  ['Preparing', 'a', 'b', false],
  ['Refused', 'a', 'b', false],
] as const)('of a reboot that is %s, after the boot %s, the boot %s tells: %s', (state, before, now, isIt) => {
  expect(hasBootedSince({ state, ...given({ bootID: before }) }, now)).toBe(isIt);
});
