import { describe, expect, it } from '@jest/globals';
import { ANSWER_MS, lookBeforeLate, nextAnswerAt } from './late-machines.ts';
import type { FailedMachine } from './new-machines.ts';

const NOW = 1_000_000;
const late = (uid: string): FailedMachine => ({ name: uid, uid, why: 'no Node', isLate: true, mayBeGone: true });
const broken = (uid: string): FailedMachine => ({ name: uid, uid, why: 'broken', isLate: false });
const uidsOf = (some: readonly FailedMachine[]) => some.map(({ uid }) => uid).join();

function look(failed: readonly FailedMachine[], told = {}, now = NOW) {
  const { tell, failed: counting, ...rest } = lookBeforeLate({ failed }, told, now);
  return { tell: uidsOf(tell), failed: uidsOf(counting), ...rest };
}

describe('a late machine whose instance may be gone', () => {
  it('looks at its instance first, and counts when it has had time to answer', () => {
    const first = look([late('a'), broken('b')]);
    expect(first).toEqual({ tell: 'a', failed: 'b', told: { a: NOW } });
    expect(nextAnswerAt(first.told, NOW)).toBe(NOW + ANSWER_MS);
    expect(look([late('a')], first.told, NOW + ANSWER_MS - 1)).toMatchObject({ tell: '', failed: '' });
    const then = look([late('a')], first.told, NOW + ANSWER_MS);
    expect(then).toEqual({ tell: '', failed: 'a', told: { a: NOW } });
    expect(nextAnswerAt(then.told, NOW + ANSWER_MS)).toBe(Infinity);
  });

  it('is forgotten when it is not late any more', () => {
    expect(look([broken('b')], { a: NOW })).toEqual({ tell: '', failed: 'b', told: {} });
  });

  it('waits for its turn where there are many', () => {
    const many = Array.from({ length: 30 }, (_, n) => late(`m${n}`));
    const first = look(many);
    expect(first.tell.split(',')).toHaveLength(20);
    expect(look(many, first.told, NOW + 1)).toMatchObject({ tell: '', failed: '' });
    const then = look(many, first.told, NOW + ANSWER_MS);
    expect([then.tell.split(',').length, then.failed.split(',').length]).toEqual([10, 20]);
  });
});
