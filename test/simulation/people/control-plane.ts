import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { CLUSTER_LABEL, MACHINE_ROLE_LABEL } from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { KubeError } from '../../../k8s/kube-error.ts';
import { isToGo } from '../judges/wishes.ts';
import type { People } from './people.ts';
import { CLUSTER } from './shared-deeds.ts';

/** Between two looks of whoever owns the control plane, in milliseconds. */
const LOOK_MS = 15_000;

/** What makes one of a control plane. */
const MASTER_LABELS = { [CLUSTER_LABEL]: CLUSTER, [MACHINE_ROLE_LABEL]: 'master' };

export function isMaster({ metadata }: Pick<MachineObject, 'metadata'>): boolean {
  return metadata.labels?.[MACHINE_ROLE_LABEL] === 'master';
}

/**
 * Whoever owns the control plane has so many Machines, also when everybody else went home: one that is gone is replaced, and one
 * that has failed is deleted.
 */
export function ownControlPlane(people: People, size: number): void {
  const { agenda } = people.universe;
  let isAtWork = false;
  const look = async (): Promise<void> => {
    if (isAtWork) return;
    isAtWork = true;
    try {
      await keep(people, size);
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
    } finally {
      isAtWork = false;
    }
  };
  const again = (): void => {
    void look();
    agenda.after(LOOK_MS, again);
  };
  again();
}

async function keep(people: People, size: number): Promise<void> {
  const masters = people.universe.api.all<MachineObject>(MACHINES).filter(isMaster);
  for (let count = masters.length; count < size; count += 1) {
    await people.createMachine(`master-${people.nextNumber()}`, { metadata: { labels: MASTER_LABELS } });
  }
  for (const master of masters) {
    if (master.status?.phase === 'Failed' && !isToGo(master)) await people.deleteMachine(master.metadata.name);
  }
}

/** What people do to it. */
export const CONTROL_PLANE_DEEDS = {
  'delete all masters': async (people: People): Promise<void> => {
    for (const { metadata } of people.machines().filter(isMaster)) await people.deleteMachine(metadata.name);
  },
};
