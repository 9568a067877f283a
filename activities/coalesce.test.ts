import { describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../providers/clock.ts';
import { coalesce } from './coalesce.ts';

const GATHER_MS = 20;

function counted(failing = false) {
  const calls: string[] = [];
  const ask = coalesce(
    systemClock,
    async (key) => {
      calls.push(key);
      const answer = calls.length;
      await delay(GATHER_MS);
      if (failing) throw new Error(`call ${answer} failed`);
      return answer;
    },
    GATHER_MS,
  );
  return { calls, ask };
}

describe('sharing one call', () => {
  it('is for all who ask for the same thing before it begins', async () => {
    const { calls, ask } = counted();
    expect(await Promise.all([ask('a'), ask('a'), ask('b')])).toEqual([1, 1, 2]);
    expect(calls).toEqual(['a', 'b']);
  });

  it('is not for those who ask while it is under way: its answer may be older than their question', async () => {
    const { calls, ask } = counted();
    const first = ask('a');
    while (calls.length === 0) await delay(1);
    expect(await Promise.all([first, ask('a')])).toEqual([1, 2]);
  });

  it('tells a failure to all who shared it, and leaves nothing behind', async () => {
    const { ask } = counted(true);
    const answers = await Promise.allSettled([ask('a'), ask('a')]);
    expect(answers.map((a) => a.status)).toEqual(['rejected', 'rejected']);
    await expect(ask('a')).rejects.toThrow('call 2 failed');
  });
});
