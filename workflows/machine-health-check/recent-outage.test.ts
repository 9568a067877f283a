import { describe, expect, it } from '@jest/globals';
import type { Outage } from './health-activities.ts';
import { recentOutage } from './recent-outage.ts';

const NOON = Date.parse('2026-01-01T12:00:00Z');
const GRACE_MS = 50_000;
const iso = (seconds: number): string => new Date(NOON + seconds * 1000).toISOString();
const recent = (at: number, ...outages: readonly Outage[]) => recentOutage(outages, GRACE_MS, NOON + at * 1000);

const UNWATCHED: Outage = { from: iso(-600), until: iso(0), unwatched: true };

describe('the brake of an outage', () => {
  it('holds for the grace where no watcher was at work, and says so', () => {
    expect(recent(1, UNWATCHED)).toEqual({
      brake: {
        reason: 'RecentOutage',
        message:
          'no watcher was at work from 2026-01-01T11:50:00.000Z to 2026-01-01T12:00:00.000Z, so that nobody knows whether the API server was away: nothing is remediated before 2026-01-01T12:00:50.000Z, when the control plane would know again which Nodes answer',
      },
      until: NOON + GRACE_MS,
    });
    expect(recent(49.999, UNWATCHED)).toBeDefined();
    expect(recent(50, UNWATCHED)).toBeUndefined();
  });

  it('names an outage that was seen first', () => {
    const seen: Outage = { from: iso(-30), until: iso(10) };
    expect(recent(20, UNWATCHED, seen)?.until).toBe(NOON + 60_000);
    expect(recent(20, UNWATCHED, { from: iso(-300), until: iso(-200) })?.until).toBe(NOON + GRACE_MS);
  });

  it('is not there without one', () => {
    expect(recent(0)).toBeUndefined();
    expect(recent(51, { from: iso(-5), until: iso(0) })).toBeUndefined();
  });
});
