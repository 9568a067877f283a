import type { Pod } from '../../k8s/model/pod.ts';
import type { DrainReport, PodNote, PodNotes, Spares } from '../../workflows/machine/drain-activities.ts';
import type { PodChoice } from './choose-pods.ts';
import { isUnheard } from './plan-drain.ts';
import { isLasting, shownOf } from './pod-notes.ts';

type Trouble = NonNullable<DrainReport['trouble']>;

/** How long after its time a pod that still runs is told of, in milliseconds. */
const OVERDUE_MS = 60_000;
/** Of how many pods it is said in full what holds them. */
const MOST_IN_FULL = 3;

/** Of what is told first, where several things hold up a drain. */
const ORDER = [
  'refused',
  'budgets',
  'budget',
  'unjudged',
  'overdue',
  'server',
  'namespace',
  'unheard',
  'spared',
] as const;
type Cause = (typeof ORDER)[number];

const REASONS = {
  refused: 'EvictionRefused',
  budgets: 'MisconfiguredBudget',
  budget: 'PodsBlocked',
  unjudged: 'PodsBlocked',
  overdue: 'PodsNotEnding',
  server: 'KubernetesUnavailable',
  namespace: 'Draining',
  unheard: 'Draining',
  spared: 'PodsNotToBeDisrupted',
} as const satisfies Record<Cause, Trouble['reason']>;

const UNHEARD =
  'Kubernetes hears nothing of its Node and calls it not Ready, though it may serve: ' +
  'it is asked to go when the Node is heard again, or has been silent for a minute';

interface HowItStands {
  readonly notes: PodNotes;
  readonly now: number;
  readonly spares?: Spares;
  /** What holds a pod of which something is noted. */
  readonly explain: (pod: Pod) => Promise<string>;
}

/** What is worst of all that holds up a drain, with the pods that it holds, and one pod for each other thing; undefined: nothing does. */
export async function describeTrouble(
  left: readonly PodChoice[],
  { notes, now, spares, explain }: HowItStands,
): Promise<Trouble | undefined> {
  const causes = new Map(left.map((choice) => [choice.pod, causeOf(choice, notes[choice.pod.uid], now)]));
  const [cause, ...others] = ORDER.filter((each) => [...causes.values()].includes(each));
  if (cause === undefined) return undefined;
  const told = await Promise.all([tell(cause, MOST_IN_FULL), ...others.map((each) => tell(each, 1))]);
  return { reason: REASONS[cause], message: told.join('; ') };

  async function tell(why: Cause, most: number): Promise<string> {
    const pods = [...causes.keys()].filter((pod) => causes.get(pod) === why);
    const some = await Promise.all(pods.slice(0, most).map((pod) => describe(pod, why)));
    const more = pods.length - some.length;
    return `${some.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
  }

  async function describe(pod: Pod, why: Cause): Promise<string> {
    return `pod ${pod.namespace}/${pod.name}: ${await describeHold(pod, why)}`;
  }

  function describeHold(pod: Pod, why: Cause): string | Promise<string> {
    if (why === 'spared') return describeSpared(spares);
    if (why === 'unheard') return UNHEARD;
    return why === 'overdue' ? describeOverdue(pod) : explain(pod);
  }
}

function causeOf({ pod, part }: PodChoice, note: PodNote | undefined, now: number): Cause | undefined {
  const { endsAt } = pod;
  if (endsAt !== undefined) return now >= endsAt + OVERDUE_MS ? 'overdue' : undefined;
  // What was answered of late tells more.
  if (part === 'evict' && isUnheard(pod, now) && (note?.until ?? now) <= now) return 'unheard';
  if (note === undefined) return part === 'spare' ? 'spared' : undefined;
  const { by } = shownOf(note);
  if (by === 'soon') return isLasting(note) ? 'refused' : undefined;
  return by;
}

function describeSpared({ until }: Spares = {}): string {
  const end =
    until === undefined ? 'without a limit, as spec.drain has no timeout' : 'until spec.drain.timeout is over';
  return `it asks not to be disrupted, and is waited for ${end}`;
}

function describeOverdue({ finalizers, hasEnded }: Pod): string {
  const what = hasEnded ? 'its containers have ended' : 'its containers run still';
  const held = finalizers.length === 0 ? '' : `, and it has the finalizers ${finalizers.join(', ')}`;
  return `its time to end is over, ${what}${held}`;
}
