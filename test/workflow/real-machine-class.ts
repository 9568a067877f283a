import { MACHINE_CLASSES } from '../../k8s/dialects/openshift/resources.ts';
import { aMachineClass } from '../world/builders/a-machine-class.ts';
import { ObjectWorld } from '../world/object-world.ts';
import type { Temporal } from './temporal.ts';

/** A MachineClass and how its workflow is started. */
export function realMachineClass(temporal: Temporal, name: string) {
  const object = aMachineClass({ name, provider: 'unknown' });
  const world = new ObjectWorld(temporal.clock, { resource: MACHINE_CLASSES, object });
  return { world, start: () => temporal.startObject('machineClass', world, world.ref) };
}
