import { expect, test } from '@jest/globals';
import { judgeClock, skewOf } from './clock-reading.ts';

const NOON = Date.parse('2026-01-01T12:00:00Z');

/** A server that is asked at noon, answers 200 ms later, and tells its time in whole seconds, cut off. */
function reading(serverAheadMs: number) {
  const earliest = Math.floor((NOON + 100 + serverAheadMs) / 1000) * 1000;
  return { earliest, latest: earliest + 1000, sentAt: NOON, receivedAt: NOON + 200 };
}

test('what whole seconds and the way there and back explain is no skew', () => {
  for (const ahead of [-800, -100, 0, 100, 800]) expect(skewOf(reading(ahead))).toBe(0);
});

test('a clock that is ahead or behind is told, at least by how much', () => {
  expect(skewOf(reading(10_000))).toBeGreaterThan(8000);
  expect(skewOf(reading(10_000))).toBeLessThanOrEqual(10_000);
  expect(skewOf(reading(-10_000))).toBeLessThan(-8000);
  expect(judgeClock('Temporal', reading(60_000))).toMatchObject({
    status: 'failed',
    found: expect.stringMatching(/^\d+\.\d s ahead of this computer$/),
    advice: expect.stringContaining('NTP'),
  });
  expect(judgeClock('Temporal', reading(-60_000)).found).toContain('behind');
});

test('little skew is told and does no harm, and a clock that is not told is not known', () => {
  expect(judgeClock('Temporal', reading(3500)).status).toBe('ok');
  expect(judgeClock('Temporal', undefined).status).toBe('unknown');
});
