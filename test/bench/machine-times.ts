import type { KubeConfig } from '@kubernetes/client-node';
import type { MachineObject } from '../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import { createKubeClient } from '../../k8s/http-client.ts';
import { followChanges } from '../integration/follow-changes.ts';

/** When each machine of a namespace was first seen, first seen Running, and gone, in milliseconds since the epoch. */
export interface MachineTimes {
  readonly created: ReadonlyMap<string, number>;
  readonly running: ReadonlyMap<string, number>;
  readonly gone: ReadonlyMap<string, number>;
  stop(): void;
}

/** Follows the machines from here on, as a user's watch would. By uid. */
export async function followMachines(config: KubeConfig, namespace: string): Promise<MachineTimes> {
  const created = new Map<string, number>();
  const running = new Map<string, number>();
  const gone = new Map<string, number>();
  const note = (times: Map<string, number>, uid: string) => {
    if (!times.has(uid)) times.set(uid, Date.now());
  };
  const { resourceVersion } = await createKubeClient(config).list<MachineObject>(MACHINES, { namespace });
  const stop = await followChanges(config, { resource: MACHINES, namespace, resourceVersion }, (change, machine) => {
    const { uid } = machine.metadata;
    note(created, uid);
    if (change === 'DELETED') note(gone, uid);
    if ((machine as MachineObject).status?.phase === 'Running') note(running, uid);
  });
  return { created, running, gone, stop };
}

/** The value below which this share of the numbers lies; 0 where there are none. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0);
}
