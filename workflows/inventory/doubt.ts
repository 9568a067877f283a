import type { Machine } from '../../k8s/model/machine.ts';

/** Fewer absent instances than this are judged one by one, whatever their share. */
const FEWEST_FOR_DOUBT = 2;

/**
 * The instance that a cloud should show for this Machine, by its id; undefined: none. One of a Machine that is being
 * deleted is expected to go, and one of a Machine that is Failed may be gone for long.
 */
export function expectedInstanceOf({ status, deletedAt }: Pick<Machine, 'status' | 'deletedAt'>): string | undefined {
  if (deletedAt !== undefined || status.phase === 'Failed') return undefined;
  return status.instance?.state === 'terminated' ? undefined : status.instance?.id;
}

/**
 * Why absences in a view of the cloud are no fact to act on: more than half of the instances are absent at once, so that it is
 * the view that is taken for wrong. Undefined: each counts.
 */
export function doubtOf(absent: number, expected: number): string | undefined {
  if (!isViewDoubted(absent, expected)) return undefined;
  return `${absent} of ${expected} instances of these credentials are absent at once: that is taken for a wrong view of the cloud, and no living Machine is given up for it`;
}

/** The rule of {@link doubtOf}. */
export function isViewDoubted(absent: number, expected: number): boolean {
  return absent >= FEWEST_FOR_DOUBT && absent * 2 > expected;
}
