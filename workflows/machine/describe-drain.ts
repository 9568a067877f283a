import type { DrainReport, PodNames } from './drain-activities.ts';

/** How a drain stands: for how many pods, and what holds it up. */
export function describeDrain({ counts, trouble }: DrainReport, node: string) {
  const { leaving, waiting, held } = counts;
  const parts = [
    [leaving, 'on their way out'],
    [held, 'not allowed to leave yet'],
    [waiting, 'to come after them, or to end by themselves'],
  ] as const;
  const told = parts.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`);
  const pods =
    told.length === 0
      ? `Node ${node}: its last pods are gone, which is looked at once more`
      : `Node ${node}: pods are left, ${told.join(', ')}`;
  return {
    reason: trouble?.reason ?? ('Draining' as const),
    message: trouble === undefined ? pods : `${pods}; ${trouble.message}`,
  };
}

export function namePods(pods: PodNames): string {
  return pods.count === 0 ? 'no pods' : `pods ${nameSome(pods)}`;
}

/** The first of them, and how many more there are. */
export function nameSome({ count, names }: PodNames): string {
  const more = count - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
