import { expect, it } from '@jest/globals';
import { readRetryAfter } from './retry-after.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

it.each([
  ['seconds', '7', 7_000],
  ['no wait', '0', 0],
  ['seconds with white space', ' 7 ', 7_000],
  ['just the longest', '300', 300_000],
  ['days', '604800', 300_000],
  ['more than a number holds', '9'.repeat(400), 300_000],
  ['a date', 'Thu, 01 Jan 2026 00:00:09 GMT', 9_000],
  ['a date of next year', 'Fri, 01 Jan 2027 00:00:00 GMT', 300_000],
  ['a date that is over', 'Wed, 31 Dec 2025 23:59:00 GMT', undefined],
  ['a negative number', '-7', undefined],
  ['half a second', '0.5', undefined],
  ['words', 'soon', undefined],
  ['nothing', '', undefined],
  ['no header', undefined, undefined],
  ['several headers', ['7', '8'], undefined],
])('reads %s', (_what, header, ms) => {
  expect(readRetryAfter(header, NOW)).toBe(ms);
});
