import { describe, expect, test } from '@jest/globals';
import type { Away } from './away.ts';
import { MINUTE, NOW } from './check-for-tests.ts';
import type { Spell } from './health-memory.ts';
import { flapsTooLongAt, recentSpells, withSpell } from './spells.ts';

const TIMEOUT = 5 * MINUTE;
const WINDOW = 3 * TIMEOUT;

/** Bad from one minute to another, counted from now. */
function spell(from: number, to: number, badMs = (to - from) * MINUTE): Spell {
  return { from: NOW + from * MINUTE, to: NOW + to * MINUTE, badMs };
}

const away = (from: number, until: number): Away => ({ from: NOW + from * MINUTE, until: NOW + until * MINUTE });

describe('one more spell', () => {
  const added = (spells: readonly Spell[], from: number, to: number, outages: readonly Away[] = []) => {
    const one = { from: NOW + from * MINUTE, to: NOW + to * MINUTE, timeoutMs: TIMEOUT, seenAt: NOW + to * MINUTE };
    return withSpell(spells, one, outages);
  };

  test('is added to those that are known', () => {
    expect(added([spell(0, 1)], 2, 4)).toEqual([spell(0, 1), spell(2, 4)]);
  });

  test('is bad for as long as somebody could tell', () => {
    expect(added([], 0, 6, [away(1, 3)])).toEqual([spell(0, 6, 4 * MINUTE)]);
    expect(added([spell(-2, -1)], 0, 2, [away(-1, 3)])).toEqual([spell(-2, -1)]);
  });

  test('is not kept where it lasted for the whole time-out, or for no time', () => {
    const known = [spell(-2, -1)];
    expect(added(known, 0, 5)).toEqual(known);
    expect(added(known, 0, 0)).toEqual(known);
    expect(added([], 0, 5 - 1 / MINUTE)).toHaveLength(1);
  });

  test('is kept as a whole time-out where nobody saw it last for that', () => {
    const one = { from: NOW, to: NOW + 6 * MINUTE, timeoutMs: TIMEOUT };
    const seenUntil = (minute: number) => withSpell([], { ...one, seenAt: NOW + minute * MINUTE }, []);
    expect(seenUntil(4)).toEqual([spell(0, 6, TIMEOUT)]);
    expect(seenUntil(5)).toEqual([]);
  });

  test('counts no time twice on a clock that went back', () => {
    expect(added([spell(0, 2)], 1, 4)).toEqual([spell(0, 2), spell(2, 4)]);
    expect(added([spell(0, 2)], 1, 2)).toEqual([spell(0, 2)]);
    expect(added([spell(0, 2)], 1, 0)).toEqual([spell(0, 2)]);
  });

  test('is one of eight at most: the two that lie closest are told as one', () => {
    const eight = [
      spell(0, 1),
      spell(3, 4),
      spell(6, 10),
      spell(12, 13, 40_000),
      // Half a minute later.
      spell(13.5, 14, 20_000),
      spell(16, 17),
      spell(19, 20),
      spell(22, 23),
    ];
    expect(eight.slice(0, 7).reduce<readonly Spell[]>(addAgain, [])).toHaveLength(7);
    expect(eight.reduce<readonly Spell[]>(addAgain, [])).toHaveLength(8);
    expect(added(eight, 25, 26)).toEqual([
      ...eight.slice(0, 3),
      spell(12, 14, 60_000),
      ...eight.slice(5),
      spell(25, 26),
    ]);
  });

  function addAgain(known: readonly Spell[], { from, to }: Spell): readonly Spell[] {
    return withSpell(known, { from, to, timeoutMs: TIMEOUT, seenAt: to }, []);
  }
});

test('a spell counts for three time-outs after its end', () => {
  const ended = (at: number): Spell => ({ from: at - MINUTE, to: at, badMs: MINUTE });
  const spells = [ended(NOW - WINDOW), ended(NOW - WINDOW + 1)];
  expect(recentSpells(spells, TIMEOUT, NOW)).toEqual([ended(NOW - WINDOW + 1)]);
});

describe('what comes and goes is due', () => {
  /** In minutes from now, of what is bad again since so many minutes. */
  const due = (spells: readonly Spell[], since = 0, outages: readonly Away[] = [], latest = since + 5): number => {
    const lasts = { since: NOW + since * MINUTE, timeoutMs: TIMEOUT, latest: NOW + latest * MINUTE };
    return (flapsTooLongAt(spells, lasts, outages, NOW) - NOW) / MINUTE;
  };
  const ms = (count: number): number => count / MINUTE;

  test('when it was bad for more than half of three time-outs', () => {
    expect(due([spell(-6, -1)])).toBeCloseTo(2.5 + ms(1), 9);
    expect(due([spell(-6, -1)], -1)).toBeCloseTo(1.5 + ms(1), 9);
    // Known by now, and it was so a minute ago.
    expect(due([spell(-9, -4.5)], -4)).toBeCloseTo(-1 + ms(1), 9);
  });

  test('at once, where it was bad for that long before', () => {
    expect(due([spell(-10, -2.4)], -2)).toBe(-2);
    expect(due([spell(-10, -2.5)], -2)).toBeCloseTo(-2 + ms(1), 9);
  });

  test('at its time-out, where that is earlier', () => {
    expect(due([])).toBe(5);
    expect(due([spell(-2, -1)])).toBe(5);
    expect(due([], -20)).toBe(-15);
    expect(due([spell(-21, -20.5)], -20)).toBe(-15);
  });

  test('by what of a spell lies within three time-outs', () => {
    // As long as the first one counts, what lasts only makes up for what of that does not count any more.
    expect(due([spell(-16, -10)], 0, [], 9)).toBeCloseTo(7.5 + ms(1), 9);
    // Half of the first one was bad: 2.5 minutes of it count at first, half a minute of them after four.
    expect(due([spell(-16, -10, 3 * MINUTE), spell(-6, -3)], 0, [], 9)).toBeCloseTo(4 + ms(1), 9);
    expect(due([spell(-40, -30), spell(-6, -1)])).toBeCloseTo(2.5 + ms(1), 9);
  });

  test('not by times in which the API server was away', () => {
    expect(due([spell(-9, -4)], -4, [away(-3, -1)])).toBeCloseTo(0.5 + ms(1), 9);
    expect(due([spell(-6, -1)], 0, [away(-1, Infinity)], Infinity)).toBe(Infinity);
  });
});
