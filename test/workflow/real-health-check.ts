import { HealthWorld, type HealthWorldFacts } from '../world/health-world.ts';
import type { Temporal } from './temporal.ts';

/** A health check, and how its workflow is started. */
export function realHealthCheck(temporal: Temporal, name: string, facts: HealthWorldFacts = {}) {
  const world = new HealthWorld(temporal.clock, { ...facts, name });
  return { world, start: () => temporal.startObject('machineHealthCheck', world, world.ref) };
}
