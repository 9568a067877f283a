import pino from 'pino';
import { createEventRecorder } from '../../activities/events.ts';
import type { MachineSetObject } from '../../k8s/api/machine-set.ts';
import { createProviderRegistry } from '../../providers/registry.ts';
import { createActivities } from '../../workers/activities.ts';
import { DEFAULT_MACHINE_SETTINGS } from '../../workflows/machine/settings.ts';
import { MachineSetKube } from '../unit/machine-set-kube.ts';
import { CLUSTER, type Temporal } from './temporal.ts';

export type MachineSetSpec = Partial<MachineSetObject['spec']>;

/** A MachineSet whose workflow runs the activities of a worker, against an API server in memory. */
export function realMachineSet(temporal: Temporal, name: string, spec: MachineSetSpec) {
  const kube = new MachineSetKube(name, spec);
  const log = pino({ level: 'silent' });
  const activities = createActivities({
    kube: kube.client,
    providers: createProviderRegistry([]),
    settings: DEFAULT_MACHINE_SETTINGS,
    cluster: CLUSTER,
    clusterNames: [],
    events: createEventRecorder(kube.client, log),
    log,
    inventoryIntervalSeconds: 300,
    inspect: async () => {},
    recount: async () => {},
    workflows: {
      listRunning: async () => new Set(),
      lookAt: async () => ({ state: 'running' }),
      start: async () => {},
    },
  });
  return { kube, start: () => temporal.startMachineSet(activities, kube.ref) };
}
