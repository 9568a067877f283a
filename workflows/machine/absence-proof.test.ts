import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { planAbsenceProof, withLook } from './absence-proof.ts';

const WINDOW_MS = 300_000;
const APART_MS = WINDOW_MS / 4;

describe('the proof of absence', () => {
  it('never holds without three looks of which the last is a window after the first, and none is close to another', () => {
    const looks = fc.array(fc.integer({ min: -WINDOW_MS, max: 3 * WINDOW_MS }), { maxLength: 12 });
    fc.assert(
      fc.property(looks, (unsorted) => {
        const sorted = [...unsorted].sort((a, b) => a - b);
        if (planAbsenceProof(sorted, 0, WINDOW_MS) !== 'proved') return;
        const counted = sorted.filter((at) => at >= 0);
        const first = counted[0] ?? Infinity;
        const last = counted.at(-1) ?? 0;
        expect(last - first).toBeGreaterThanOrEqual(WINDOW_MS);
        expect(counted.some((at) => at - first >= APART_MS && last - at >= APART_MS)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['at once, where none was made', [], 0],
    ['in the middle of the window, after the first', [10_000], 10_000 + WINDOW_MS / 2],
    ['at the end of the window, after two', [10_000, 160_000], 10_000 + WINDOW_MS],
    ['at the end of the window, where a quarter of it lies between two', [0, APART_MS], WINDOW_MS],
    ['a quarter of the window after a second one that was late', [0, 290_000], 290_000 + APART_MS],
    ['in the middle of the window, where a second one followed at once', [0, 10], WINDOW_MS / 2],
  ])('wants the next look %s', (_when, looks, due) => {
    expect(planAbsenceProof(looks, 0, WINDOW_MS)).toBe(due);
  });

  it('holds when the last of three is due, and not before', () => {
    expect(planAbsenceProof([0, 150_000, WINDOW_MS - 1], 0, WINDOW_MS)).toBe(WINDOW_MS);
    expect(planAbsenceProof([0, 150_000, WINDOW_MS], 0, WINDOW_MS)).toBe('proved');
  });

  it('keeps a look that lies a quarter of the window after the one before', () => {
    expect(withLook([0, APART_MS], APART_MS + 1, WINDOW_MS)).toEqual([0, APART_MS, APART_MS + 1]);
    expect(withLook([0, APART_MS - 1], APART_MS, WINDOW_MS)).toEqual([0, APART_MS]);
  });

  it('is not brought about by looks that were held up and are made all at once', () => {
    expect(planAbsenceProof([900_000, 900_001, 900_002], 0, WINDOW_MS)).toBe(900_000 + WINDOW_MS / 2);
    expect(planAbsenceProof([0, 900_000, 900_001], 0, WINDOW_MS)).toBe(900_000 + APART_MS);
  });

  it('does not count looks from before the time it counts from', () => {
    expect(planAbsenceProof([0, 150_000, 300_000], 1, WINDOW_MS)).toBe(150_000 + WINDOW_MS);
  });

  it('comes about however often it is looked in between: what it needs is not forgotten', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 60_000 }), { minLength: 400, maxLength: 400 }), (pauses) => {
        let now = 0;
        let looks: number[] = [];
        for (const pause of pauses) {
          looks = withLook(looks, now, WINDOW_MS);
          if (now >= WINDOW_MS) {
            expect(planAbsenceProof(looks, looks[0] ?? 0, WINDOW_MS)).toBe('proved');
            expect(looks.length).toBeLessThanOrEqual(10);
            return;
          }
          now += pause;
        }
      }),
      { numRuns: 200 },
    );
  });
});
