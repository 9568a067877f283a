import type { Machine, MachineStatus } from '../../k8s/model/machine.ts';
import { newMemory, type MachineMemory } from '../../workflows/machine/memory.ts';
import { Pass } from '../../workflows/machine/pass.ts';
import { MachineWorld } from './machine-world.ts';

/** The time of passes that do not say another, in milliseconds since the epoch. */
export const NOW_MS = 1_000;

/** What tells a pass from the first one over a new machine. */
export interface PassFacts {
  readonly machine?: Partial<Machine>;
  readonly status?: Partial<MachineStatus>;
  readonly memory?: Partial<MachineMemory>;
  readonly nowMs?: number;
}

/** A pass for phases that call no activity, without Temporal. */
export function aPass({ machine, status, memory, nowMs = NOW_MS }: PassFacts = {}): Pass {
  const { ref, object, settings } = new MachineWorld('m', async () => nowMs);
  if (object === undefined) throw new Error('a new world has a machine');
  const seen = { ...object, ...machine, status: { ...object.status, ...status } };
  const remembered = { ...newMemory(), ...memory };
  return new Pass({ ref, cluster: 'c' }, remembered, { found: true, machine: seen, settings }, () => nowMs);
}
