import { expect, it } from '@jest/globals';
import { ownClock } from '../test/world/world-clock.ts';
import { GoFirst } from './go-first.ts';

/** What comes after it waits for its turn, and says when that comes, in milliseconds. */
function waiting() {
  const clock = ownClock();
  const first = new GoFirst(clock);
  const startedAt = clock.now();
  const turn = async (mostMs: number) => {
    await first.turn(mostMs);
    return clock.now() - startedAt;
  };
  return { clock, first, turn };
}

it('nobody waits where nothing that goes first is under way', async () => {
  const { first, turn } = waiting();
  const done = first.begin();
  done();
  expect(await turn(1000)).toBe(0);
});

it('who waits goes on when the last of it is done, also where that fails', async () => {
  const { clock, first, turn } = waiting();
  const done = first.begin();
  const failing = first.doing(async () => {
    await new Promise<void>((resolve) => void clock.after(300, resolve));
    throw new Error('it failed');
  });
  clock.after(200, done);
  // Done is done, however often that is said.
  clock.after(250, done);
  const [at] = await Promise.all([turn(1000), expect(failing).rejects.toThrow('it failed')]);
  expect(at).toBe(300);
});

it('nobody waits for longer than is to be waited', async () => {
  const { first, turn } = waiting();
  first.begin();
  expect(await turn(400)).toBe(400);
  expect(await turn(0)).toBe(400);
});
