import type { MachineDeployment } from '../../k8s/model/machine-deployment.ts';
import { countReady, isAvailable } from '../../k8s/model/readiness.ts';
import type { RolloutMachine } from '../../k8s/model/rollout-machine.ts';
import { formatSelector } from '../../k8s/selector.ts';
import type { FoundRollout } from './machine-deployment-activities.ts';
import { judgeNewMachines, type Judging, type NewMachines } from './new-machines.ts';
import { sum } from './rollout.ts';
import type { SeenSet } from './see-rollout.ts';

/** How many Machines the deployment's sets have, as its status tells, and when the next one is available. */
export function countsOf(
  { replicas: wanted, minReadySeconds, selector }: MachineDeployment,
  mine: readonly SeenSet[],
  current: SeenSet | undefined,
  machines: readonly RolloutMachine[],
  now: number,
): Pick<FoundRollout, 'counts' | 'availableAt'> {
  const uids = new Set(mine.map(({ set }) => set.ref.uid));
  const members = machines.filter(
    ({ controller, deleting }) => !deleting && controller !== undefined && uids.has(controller),
  );
  const { counts: ready, ...next } = countReady(members, minReadySeconds, now);
  return {
    counts: {
      replicas: members.length,
      updatedReplicas: sum(members, ({ controller }) => (controller === current?.set.ref.uid ? 1 : 0)),
      ...ready,
      unavailableReplicas: Math.max(0, wanted - ready.availableReplicas),
      labelSelector: formatSelector(selector),
    },
    ...next,
  };
}

/** How the Machines of its template come up. */
export function comingOf(
  { minReadySeconds, progressDeadlineSeconds }: MachineDeployment,
  current: SeenSet | undefined,
  machines: readonly RolloutMachine[],
  { now, ...judging }: Judging & { readonly now: number },
): NewMachines {
  const fresh = machines.filter(({ controller }) => controller !== undefined && controller === current?.set.ref.uid);
  const isThere = (machine: RolloutMachine) => isAvailable(machine, minReadySeconds, now);
  return judgeNewMachines(fresh, progressDeadlineSeconds, now, isThere, judging);
}
