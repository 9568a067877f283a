import { changedSignal } from '../../workflows/signals.ts';
import { HealthWorld, type HealthWorldFacts } from '../world/health-world.ts';
import type { Temporal } from './temporal.ts';

/** By it a machine is unhealthy a minute after its Node is Sick. */
export const SICK = { type: 'Sick', status: 'True', timeout: '60s' } as const;

/** A health check, and how its workflow is started. */
export function realHealthCheck(temporal: Temporal, name: string, facts: HealthWorldFacts = {}) {
  const world = new HealthWorld(temporal.clock, { ...facts, name });
  return { world, start: () => temporal.startObject('machineHealthCheck', world, world.ref) };
}

/** A check that has looked once. */
export async function runningHealthCheck(
  temporal: Temporal,
  name: string,
  facts: HealthWorldFacts = {},
  arrange: (world: HealthWorld) => void = () => {},
) {
  const { world, start } = realHealthCheck(temporal, name, facts);
  arrange(world);
  const handle = await start();
  await temporal.until(() => world.status.expectedMachines !== undefined);
  await temporal.pass(2);
  /** Something changed, and the watcher says so. */
  const tell = async (change: () => void): Promise<void> => {
    change();
    await temporal.signal(handle, changedSignal);
  };
  return { world, handle, tell };
}

/** What comes next for a machine, by the status of its check. */
export const nextFor = (world: HealthWorld, n: number): string =>
  world.status.unhealthyMachines?.find(({ name }) => name === `m-${n}`)?.next ?? '';

/** How many seconds go by until its check has deleted a machine. */
export async function secondsUntilDeleted(
  temporal: Temporal,
  world: HealthWorld,
  { n, within }: { readonly n: number; readonly within: number },
): Promise<number> {
  const began = temporal.clock.now();
  await temporal.until(() => world.deleted.includes(n), { within });
  return (temporal.clock.now() - began) / 1000;
}
