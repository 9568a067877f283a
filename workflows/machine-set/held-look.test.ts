import { describe, expect, it } from '@jest/globals';
import { heldLookAt } from './held-look.ts';

const NOW = 10_000_000;
const inSeconds = (waited: number) => (heldLookAt(NOW - waited * 1000, NOW) - NOW) / 1000;

describe('a set that may not delete yet', () => {
  it('looks again soon at first, and less often the longer it waits', () => {
    expect([0, 100, 400, 600, 86_400].map(inSeconds)).toEqual([10, 10, 40, 60, 60]);
  });
});
