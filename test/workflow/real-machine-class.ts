import { createMachineClassActivities } from '../../activities/machine-classes.ts';
import { createEventActivities } from '../../activities/report-event.ts';
import { MACHINE_CLASSES } from '../../k8s/dialects/openshift/resources.ts';
import { aMachineClass } from '../world/builders/a-machine-class.ts';
import { ObjectWorld } from '../world/object-world.ts';
import { CLUSTER, type Temporal } from './temporal.ts';

/** A MachineClass whose workflow runs the activities of a worker, against an API server in memory. */
export function realMachineClass(temporal: Temporal, name: string) {
  const object = aMachineClass({ name, provider: 'unknown' });
  const world = new ObjectWorld(CLUSTER, { resource: MACHINE_CLASSES, object }, temporal.now);
  const activities = { ...createMachineClassActivities(world.deps), ...createEventActivities(world.deps) };
  return { world, start: () => temporal.startObject('machineClass', { activities }, world.ref) };
}
