import { beforeEach, describe, expect, it } from '@jest/globals';
import { FollowingClock } from '../../test/world/world-clock.ts';
import { ApiOutages } from './api-outages.ts';

let clock: FollowingClock;
let outages: ApiOutages;
let news: number;
beforeEach(() => {
  // It stands still until it is told to go ahead.
  clock = new FollowingClock({ now: async () => 0, sleep: async () => {} }, 0);
  news = 0;
  outages = new ApiOutages({ onNews: () => (news += 1), clock });
});

const pass = (ms: number): Promise<void> => clock.goAhead(ms);
/** A connection breaks, or is refused, now. */
const breaks = (): void => outages.failed(clock.now());
const tellUntold = (): void => outages.untold.forEach((outage) => outages.noteTold(outage));

describe('an outage of the API server', () => {
  it('begins with the last good answer before it, and ends with the next one', async () => {
    await pass(1000);
    outages.answered();
    await pass(3000);
    breaks();
    await pass(60_000);
    breaks();
    outages.answered();
    expect(outages.untold).toEqual([{ from: 1000, until: 64_000 }]);
  });

  it('may have been while no watcher was at work', async () => {
    clock = new FollowingClock({ now: async () => 0, sleep: async () => {} }, 100_000);
    outages = new ApiOutages({ onNews: () => (news += 1), clock });
    await pass(5000);
    outages.answered();
    outages.unwatched(19_999);
    expect(outages.untold).toEqual([]);
    outages.unwatched(20_000);
    expect([news, outages.untold]).toEqual([1, [{ from: 85_000, until: 100_000, unwatched: true }]]);
    tellUntold();
    outages.tellAll();
    expect(outages.untold).toContainEqual({ from: 85_000, until: 100_000, unwatched: true });
  });

  it('may have been while this process stood still: nothing was asked then, and nothing failed', async () => {
    outages.answered();
    await pass(14_999);
    outages.answered();
    expect(outages.untold).toEqual([]);
    await pass(15_000);
    outages.answered();
    expect([news, outages.untold]).toEqual([1, [{ from: 14_999, until: 29_999, unwatched: true }]]);
    // What failed before the first answer is an outage that was seen.
    tellUntold();
    const sentAt = clock.now();
    await pass(60_000);
    outages.failed(sentAt);
    outages.answered();
    expect(outages.untold).toEqual([{ from: 29_999, until: 89_999 }]);
  });

  it('is told of while it lasts, and once more at its end', async () => {
    outages.answered();
    breaks();
    await pass(1999);
    expect(news).toBe(0);
    await pass(1);
    expect([news, outages.untold]).toEqual([1, [{ from: 0 }]]);
    tellUntold();
    await pass(60_000);
    expect([news, outages.untold]).toEqual([1, []]);
    outages.answered();
    expect([news, outages.untold]).toEqual([2, [{ from: 0, until: 62_000 }]]);
  });

  it('is still to be told of where its end came while its beginning was told', async () => {
    outages.answered();
    breaks();
    await pass(5000);
    const [beginning] = outages.untold;
    if (beginning === undefined) throw new Error('there is an outage');
    outages.answered();
    outages.noteTold(beginning);
    expect(outages.untold).toEqual([{ from: 0, until: 5000 }]);
  });

  it('is none where a connection is made again in less than two seconds', async () => {
    outages.answered();
    await pass(60_000);
    breaks();
    await pass(1900);
    outages.answered();
    await pass(60_000);
    expect([news, outages.untold]).toEqual([0, []]);
  });

  it('is none where one request gets no answer while others are answered', async () => {
    const beganAt = clock.now();
    await pass(8000);
    outages.answered();
    await pass(2000);
    outages.failed(beganAt);
    await pass(10_000);
    expect([news, outages.untold]).toEqual([0, []]);
  });

  it('begins with the request that got no answer, where nothing was answered before', async () => {
    const beganAt = clock.now();
    await pass(10_000);
    outages.failed(beganAt);
    await pass(0);
    expect(outages.untold).toEqual([{ from: 0 }]);
    await pass(1000);
    outages.answered();
    expect(outages.untold).toEqual([{ from: 0, until: 11_000 }]);
  });

  it('is kept until somebody tells it, and the oldest of many are not', async () => {
    outages.answered();
    for (let n = 0; n < 30; n += 1) {
      breaks();
      await pass(3000);
      outages.answered();
    }
    expect(outages.untold).toHaveLength(20);
    expect(outages.untold.at(-1)).toEqual({ from: 87_000, until: 90_000 });
  });
});

describe('a watcher that becomes the active one', () => {
  it('tells all that it knows again, and that the API server answers', async () => {
    outages.answered();
    breaks();
    await pass(3000);
    outages.answered();
    tellUntold();
    await pass(5000);
    outages.answered();
    outages.tellAll();
    const all = [
      { from: 0, until: 3000 },
      { from: 8000, until: 8000 },
    ];
    expect(outages.untold).toEqual(all);
    outages.tellAll();
    expect(outages.untold).toEqual(all);
    tellUntold();
    expect(outages.untold).toEqual([]);
  });

  it('tells once more, after five minutes, that the API server answers: the clock of whoever told of an outage may be ahead', async () => {
    outages.answered();
    outages.tellAll();
    tellUntold();
    for (let n = 0; n < 23; n += 1) {
      await pass(13_000);
      outages.answered();
    }
    await pass(999);
    expect(outages.untold).toEqual([]);
    await pass(1);
    expect(outages.untold).toEqual([{ from: 299_000, until: 299_000 }]);
    tellUntold();
    await pass(3_600_000);
    expect([news, outages.untold]).toEqual([2, []]);
  });

  it('tells so five minutes after what was told last, and not while there is no answer', async () => {
    outages.answered();
    outages.tellAll();
    await pass(200_000);
    breaks();
    await pass(3000);
    outages.answered();
    tellUntold();
    await pass(299_999);
    expect(outages.untold).toEqual([]);
    breaks();
    await pass(1);
    expect(outages.untold).toEqual([]);
  });

  it('tells nothing of an answer while there is none', async () => {
    outages.answered();
    breaks();
    await pass(3000);
    tellUntold();
    outages.tellAll();
    expect(outages.untold).toEqual([{ from: 0 }]);
    expect(news).toBe(2);
  });

  it('keeps no process from its end once it is stopped', async () => {
    outages.answered();
    outages.tellAll();
    tellUntold();
    breaks();
    outages.stop();
    // What was under way fails and is answered all the same, and the namespace is found to be another.
    await pass(3000);
    outages.answered();
    outages.tellAll();
    breaks();
    await pass(3_600_000);
    expect([news, outages.untold]).toEqual([1, []]);
  });
});
