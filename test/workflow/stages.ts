/** What the stories of machines begin with. */

import { changedSignal } from '../../workflows/signals.ts';
import { DEFAULT_MACHINE_SETTINGS } from '../../workflows/machine/settings.ts';
import { MachineWorld } from './machine-world.ts';
import type { Temporal } from './temporal.ts';

export const DELETED = { deletedAt: '2026-01-02T00:00:00Z' };

/** Settings by which silence is followed by a wait that is long enough for something else to come in between. */
export const SLOWLY = { backoff: { ...DEFAULT_MACHINE_SETTINGS.backoff, soon: { first: 600, most: 600 } } };

/** A machine that has its instance. */
export async function provisioned(temporal: Temporal, name: string) {
  const world = new MachineWorld(name, temporal.now);
  const handle = await temporal.startMachine(world);
  await temporal.until(() => world.status.phase === 'Provisioned');
  return { world, handle };
}

/** Of these calls, in which order they came; those of the same that follow each other count once. */
export function order(world: MachineWorld, ...names: string[]): string[] {
  const seen = world.calls.map((c) => c.name as string).filter((n) => names.includes(n));
  return seen.filter((name, i) => name !== seen[i - 1]);
}

/** A machine that has its Node as well, and was looked at since. */
export async function runningMachine(temporal: Temporal, name: string) {
  const { world, handle } = await provisioned(temporal, name);
  world.nodeRegisters();
  await temporal.signal(handle, changedSignal);
  await temporal.until(() => world.called('lookAtInstance') === 1);
  return { world, handle };
}
