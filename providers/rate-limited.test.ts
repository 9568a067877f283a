import { describe, expect, it } from '@jest/globals';
import { RequestLimits } from '../devstack/doubles/cloud/request-limits.ts';
import { CloudError } from '../devstack/doubles/cloud/cloud-error.ts';
import { EC2_LIMITS } from './aws/documented-limits.ts';
import type { Clock } from './clock.ts';
import { ProviderError } from './provider-error.ts';
import { limitOf } from './rate-limits.ts';
import type { RateRule } from './rate-limits.ts';
import { RateLimits, ThrottledCall } from './rate-limited.ts';
import { VirtualClock } from './virtual-clock-for-tests.ts';

const REGION = 'region-1';
const PATIENCE_MS = 5_000;

/** A call that the cloud saw, or that did not leave the worker. */
interface Seen {
  readonly name: string;
  readonly at: number;
  readonly outcome: 'done' | 'throttled' | 'notSent';
}

/** A cloud with EC2's buckets, and workers that launch in it, in virtual time. */
class World {
  readonly clock = new VirtualClock();
  readonly seen: Seen[] = [];
  /** When calls left the limiter, and when they were answered. */
  readonly sentAt: number[] = [];
  readonly answeredAt: number[] = [];
  /** From the limiter to the cloud, in milliseconds. */
  wayMs: (call: number) => number = () => 10 + 40 * this.#random();
  readonly #cloud = new RequestLimits(
    (action) => limitOf(EC2_LIMITS, action),
    () => this.clock.now(),
  );
  readonly #random: () => number;
  #sent = 0;

  constructor(seed = 1) {
    this.#random = randomFrom(seed);
  }

  worker(rules: readonly RateRule[] = EC2_LIMITS, random = this.#random): RateLimits {
    const { clock: time } = this;
    const clock: Clock = {
      now: () => time.now(),
      timeOfDay: () => time.timeOfDay(),
      after: (ms, run) => time.after(ms, run),
      random,
    };
    return new RateLimits({ provider: 'aws', rules, clock });
  }

  /** Launches once; tells what came of it and when to come back. */
  async call(limits: RateLimits, name: string, credentials = 'keys'): Promise<number | 'done'> {
    const note = (outcome: Seen['outcome']) => this.seen.push({ name, at: this.clock.now(), outcome });
    const send = async () => {
      this.#sent += 1;
      this.sentAt.push(this.clock.now());
      await this.clock.sleep(this.wayMs(this.#sent));
      this.#cloud.admit({ account: 'one', region: REGION, action: 'RunInstances', instances: 1 });
      note('done');
      await this.clock.sleep(80);
      this.answeredAt.push(this.clock.now());
    };
    const call = { credentials, region: REGION, action: 'RunInstances', key: name, patienceMs: PATIENCE_MS };
    try {
      await limits.run(call, send, (error) => error instanceof CloudError);
      return 'done';
    } catch (error) {
      if (error instanceof ThrottledCall) {
        note('throttled');
        return error.retryAfterMs;
      }
      if (!(error instanceof ProviderError)) throw error;
      expect(error).toMatchObject({ code: 'Throttled', details: { notSent: true, cloudCode: 'AwaitingTurn' } });
      note('notSent');
      return error.details.retryAfterMs ?? 0;
    }
  }

  /** Launches as a workflow does: again when it is told to, 100 ms late. */
  async launch(limits: RateLimits, name: string, credentials?: string): Promise<void> {
    for (;;) {
      const answer = await this.call(limits, name, credentials);
      if (answer === 'done') return;
      await this.clock.sleep(answer + 100);
    }
  }

  /** The same for a launch that is made ready first, when its turn is near. */
  async prepareAndLaunch(limits: RateLimits, name: string, readyMs: number): Promise<void> {
    for (;;) {
      try {
        limits.lineUp({ credentials: 'keys', region: REGION, action: 'RunInstances', key: name });
        break;
      } catch (error) {
        if (!(error instanceof ProviderError)) throw error;
        this.seen.push({ name, at: this.clock.now(), outcome: 'notSent' });
        await this.clock.sleep((error.details.retryAfterMs ?? 0) + 100);
      }
    }
    await this.clock.sleep(readyMs);
    await this.launch(limits, name);
  }

  count(outcome: Seen['outcome'], from = 0, to = Infinity): number {
    return this.seen.filter((call) => call.outcome === outcome && call.at >= from && call.at < to).length;
  }
}

/** The same numbers in every run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

describe('calls of one worker', () => {
  it('come up to the limit, and none is throttled', async () => {
    const world = new World();
    const limits = world.worker();
    // The first ones of a worker that was just started take longer.
    world.wayMs = (call) => (call <= 5 ? 1_200 : 20);
    for (let i = 0; i < 50; i += 1) void world.launch(limits, `machine-${i}`);
    await world.clock.pass(24_000);
    expect(world.count('done')).toBe(50);
    expect(world.count('throttled')).toBe(0);
    // Each was turned away once at most.
    expect(world.count('notSent')).toBeLessThanOrEqual(50);
  });

  it.each([
    [200, 50],
    [1_000, 50],
    [3_000, 100],
  ])(
    'that are made ready first, which takes the first ones %i ms, come up to the limit, and are not throttled',
    async (firstMs, mostTurnedAway) => {
      const world = new World();
      const limits = world.worker();
      for (let i = 0; i < 50; i += 1) {
        const readyMs = i < 20 ? firstMs : 200;
        void world.prepareAndLaunch(limits, `machine-${i}`, readyMs);
      }
      await world.clock.pass(24_000 + firstMs);
      expect(world.count('done')).toBe(50);
      expect(world.count('throttled')).toBe(0);
      expect(world.count('notSent')).toBeLessThanOrEqual(mostTurnedAway);
    },
  );

  it.each([1, 2, 3, 4, 5])(
    'are all sent within the time that the limit takes, and 2 %% of it, from the first answer on (seed %i)',
    async (seed) => {
      const world = new World(seed);
      const limits = world.worker();
      for (let i = 0; i < 50; i += 1) void world.prepareAndLaunch(limits, `machine-${i}`, 200);
      await world.clock.pass(30_000);
      expect(world.count('done')).toBe(50);
      // Five at once, and two a second for the other 45. Each leaves others with the account up to 0.4 s, which the next makes up for.
      expect(Math.max(...world.sentAt) - Math.min(...world.answeredAt)).toBeLessThanOrEqual(22_500 * 1.02);
      expect(world.count('throttled')).toBe(0);
    },
  );

  it('that are made ready keep their place, and take no room meanwhile', async () => {
    const world = new World();
    const limits = world.worker(EC2_LIMITS, () => 0);
    const call = { credentials: 'a', region: REGION, action: 'RunInstances', key: 'old', patienceMs: PATIENCE_MS };
    limits.lineUp(call);
    // Who asks meanwhile has all the room.
    for (let i = 0; i < 5; i += 1) await limits.turn({ ...call, key: `other-${i}` });
    const order: string[] = [];
    const take = (key: string) => limits.turn({ ...call, key }).then(() => order.push(key));
    const taken = [take('young'), take('old')];
    await world.clock.pass(10_000);
    await Promise.all(taken);
    expect(order).toEqual(['old', 'young']);
  });

  it('are not made ready where their turn is seconds away, and come back a second before it', async () => {
    const world = new World();
    const limits = world.worker(EC2_LIMITS, () => 0);
    const call = { credentials: 'a', region: REGION, action: 'RunInstances' };
    const lineUp = (key: string) => () => limits.lineUp({ ...call, key });
    // Five at once, and two a second for three seconds.
    for (let i = 0; i < 11; i += 1) lineUp(`near-${i}`)();
    expect(lineUp('far')).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ retryAfterMs: 2_500 }) }),
    );
    // A turn that was taken is near, whatever others do.
    for (const key of ['taken', 'b', 'c', 'd', 'e']) await limits.turn({ ...call, key, patienceMs: 10_000 });
    expect(lineUp('taken')).not.toThrow();
  });

  it('have their turn oldest first, those that were turned away included', async () => {
    const world = new World();
    const limits = world.worker();
    world.wayMs = () => 20;
    for (let i = 0; i < 30; i += 1) void world.launch(limits, `old-${i}`);
    await world.clock.pass(3_000);
    for (let i = 0; i < 10; i += 1) void world.launch(limits, `young-${i}`);
    await world.clock.pass(30_000);
    const order = world.seen.filter(({ outcome }) => outcome === 'done').map(({ name }) => name);
    expect(order).toEqual([
      ...Array.from({ length: 30 }, (_, i) => `old-${i}`),
      ...Array.from({ length: 10 }, (_, i) => `young-${i}`),
    ]);
  });

  it('wait for those that never come back no longer than these would have taken', async () => {
    const world = new World();
    const limits = world.worker();
    for (let i = 0; i < 30; i += 1) void world.call(limits, `given-up-${i}`);
    await world.clock.pass(4_000);
    const sent = world.count('done');
    for (let i = 0; i < 30; i += 1) void world.launch(limits, `machine-${i}`);
    await world.clock.pass(28_000);
    expect(world.count('done') - sent).toBeGreaterThanOrEqual(30);
  });

  it('wait for each other only where account, region and action are the same', async () => {
    const world = new World();
    const limits = world.worker(EC2_LIMITS, () => 0);
    const used = async (more: object): Promise<boolean> => {
      let sent = false;
      const call = { credentials: 'a', region: REGION, action: 'RunInstances', patienceMs: 0, ...more };
      await limits
        .run(
          call,
          async () => (sent = true),
          () => false,
        )
        .catch(() => undefined);
      return sent;
    };
    for (let i = 0; i < 5; i += 1) expect(await used({})).toBe(true);
    expect(await used({})).toBe(false);
    expect(await used({ action: 'CreateTags' })).toBe(true);
    expect(await used({ region: 'region-2' })).toBe(true);
    expect(await used({ credentials: 'b' })).toBe(true);
    // An answer tells that both credentials are of one account: what is used up is used up for both.
    limits.noteAccount('a', '123');
    expect(await used({})).toBe(false);
    limits.noteAccount('b', '123');
    expect(await used({ credentials: 'b' })).toBe(false);
    await world.clock.pass(500);
    expect(await used({ credentials: 'b' })).toBe(true);
    expect(await used({})).toBe(false);
  });

  it('are not held back where nothing limits them', async () => {
    const world = new World();
    const limits = world.worker([{ actions: '*', limit: 'none' }, ...EC2_LIMITS]);
    expect(limits.isEmpty).toBe(true);
    let sent = 0;
    const call = { credentials: 'a', region: REGION, action: 'RunInstances', patienceMs: 0 };
    for (let i = 0; i < 200; i += 1)
      await limits.run(
        call,
        async () => (sent += 1),
        () => false,
      );
    expect(sent).toBe(200);
    expect(limits.rates()).toEqual([]);
  });

  it('take a turn that was kept for them, and wait for no other', async () => {
    const world = new World();
    const limits = world.worker(EC2_LIMITS, () => 0);
    const call = { credentials: 'a', region: REGION, action: 'RunInstances', key: 'token-1', patienceMs: 0 };
    await limits.turn(call);
    for (let i = 0; i < 4; i += 1) await limits.turn({ ...call, key: `other-${i}` });
    await expect(limits.turn({ ...call, key: 'one-too-many' })).rejects.toMatchObject({ details: { notSent: true } });
    await expect(
      limits.run(
        call,
        async () => 'sent',
        () => false,
      ),
    ).resolves.toBe('sent');
    // Only once; but one that it did not use is still its own.
    await limits.turn({ ...call, key: 'other-0' });
    await expect(
      limits.run(
        call,
        async () => 'sent',
        () => false,
      ),
    ).rejects.toMatchObject({ code: 'Throttled' });
    expect(limits.rates()).toEqual([
      { provider: 'aws', action: 'RunInstances', waiting: 0, turnedAway: 2, perSecond: 2 },
    ]);
  });

  it('slow down where the cloud throttles earlier than it documents, and come back up', async () => {
    const world = new World();
    const limits = world.worker([{ actions: '*', limit: { burst: 50, perSecond: 20 } }]);
    for (let i = 0; i < 200; i += 1) void world.launch(limits, `machine-${i}`);
    await world.clock.pass(20_000);
    const before = world.seen.length;
    expect(limits.rates()[0]?.perSecond).toBeLessThan(5);
    await world.clock.pass(40_000);
    // By now most calls are let through, at the cloud's pace, though its limit is a tenth of what was thought.
    const later = world.seen.slice(before).filter(({ outcome }) => outcome !== 'notSent');
    expect(later.filter(({ outcome }) => outcome === 'throttled').length).toBeLessThan(later.length * 0.25);
    expect(world.count('done', 20_000)).toBeGreaterThanOrEqual(70);
    await world.clock.pass(180_000);
    expect(limits.rates()[0]?.perSecond).toBe(20);
  });
});

describe('two workers with one account', () => {
  it.each([1, 2, 3, 4, 5])(
    'settle within 30 s: each has its share, and few calls are throttled (seed %i)',
    async (seed) => {
      const world = new World(seed);
      const workers = [world.worker(), world.worker()];
      for (const [w, limits] of workers.entries()) {
        for (let i = 0; i < 120; i += 1) void world.launch(limits, `machine-${w}-${i}`);
      }
      await world.clock.pass(90_000);
      const from = 30_000;
      const done = (prefix: string) =>
        world.seen.filter(({ name, outcome, at }) => outcome === 'done' && at >= from && name.startsWith(prefix))
          .length;
      const all = world.count('done', from);
      const throttled = world.count('throttled', from);
      expect(all).toBeGreaterThanOrEqual(0.9 * 2 * 60);
      expect(throttled / (all + throttled)).toBeLessThanOrEqual(0.06);
      expect(done('machine-0') / all).toBeGreaterThan(1 / 3);
      expect(done('machine-1') / all).toBeGreaterThan(1 / 3);
    },
  );
});
