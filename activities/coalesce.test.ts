import { describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { delay as clockDelay, systemClock } from '../providers/clock.ts';
import { ownClock } from '../test/world/world-clock.ts';
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

  it('begins when the last one is over, where it is heavy, and is shared by all who asked since the last one began', async () => {
    const clock = ownClock();
    let [underWay, most, calls] = [0, 0, 0];
    const ask = coalesce(
      clock,
      async () => {
        calls += 1;
        const answer = calls;
        most = Math.max(most, (underWay += 1));
        await clockDelay(clock, 1000);
        underWay -= 1;
        if (answer === 1) throw new Error('the first one fails');
        return answer;
      },
      GATHER_MS,
      { isHeavy: true },
    );
    const first = ask('a');
    await clockDelay(clock, GATHER_MS);
    const later = [ask('a')];
    await clockDelay(clock, 500);
    later.push(ask('a'));
    await expect(first).rejects.toThrow('the first one fails');
    expect(await Promise.all(later)).toEqual([2, 2]);
    expect([most, calls]).toEqual([1, 2]);
  });

  it('tells a failure to all who shared it, and leaves nothing behind', async () => {
    const { ask } = counted(true);
    const answers = await Promise.allSettled([ask('a'), ask('a')]);
    expect(answers.map((a) => a.status)).toEqual(['rejected', 'rejected']);
    await expect(ask('a')).rejects.toThrow('call 2 failed');
  });

  it('goes on for those who take an answer of some age', async () => {
    const clock = ownClock();
    let calls = 0;
    const ask = coalesce(clock, async () => (calls += 1), GATHER_MS);
    const young = async () => ask('a', 10_000);
    expect([await young(), await young(), await ask('b', 10_000)]).toEqual([1, 1, 2]);
    // Who takes none of any age asks anew, which nobody else is told.
    expect([await ask('a'), await young()]).toEqual([3, 1]);
    await clockDelay(clock, 10_000);
    expect(await young()).toBe(4);
  });

  it('does not go on with a failure', async () => {
    const { ask } = counted(true);
    await expect(ask('a', 10_000)).rejects.toThrow('call 1 failed');
    await expect(ask('a', 10_000)).rejects.toThrow('call 2 failed');
  });
});
