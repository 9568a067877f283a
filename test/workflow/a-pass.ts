import type { CompletedMachine, MachineStatus } from '../../k8s/model/machine.ts';
import { given } from '../../providers/given.ts';
import { newMemory, type MachineMemory } from '../../workflows/machine/memory.ts';
import type { NodeSighting } from '../../workflows/machine/node-activities.ts';
import { Pass } from '../../workflows/machine/pass.ts';
import { DEFAULT_MACHINE_SETTINGS } from '../../workflows/machine/settings.ts';
import { aMachine, readMachine } from '../world/builders/a-machine.ts';

/** The time of passes that do not say another, in milliseconds since the epoch. */
export const NOW_MS = 1_000;

/** What tells a pass from the first one over a new machine. */
export interface PassFacts {
  readonly machine?: Partial<CompletedMachine>;
  readonly status?: Partial<MachineStatus>;
  /** The Node on record, as it was seen. */
  readonly node?: NodeSighting;
  readonly memory?: Partial<MachineMemory>;
  readonly now?: () => number;
}

/** A pass for phases that call no activity, without Temporal. */
export function aPass({ machine, status, node, memory, now = () => NOW_MS }: PassFacts = {}): Pass {
  const known = readMachine(aMachine());
  const seen = { ...known, specHash: 'spec-1', ...machine, status: { ...known.status, ...status } };
  const remembered = { ...newMemory(), ...memory };
  const observed = { found: true as const, machine: seen, settings: DEFAULT_MACHINE_SETTINGS, ...given({ node }) };
  return new Pass({ ref: seen.ref, clusterUid: 'c' }, remembered, observed, now, 0);
}
