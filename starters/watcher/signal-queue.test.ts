import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { systemClock } from '../../providers/clock.ts';
import { SignalQueue } from './signal-queue.ts';

let sent: [key: string, at: number][] = [];
let failing = false;
let underWay = 0;
let mostUnderWay = 0;
let sendMs = 0;
let start = 0;
const failures: number[] = [];

function createQueue(concurrency = 20): SignalQueue<string> {
  return new SignalQueue<string>({
    concurrency,
    clock: systemClock,
    isNew: (payload) => payload.startsWith('new'),
    send: async (payload) => {
      underWay += 1;
      mostUnderWay = Math.max(mostUnderWay, underWay);
      sent.push([payload, performance.now() - start]);
      if (sendMs > 0) await new Promise((resolve) => setTimeout(resolve, sendMs));
      underWay -= 1;
      if (failing) throw new Error('away');
    },
    onFailure: (_payload, _error, retryMs) => void failures.push(retryMs),
  });
}

const times = (key: string): number[] => sent.filter(([k]) => k === key).map(([, at]) => at);
const pass = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  jest.useFakeTimers();
  sent = [];
  failures.length = 0;
  failing = false;
  sendMs = 0;
  underWay = 0;
  mostUnderWay = 0;
  start = performance.now();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('signals of one key', () => {
  test('go out at once, and again once per gap however many wakes came', async () => {
    const queue = createQueue();
    for (let i = 0; i < 50; i += 1) {
      queue.wake('a', 'a', 250);
      await pass(10);
    }
    await pass(1000);
    expect(times('a')).toEqual([0, 250, 500]);
    expect([queue.pending, queue.size]).toEqual([0, 1]);
    await pass(3000);
    expect(queue.size).toBe(0);
  });

  test('go out less often when there were many in a row, until there were few again', async () => {
    const queue = createQueue();
    const wakes = async (ms: number): Promise<number> => {
      const before = times('a').length;
      for (let i = 0; i < ms / 50; i += 1) {
        queue.wake('a', 'a', 250);
        await pass(50);
      }
      return times('a').length - before;
    };
    // Four a second, until there were sixty more than one a second.
    expect(await wakes(20_000)).toBe(81);
    expect(await wakes(60_000)).toBe(60);
    await pass(30_000);
    expect(await wakes(10_000)).toBe(40);
    await pass(120_000);
    expect(queue.size).toBe(0);
  });

  test('go out at once again after a quiet time', async () => {
    const queue = createQueue();
    queue.wake('a', 'a', 250);
    await pass(300);
    queue.wake('a', 'a', 250);
    await pass(0);
    expect(times('a')).toEqual([0, 300]);
  });

  test.each([-3_600_000, 3_600_000])('keep their gap where the clock of the host is set by %i ms', async (ms) => {
    const queue = createQueue();
    queue.wake('a', 'a', 250);
    await pass(10);
    jest.setSystemTime(Date.now() + ms);
    queue.wake('a', 'a', 250);
    await pass(1000);
    expect(times('a')).toEqual([0, 250]);
  });

  test('by machines are further apart, and a change of the object itself does not wait for that', async () => {
    const queue = createQueue();
    queue.wake('set', 'set', 1000);
    await pass(10);
    queue.wake('set', 'set', 1000);
    await pass(1000);
    expect(times('set')).toEqual([0, 1000]);
    queue.wake('set', 'set', 1000);
    queue.wake('set', 'set', 250);
    await pass(500);
    expect(times('set')).toEqual([0, 1000, 1250]);
  });

  test('never overlap; a wake while one is under way is followed by another', async () => {
    sendMs = 100;
    const queue = createQueue();
    queue.wake('a', 'a', 250);
    await pass(50);
    queue.wake('a', 'a', 250);
    await pass(1000);
    expect(times('a')).toEqual([0, 350]);
    expect(mostUnderWay).toBe(1);
  });

  test('carry the newest payload', async () => {
    const queue = createQueue();
    queue.gate.close();
    queue.wake('a', 'old', 250);
    queue.wake('a', 'new', 250);
    queue.gate.open();
    await pass(0);
    expect(sent.map(([payload]) => payload)).toEqual(['new']);
  });
});

describe('a queue whose signals fail', () => {
  test('tries again without end, ever less often, and keeps one entry per key', async () => {
    failing = true;
    const queue = createQueue();
    for (let i = 0; i < 100; i += 1) queue.wake('a', 'a', 250);
    await pass(120_000);
    queue.wake('a', 'a', 250);
    expect(queue.size).toBe(1);
    expect(failures.length).toBeGreaterThan(12);
    expect(failures.length).toBeLessThan(25);
    expect(Math.max(...failures)).toBeLessThanOrEqual(10_000);
    failing = false;
    await pass(12_000);
    expect(queue.size).toBe(0);
  });

  test('is not hurried by further wakes', async () => {
    failing = true;
    const queue = createQueue();
    queue.wake('a', 'a', 250);
    for (let i = 0; i < 100; i += 1) {
      await pass(10);
      queue.wake('a', 'a', 250);
    }
    expect(times('a').length).toBeLessThanOrEqual(4);
  });
});

describe('a queue', () => {
  test('keeps what is pending while its gate is closed, one entry per key', async () => {
    const queue = createQueue();
    queue.gate.close();
    for (let round = 0; round < 10; round += 1) {
      for (let i = 0; i < 30; i += 1) queue.wake(`k${i}`, `k${i}`, 250);
      await pass(1000);
    }
    expect(sent).toEqual([]);
    expect(queue.size).toBe(30);
    queue.gate.open();
    await pass(0);
    expect(sent.length).toBe(30);
  });

  test('sends no more at once than it may', async () => {
    sendMs = 50;
    const queue = createQueue(5);
    for (let i = 0; i < 30; i += 1) queue.wake(`k${i}`, `k${i}`, 250);
    await pass(1000);
    expect(sent.length).toBe(30);
    expect(mostUnderWay).toBe(5);
  });

  test('lets who has begun in before hundreds that are new, and forgets none of these', async () => {
    const queue = createQueue(4);
    sendMs = 100;
    for (let i = 0; i < 100; i += 1) queue.wake(`new-${i}`, `new-${i}`, 250);
    await pass(250);
    queue.wake('begun', 'begun', 250);
    await pass(150);
    expect(times('begun')).toEqual([250]);
    await pass(100 * Math.ceil(100 / 3));
    expect(sent).toHaveLength(101);
    expect(mostUnderWay).toBe(4);
  });

  test('forgets what is pending when it is cleared', async () => {
    const queue = createQueue();
    queue.gate.close();
    queue.wake('a', 'a', 250);
    queue.clear();
    queue.gate.open();
    await pass(10_000);
    expect(sent).toEqual([]);
  });
});
