import type { MachineSetObject } from '../../k8s/api/machine.openshift.io/machine-set.ts';
import { SetWorld } from '../world/set-world.ts';
import type { Temporal } from './temporal.ts';

export type MachineSetSpec = Partial<MachineSetObject['spec']>;

/** A MachineSet, and how its workflow is started. */
export function realMachineSet(temporal: Temporal, name: string, spec: MachineSetSpec) {
  const world = new SetWorld(temporal.clock, { name, spec });
  return { world, start: () => temporal.startObject('machineSet', world, world.ref) };
}
