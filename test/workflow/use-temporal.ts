import { afterEach, beforeEach, jest } from '@jest/globals';
import { Temporal } from './temporal.ts';

/** Of one test, in milliseconds: hours pass in it, and each of their steps is a moment of real time. */
const TEST_MS = 30_000;
const START_MS = 120_000;

/**
 * Gives each test of a file a Temporal of its own, in which time is skipped, and ends it afterwards.
 *
 * @param start which one. @default the simulation's, in virtual time
 */
export function useTemporal(take: (temporal: Temporal) => void, start = () => Temporal.inVirtualTime()): void {
  jest.setTimeout(TEST_MS);
  let temporal: Temporal | undefined;
  beforeEach(async () => {
    temporal = undefined;
    temporal = await start();
    take(temporal);
  }, START_MS);
  afterEach(() => temporal?.stop());
}
