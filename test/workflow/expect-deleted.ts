import { expect } from '@jest/globals';
import type { HealthWorld } from '../world/health-world.ts';
import { secondsUntilDeleted } from './real-health-check.ts';
import type { Temporal } from './temporal.ts';

/** Expects that its check deletes a machine after so many seconds, and not before. */
export async function expectDeleted(temporal: Temporal, world: HealthWorld, n: number, seconds: number): Promise<void> {
  const passed = await secondsUntilDeleted(temporal, world, { n, within: seconds + 10 });
  expect(passed).toBeGreaterThanOrEqual(seconds - 3);
  expect(passed).toBeLessThanOrEqual(seconds + 5);
}
