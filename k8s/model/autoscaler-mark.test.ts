import { expect, it } from '@jest/globals';
import { markedAtOf } from './autoscaler-mark.ts';

it.each([
  ['2026-11-21 10:11:12.345678901 +0000 UTC m=+12.345678901', '2026-11-21T10:11:12.345Z'],
  ['2026-11-21 10:11:12 +0200 CEST m=+0.000001', '2026-11-21T08:11:12.000Z'],
  ['2026-11-21 10:11:12.5 -0330 NST', '2026-11-21T13:41:12.500Z'],
])('the mark %s is of %s', (mark, at) => expect(new Date(markedAtOf(mark) ?? 0).toISOString()).toBe(at));

it.each([
  undefined,
  '',
  'true',
  'yes',
  '2026-11-21T10:11:12Z',
  'Sat Nov 21 2026 10:11:12 GMT+0000',
  '2026-13-41 10:11:12 +0000 UTC',
])('the mark %s is not of cluster-autoscaler', (mark) => expect(markedAtOf(mark)).toBeUndefined());
