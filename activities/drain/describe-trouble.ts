import type { Pod } from '../../k8s/model/pod.ts';
import type { DrainReport, PodNote, PodNotes } from '../../workflows/machine/drain-activities.ts';
import { isLasting, shownOf } from './pod-notes.ts';

type Trouble = NonNullable<DrainReport['trouble']>;

/** How long after its time a pod that still runs is told of, in milliseconds. */
const OVERDUE_MS = 60_000;
/** Of how many pods it is said in full what holds them. */
const MOST_IN_FULL = 3;

/** Of what is told first, where several things hold up a drain. */
const ORDER = ['refused', 'budgets', 'budget', 'overdue', 'server', 'namespace'] as const;
type Cause = (typeof ORDER)[number];

const REASONS = {
  refused: 'EvictionRefused',
  budgets: 'MisconfiguredBudget',
  budget: 'PodsBlocked',
  overdue: 'PodsNotEnding',
  server: 'KubernetesUnavailable',
  namespace: 'Draining',
} as const satisfies Record<Cause, Trouble['reason']>;

/** What is worst of all that holds up a drain, with the pods that it holds; undefined: nothing does. */
export async function describeTrouble(
  left: readonly Pod[],
  notes: PodNotes,
  now: number,
  explain: (pod: Pod) => Promise<string>,
): Promise<Trouble | undefined> {
  const causes = new Map(left.map((pod) => [pod, causeOf(pod, notes[pod.uid], now)]));
  const cause = ORDER.find((each) => [...causes.values()].includes(each));
  if (cause === undefined) return undefined;
  const pods = left.filter((pod) => causes.get(pod) === cause);
  const told = await Promise.all(pods.slice(0, MOST_IN_FULL).map(async (pod) => describe(pod, cause)));
  const more = pods.length - told.length;
  return { reason: REASONS[cause], message: `${told.join('; ')}${more > 0 ? `; and ${more} more` : ''}` };

  async function describe(pod: Pod, why: Cause): Promise<string> {
    return `pod ${pod.namespace}/${pod.name}: ${why === 'overdue' ? describeOverdue(pod) : await explain(pod)}`;
  }
}

function causeOf({ endsAt }: Pod, note: PodNote | undefined, now: number): Cause | undefined {
  if (endsAt !== undefined) return now >= endsAt + OVERDUE_MS ? 'overdue' : undefined;
  if (note === undefined) return undefined;
  const { by } = shownOf(note);
  if (by === 'soon') return isLasting(note) ? 'refused' : undefined;
  return by;
}

function describeOverdue({ finalizers, hasEnded }: Pod): string {
  const what = hasEnded ? 'its containers have ended' : 'its containers run still';
  const held = finalizers.length === 0 ? '' : `, and it has the finalizers ${finalizers.join(', ')}`;
  return `its time to end is over, ${what}${held}`;
}
