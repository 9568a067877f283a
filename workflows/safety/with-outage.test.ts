import { describe, expect, it } from '@jest/globals';
import { awayTimes } from '../machine-health-check/away.ts';
import type { Outage } from '../machine-health-check/health-activities.ts';
import { withOutage } from './with-outage.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const MINUTE = 60_000;
const iso = (minutes: number): string => new Date(NOW + minutes * MINUTE).toISOString();
const away = (from: number, until?: number): Outage =>
  until === undefined ? { from: iso(from) } : { from: iso(from), until: iso(until) };
const after = (...told: readonly Outage[]): Outage[] =>
  told.reduce<Outage[]>((known, one) => withOutage(known, one, NOW), []);

describe('the outages that are known', () => {
  it('are kept in order, and those that overlap are one', () => {
    expect(after(away(-10, -9), away(-30, -28), away(-29, -25))).toEqual([away(-30, -25), away(-10, -9)]);
    expect(after(away(-10, -8), away(-8, -5))).toEqual([away(-10, -5)]);
  });

  it('have an end as soon as it is told', () => {
    expect(after(away(-10))).toEqual([away(-10)]);
    expect(after(away(-10), away(-10))).toEqual([away(-10)]);
    expect(after(away(-10), away(-10, -3))).toEqual([away(-10, -3)]);
  });

  it('do not begin again by news that are late', () => {
    expect(after(away(-10, -3), away(-10))).toEqual([away(-10, -3)]);
    expect(after(away(-10, -3), away(-3))).toEqual([away(-10)]);
  });

  it('end by an answer that another watcher had, at the time of that', () => {
    expect(after(away(-60), away(-5, -5))).toEqual([away(-60, -5)]);
    expect(after(away(-60), away(-20, -10))).toEqual([away(-60, -10)]);
    expect(after(away(-20), away(-21, -10))).toEqual([away(-21, -10)]);
    expect(after(away(-20), away(-30, -25))).toEqual([away(-30, -25), away(-20)]);
  });

  it('are none by an answer alone', () => {
    expect(after(away(-5, -5))).toEqual([]);
    expect(after(away(-9, -8), away(-5, -5))).toEqual([away(-9, -8)]);
  });

  it('have the last time beside them in which no watcher was at work, which ends none and is subtracted from nothing', () => {
    const unwatched = (from: number, until: number): Outage => ({ ...away(from, until), unwatched: true });
    const known = after(away(-60, -50), away(-40), unwatched(-30, -20), unwatched(-35, -32), away(-15, -14));
    expect(known).toEqual([unwatched(-30, -20), away(-60, -50), away(-40, -14)]);
    expect(awayTimes(known)).toEqual(awayTimes(known.slice(1)));
    expect(after(away(-40), unwatched(-30, -20))).toEqual([unwatched(-30, -20), away(-40)]);
    expect(after(unwatched(-35, -32), unwatched(-30, -20))).toEqual([unwatched(-30, -20)]);
  });

  it('are forgotten a day after their end, and the oldest of too many before', () => {
    const day = 24 * 60;
    expect(after(away(-day - 20, -day))).toEqual([]);
    expect(after(away(-day - 3, -day + 1))).toHaveLength(1);
    const unwatched = (until: number): Outage => ({ ...away(-day - 3, until), unwatched: true });
    expect([after(unwatched(-day)), withOutage([unwatched(-day)], away(-2, -1), NOW)]).toEqual([[], [away(-2, -1)]]);
    expect(after(unwatched(-day + 1))).toHaveLength(1);
    const many = Array.from({ length: 250 }, (_one, n) => away(-1000 + 2 * n, -999 + 2 * n));
    const kept = after(...many);
    expect(kept).toHaveLength(200);
    expect(kept.at(-1)).toEqual(many.at(-1));
  });
});
