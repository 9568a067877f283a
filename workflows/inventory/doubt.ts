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

/** True where so many instances are absent at once that the view of the cloud is taken for wrong: more than half. */
export function isViewDoubted(absent: number, expected: number): boolean {
  return absent >= FEWEST_FOR_DOUBT && absent * 2 > expected;
}
