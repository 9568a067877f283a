import { describe, expect, it } from '@jest/globals';
import {
  afterAnswer,
  afterCall,
  afterThrottling,
  fullRoom,
  LEAST_SHARE,
  limitOf,
  msUntilRoom,
  roomAt,
} from './rate-limits.ts';
import type { RateLimit, Room } from './rate-limits.ts';

const LAUNCHES: RateLimit = { burst: 5, perSecond: 2 };

function afterCalls(limit: RateLimit, calls: number, now = 0): Room {
  let room = fullRoom(limit, now);
  for (let i = 0; i < calls; i += 1) room = afterCall(limit, room);
  return room;
}

describe('the limit of an action', () => {
  it('is that of the first rule that names it', () => {
    const rules = [
      { actions: 'DescribeImages', limit: 'none' as const },
      { actions: 'Describe*', limit: LAUNCHES },
      { actions: '*', limit: { burst: 1, perSecond: 1 } },
    ];
    expect(limitOf(rules, 'DescribeImages')).toBeUndefined();
    expect(limitOf(rules, 'DescribeSubnets')).toBe(LAUNCHES);
    // A name without `*` is no beginning of others.
    expect(limitOf(rules, 'DescribeImagesInRecycleBin')).toBe(LAUNCHES);
    expect(limitOf(rules, 'CreateTags')).toEqual({ burst: 1, perSecond: 1 });
    expect(limitOf([], 'CreateTags')).toBeUndefined();
  });
});

describe('the room for calls', () => {
  it('is the burst, then the rate', () => {
    const full = fullRoom(LAUNCHES, 0);
    expect(msUntilRoom(LAUNCHES, full, 5)).toBe(0);
    expect(msUntilRoom(LAUNCHES, full, 3)).toBe(0);
    expect(msUntilRoom(LAUNCHES, afterCalls(LAUNCHES, 1), 4)).toBe(0);
    expect(msUntilRoom(LAUNCHES, full, 6)).toBe(500);
    expect(msUntilRoom(LAUNCHES, afterAnswer(afterCalls(LAUNCHES, 5)), 10)).toBe(5_000);
    expect(roomAt(LAUNCHES, afterCalls(LAUNCHES, 5), 60_000).requests).toBe(5);
  });

  it('does not begin to come back before the first call of a burst was answered, or 2 s went by', () => {
    const sent = afterCalls(LAUNCHES, 5);
    expect(msUntilRoom(LAUNCHES, sent, 1)).toBe(2_500);
    expect(roomAt(LAUNCHES, sent, 2_500).requests).toBe(1);
    const answered = afterAnswer(roomAt(LAUNCHES, sent, 400));
    expect(msUntilRoom(LAUNCHES, answered, 1)).toBe(500);
    expect(roomAt(LAUNCHES, answered, 900).requests).toBe(1);
    // Any later answer changes nothing.
    expect(roomAt(LAUNCHES, afterAnswer(roomAt(LAUNCHES, answered, 700)), 900).requests).toBe(1);
  });

  it('stands still by the first call of a burst, and no longer by a later one', () => {
    const first = afterCalls(LAUNCHES, 1);
    const second = afterCall(LAUNCHES, roomAt(LAUNCHES, first, 1_000));
    expect(roomAt(LAUNCHES, second, 2_500).requests).toBe(4);
  });

  it('is what the scarcer bucket has', () => {
    const limit = { burst: 100, perSecond: 50, instances: { burst: 10, perSecond: 1 } };
    for (const calls of [3, 10]) expect(msUntilRoom(limit, fullRoom(limit, 0), calls)).toBe(0);
    expect(msUntilRoom(limit, fullRoom(limit, 0), 15)).toBe(5_000);
    const called = afterAnswer(afterCalls(limit, 10));
    expect(msUntilRoom(limit, called, 1)).toBe(1_000);
    expect(roomAt(limit, called, 4_000).instances).toBe(4);
  });

  it('does not grow where the clock stands or goes back', () => {
    const room = afterCalls(LAUNCHES, 3, 1_000);
    expect(roomAt(LAUNCHES, room, 500)).toMatchObject({ at: 1_000, requests: 2, share: 1 });
  });
});

describe('a throttled answer', () => {
  it('empties the room and takes a part of the rate; the rate comes back within a minute', () => {
    const room = afterThrottling(afterCalls(LAUNCHES, 1, 60_000), 60_000, 60_000);
    expect(room).toMatchObject({ requests: 0, share: 0.7 });
    expect(roomAt(LAUNCHES, room, 70_000).share).toBeCloseTo(0.783);
    expect(roomAt(LAUNCHES, room, 120_000)).toMatchObject({ share: 1, requests: 5 });
  });

  it('empties both buckets, which fill to the same part of theirs', () => {
    const limit = { burst: 100, perSecond: 100, instances: { burst: 10, perSecond: 10 } };
    const room = afterThrottling(fullRoom(limit, 0), 0, 0);
    expect(room).toMatchObject({ requests: 0, instances: 0 });
    const { requests, instances } = roomAt(limit, room, 6_000);
    expect(requests).toBeCloseTo(75);
    expect(instances).toBeCloseTo(7.5);
  });

  it('counts once for all calls that were on their way', () => {
    const once = afterThrottling(fullRoom(LAUNCHES, 0), 0, 100);
    for (const sentAt of [50, 100]) {
      expect(afterThrottling(roomAt(LAUNCHES, once, 0), sentAt, 200).share).toBe(0.7);
    }
    expect(afterThrottling(once, 150, 200).share).toBeCloseTo(0.49);
  });

  it('never takes all', () => {
    let room = fullRoom(LAUNCHES, 0);
    for (let i = 1; i < 50; i += 1) room = afterThrottling(room, i, i);
    expect(room.share).toBe(LEAST_SHARE);
    expect(msUntilRoom(LAUNCHES, room, 1)).toBeLessThan(10_000);
  });

  it('makes calls wait as long as it takes while the rate rises', () => {
    const room = afterThrottling(fullRoom(LAUNCHES, 0), 0, 0);
    for (const calls of [1, 5, 20, 60, 200]) {
      const ms = msUntilRoom(LAUNCHES, room, calls);
      // As if the bucket had no bottom: it holds few.
      const bottomless = { ...LAUNCHES, burst: 1_000 };
      expect(roomAt(bottomless, room, ms).requests).toBeGreaterThanOrEqual(calls - 0.001);
      expect(roomAt(bottomless, room, ms - 10).requests).toBeLessThan(calls);
    }
  });
});
