import type { Condition } from './condition.ts';

/** Conditions of a Machine that say that something is wrong, and with which status. */
const TROUBLE: Readonly<Record<string, readonly Condition['status'][]>> = {
  MachineCreation: ['False'],
  InstanceExists: ['Unknown'],
  InstancesUnique: ['False'],
  NodeReady: ['False', 'Unknown'],
  LoadBalancersAttached: ['False'],
  UpToDate: ['False'],
};

/** The newest condition that says that something is wrong with a Machine, and was not overcome. */
export function newestTrouble<C extends Pick<Condition, 'type' | 'status' | 'lastTransitionTime'>>(
  conditions: readonly C[],
): C | undefined {
  return conditions
    .filter(({ type, status }) => TROUBLE[type]?.includes(status))
    .sort((a, b) => (a.lastTransitionTime > b.lastTransitionTime ? -1 : 1))[0];
}
