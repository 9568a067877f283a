import { describe, expect, it } from '@jest/globals';
import { countTakeable, type TakeWorld } from './may-take.ts';

const world = (changes: Partial<TakeWorld> = {}): TakeWorld => ({
  replicas: 5,
  bounds: { maxSurge: 1, maxUnavailable: 1 },
  isHeld: false,
  active: 6,
  available: 6,
  isOnlySet: false,
  ...changes,
});
const WELL = { isMarked: false, isAvailable: true };
const ILL = { isMarked: false, isAvailable: false };
const MARKED = { isMarked: true, isAvailable: true };

describe('how many of the chosen machines may go', () => {
  it('as many as leave enough that are available', () => {
    expect(countTakeable([WELL, WELL, WELL], world())).toBe(2);
    expect(countTakeable([WELL, WELL, WELL], world({ available: 4 }))).toBe(0);
  });

  it('those that are not available go without counting', () => {
    expect(countTakeable([ILL, ILL, WELL], world({ available: 4 }))).toBe(2);
  });

  it('those that are not available make it no harder for those after them', () => {
    expect(countTakeable([ILL, WELL, WELL], world({ available: 5 }))).toBe(2);
  });

  it('as many of earlier templates stay as keep their places for now', () => {
    const old = (active: number, least: number) => ({ old: { active, least } });
    expect(countTakeable([WELL, WELL], world(old(3, 2)))).toBe(1);
    expect(countTakeable([ILL, ILL, ILL], world(old(3, 1)))).toBe(2);
    expect(countTakeable([WELL], world(old(2, 2)))).toBe(0);
    expect(countTakeable([MARKED, WELL], world(old(2, 2)))).toBe(1);
  });

  it('a marked one goes, and counts for those after it', () => {
    expect(countTakeable([MARKED, WELL, WELL], world())).toBe(2);
    expect(countTakeable([MARKED, WELL], world({ available: 4 }))).toBe(1);
  });

  it('none goes from a paused rollout that is not too many', () => {
    expect(countTakeable([WELL, ILL], world({ isHeld: true }))).toBe(0);
    expect(countTakeable([ILL, ILL], world({ isHeld: true, active: 7 }))).toBe(1);
    expect(countTakeable([MARKED], world({ isHeld: true }))).toBe(1);
    expect(countTakeable([WELL, WELL], world({ isHeld: true, isOnlySet: true }))).toBe(1);
  });
});
