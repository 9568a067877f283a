import { describe, expect, it } from '@jest/globals';
import { share } from './share.ts';

const sizes = (...all: number[]) => all.map((size) => ({ size, most: Infinity }));

describe('what is shared out in proportion', () => {
  it('goes by size, and what is left over to the largest remainders', () => {
    expect(share(10, sizes(15, 5))).toEqual([8, 2]);
    expect(share(3, sizes(1, 1))).toEqual([2, 1]);
    expect(share(1, sizes(2, 7, 1))).toEqual([0, 1, 0]);
    expect(share(3, sizes(5, 2))).toEqual([2, 1]);
    expect(share(3, sizes(0, 0))).toEqual([2, 1]);
    expect(share(0, sizes(2, 7))).toEqual([0, 0]);
    expect(share(2, [])).toEqual([]);
  });

  it('gives none more than it takes, and the rest to others', () => {
    const sets = [
      { size: 3, most: 1 },
      { size: 3, most: 9 },
    ];
    expect(share(4, sets)).toEqual([1, 3]);
    expect(share(20, sets)).toEqual([1, 9]);
  });
});
