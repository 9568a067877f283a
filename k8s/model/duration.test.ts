import { describe, expect, it, test } from '@jest/globals';
import { describeDuration, parseDuration } from './duration.ts';

describe('a duration', () => {
  it.each([
    ['30s', 30_000],
    ['1h30m', 5_400_000],
    ['1.5m', 90_000],
    ['250ms', 250],
    ['1500us', 1.5],
    ['1500µs', 1.5],
    ['1s1000000ns', 1001],
    ['0s', 0],
  ])('%s is read', (text, ms) => expect(parseDuration(text)).toBe(ms));

  it.each(['', '-5m', '5', 'm', '5 m', '5m-', '1d'])('"%s" is none', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});

test.each([
  [5_400_000, '1 h 30 min'],
  [125_000, '2 min 5 s'],
  [3_605_000, '1 h 5 s'],
  [400, '0 s'],
])('%i ms are told as %s', (ms, words) => expect(describeDuration(ms)).toBe(words));
