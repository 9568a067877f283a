import type { MachineStatus } from './machine.ts';
import type { FailureReason } from './reasons/reasons.ts';

type Failing = Pick<MachineStatus, 'phase' | 'error' | 'launch' | 'instance'>;

/**
 * The Machine is Failed because the cloud has no room for it and cluster-autoscaler sizes its set. It is launched as soon as there is
 * room; another controller's failure for that reason is one for good.
 */
export function isWithoutRoom({ phase, error, launch, instance }: Failing): boolean {
  const isLackOfRoom = error?.reason === ('InsufficientResources' satisfies FailureReason);
  return phase === 'Failed' && isLackOfRoom && launch !== undefined && instance === undefined;
}

/** Nothing but a deletion acts on the Machine. */
export function isFailedForGood(status: Failing): boolean {
  return status.phase === 'Failed' && !isWithoutRoom(status);
}
