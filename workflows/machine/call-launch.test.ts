import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { DEFAULT_MACHINE_SETTINGS } from './settings.ts';
import { MachineWorld } from '../../test/world/machine-world.ts';
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
    ['unavailable', 'ServiceUnavailable'],
    ['mismatch', 'IdempotentParameterMismatch'],
  ])(
    'makes one instance, where its first call fails (%s), and what that made shows late',
    async (name, code) => {
      const world = new MachineWorld(name, temporal.clock, { settings: SHORT });
      const visibleAfterMs = SHORT.consistencyWindowSeconds * 1000 - 500;
      world.cloud.behave({ visibleAfterMs, failures: [{ action: 'launch', when: 'after', code, times: 1 }] });
      await temporal.startMachine(world);
      await delay(SHORT.repeatLimitSeconds * 1000 + 500);
      // A busy computer may tell it late.
      const told = Date.now() + 10_000;
      while (world.status.waiting === undefined && Date.now() < told) await delay(50);
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
      expect(world.launches[0]).toMatchObject({ ok: false, code });
      expect(world.instances.map(({ token }) => token)).toEqual([world.token(1)]);
      expect(world.status.instance?.id).toBe(world.instances[0]?.id);
    },
    50_000,
  );
});
