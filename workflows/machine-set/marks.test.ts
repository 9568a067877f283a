import { describe, expect, it } from '@jest/globals';
import { dueMarks } from './marks.ts';

const SECOND = 1000;
const MARK = { name: 'a', uid: 'a', markedAt: 100 * SECOND };

describe('marks of cluster-autoscaler', () => {
  it('are looked at when they are old, and every five minutes while they stay', () => {
    expect(dueMarks([MARK], {}, 130 * SECOND)).toEqual({ due: [], at: 160 * SECOND });
    expect(dueMarks([MARK], {}, 160 * SECOND)).toEqual({ due: [MARK], at: Infinity });
    const memory = { marksLookedAt: 160 * SECOND };
    expect(dueMarks([MARK], memory, 161 * SECOND)).toEqual({ due: [], at: 460 * SECOND });
    expect(dueMarks([MARK], memory, 460 * SECOND)).toEqual({ due: [MARK], at: Infinity });
    expect(dueMarks([], memory, 460 * SECOND)).toEqual({ due: [], at: Infinity });
  });

  it('one that is newer than the last look has its own time', () => {
    const fresh = { ...MARK, name: 'b', markedAt: 170 * SECOND };
    expect(dueMarks([MARK, fresh], { marksLookedAt: 160 * SECOND }, 180 * SECOND)).toEqual({
      due: [],
      at: 230 * SECOND,
    });
  });
});
