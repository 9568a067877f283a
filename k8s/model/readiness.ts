import type { MachineSetStatus, Replica } from './machine-set.ts';
import { given } from '../../providers/given.ts';

/** What tells whether a Machine counts as available. */
export type Readiness = Pick<Replica, 'deleting' | 'readySince' | 'unusable'>;

/**
 * When a Machine has been Ready for long enough, in milliseconds since the epoch; undefined: it is not Ready, or cannot be used for another
 * reason. Where being Ready is enough no clock is asked: that of who wrote since when it is may be ahead.
 */
export function availableAt(
  { readySince, unusable }: Pick<Readiness, 'readySince' | 'unusable'>,
  minReadySeconds: number,
): number | undefined {
  if (readySince === undefined || unusable !== undefined) return undefined;
  return minReadySeconds === 0 ? -Infinity : Date.parse(readySince) + minReadySeconds * 1000;
}

/** Whether a Machine that stays has been Ready for so many seconds. @param now milliseconds since the epoch */
export function isAvailable(machine: Readiness, minReadySeconds: number, now: number): boolean {
  const at = availableAt(machine, minReadySeconds);
  return !machine.deleting && at !== undefined && at <= now;
}

/**
 * How many of these Machines are Ready, how many have been for long enough, and when the next one will have been.
 *
 * @param machines none that is being deleted
 * @param now milliseconds since the epoch
 */
export function countReady(
  machines: readonly Pick<Readiness, 'readySince' | 'unusable'>[],
  minReadySeconds: number,
  now: number,
): { readonly counts: Pick<MachineSetStatus, 'readyReplicas' | 'availableReplicas'>; readonly availableAt?: number } {
  const times = machines.flatMap((machine) => availableAt(machine, minReadySeconds) ?? []);
  const later = times.filter((at) => at > now);
  return {
    counts: {
      readyReplicas: machines.filter(({ readySince }) => readySince !== undefined).length,
      availableReplicas: times.length - later.length,
    },
    ...given({ availableAt: later.length === 0 ? undefined : Math.min(...later) }),
  };
}
