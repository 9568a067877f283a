import { describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { CallSlots } from './call-slots.ts';
import { systemClock } from './clock.ts';

const SLOW_MS = 60;

describe('places for calls', () => {
  it('are waited for in turn while calls come and go', async () => {
    const slots = new CallSlots({ most: 1, slowMs: SLOW_MS, mostWaitMs: 1000, clock: systemClock });
    const order: string[] = [];
    const call = async (name: string) => {
      const done = await slots.take();
      order.push(done === undefined ? `${name} turned away` : name);
      await delay(20);
      done?.();
    };
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map(call));
    expect(order).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('are not waited for where the calls that have them are not answered', async () => {
    const slots = new CallSlots({ most: 2, slowMs: SLOW_MS, mostWaitMs: 1000, clock: systemClock });
    const held = [await slots.take(), await slots.take()];
    const startedAt = performance.now();
    expect(await slots.take()).toBeUndefined();
    expect(performance.now() - startedAt).toBeLessThan(2 * SLOW_MS);
    const again = performance.now();
    expect(await slots.take()).toBeUndefined();
    expect(performance.now() - again).toBeLessThan(SLOW_MS / 2);
    held[0]?.();
    expect(await slots.take()).toBeDefined();
  });

  it('are waited for no longer than is said', async () => {
    const slots = new CallSlots({ most: 1, slowMs: 10_000, mostWaitMs: SLOW_MS, clock: systemClock });
    await slots.take();
    expect(await slots.take()).toBeUndefined();
  });
});
