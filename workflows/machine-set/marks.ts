import type { MachineSet, Replica } from '../../k8s/model/machine-set.ts';
import type { Chosen } from './plan-replicas.ts';

/** cluster-autoscaler makes its group smaller within moments of its mark. Milliseconds. */
export const STALE_AFTER_MS = 60_000;
/** Nothing tells when it takes its taint off: marks that stay are looked at so often, in milliseconds. */
const LOOK_EVERY_MS = 300_000;

/** A Machine that cluster-autoscaler marked for deletion. */
export interface Mark extends Chosen {
  /** Milliseconds since the epoch. */
  readonly markedAt: number;
}

/** Marks of cluster-autoscaler on Machines of a set that stay: on such as have a Node, while the set has not too many. */
export function marksOf(set: MachineSet, machines: readonly Replica[], surplus: number): readonly Mark[] {
  if (surplus > 0) return [];
  return machines.flatMap(({ name, uid, controller, deleting, hasNode, markedAt }) =>
    controller === set.ref.uid && !deleting && hasNode && markedAt !== undefined ? [{ name, uid, markedAt }] : [],
  );
}

/** What is remembered of marks. */
export interface MarksMemory {
  /** When they were looked at last, in milliseconds since the epoch. */
  marksLookedAt?: number;
}

/**
 * The marks that are to be looked at now, and when the next ones are, in milliseconds since the epoch.
 */
export function dueMarks(
  marks: readonly Mark[],
  { marksLookedAt = -Infinity }: MarksMemory,
  now: number,
): { readonly due: readonly Mark[]; readonly at: number } {
  const looks = marks.map((mark) => {
    const stale = mark.markedAt + STALE_AFTER_MS;
    return { mark, at: stale > marksLookedAt ? stale : marksLookedAt + LOOK_EVERY_MS };
  });
  return {
    due: looks.filter(({ at }) => at <= now).map(({ mark }) => mark),
    at: Math.min(Infinity, ...looks.map(({ at }) => at).filter((at) => at > now)),
  };
}
