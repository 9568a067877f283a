import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { DEFAULT_MACHINE_SETTINGS } from './settings.ts';
import { MISMATCH, UNAVAILABLE } from '../../test/workflow/cloud-failures.ts';
import { MachineWorld } from '../../test/workflow/machine-world.ts';
import { Temporal } from '../../test/workflow/temporal.ts';

/** An hour is five seconds. */
const SHORT = {
  callTimeoutSeconds: 2,
  repeatLimitSeconds: 5,
  consistencyWindowSeconds: 3,
  backoff: { ...DEFAULT_MACHINE_SETTINGS.backoff, soon: { first: 0.5, most: 0.5 } },
};

let temporal: Temporal;
beforeAll(async () => {
  temporal = await Temporal.withoutActivities();
}, 120_000);
afterEach(() => temporal.endAll());
afterAll(() => temporal.stop());

describe('a launch that no worker takes for longer than calls are repeated', () => {
  it.each([
    ['unavailable', UNAVAILABLE],
    ['mismatch', MISMATCH],
  ])(
    'makes one instance, where its first call fails (%s), and what that made shows late',
    async (name, failure) => {
      const world = new MachineWorld(name, async () => Date.now(), SHORT);
      const hiddenForMs = SHORT.consistencyWindowSeconds * 1000 - 500;
      world.fateOf = (call) => (call === 1 ? { failure, hiddenForMs } : 'instance');
      await temporal.startMachine(world);
      await delay(SHORT.repeatLimitSeconds * 1000 + 500);
      expect(world.launches).toHaveLength(0);
      expect(world.status.waiting?.message).toContain('no worker took the call');
      expect(world.status.launch?.callsGivenUp).toBeUndefined();
      const taking = await temporal.takeActivities();
      try {
        const deadline = Date.now() + 20_000;
        while (world.status.instance === undefined && Date.now() < deadline) await delay(50);
      } finally {
        await taking.stop();
      }
      expect(world.launches.length).toBeGreaterThan(0);
      expect(world.instances.map(({ token }) => token)).toEqual(['token-1']);
      expect(world.status.instance?.id).toBe(world.instances[0]?.id);
    },
    40_000,
  );
});
