import { countOf } from '../../k8s/model/count.ts';
import type { Pod } from '../../k8s/model/pod.ts';
import { joinNames, someOf } from '../../k8s/model/some-names.ts';
import type { DrainReport, PodNote, PodNotes, Spares } from '../../workflows/machine/drain-activities.ts';
import type { PodChoice } from './choose-pods.ts';
import type { ExplainHold } from './explain-hold.ts';
import { isUnheard } from './plan-drain.ts';
import { isMomentary, shownOf } from './pod-notes.ts';

type Trouble = NonNullable<DrainReport['trouble']>;

/** How long after its time a pod that still runs is told of, in milliseconds. */
const OVERDUE_MS = 60_000;
/** Of how many pods it is asked what holds them, for each cause: a Node has some hundred at most. */
const MOST_ASKED = 60;
/** Of how many workloads it is asked what may become of them: that costs requests. */
const MOST_WORKLOADS = 3;
/** How many things that hold pods are told, and how many pods by name that one holds. A person reads it, in a status and in an event. */
const MOST_TOLD = 8;
/** The same of each less bad cause. */
const MOST_OTHERS_TOLD = 3;
const MOST_NAMED = 10;
/** Longer names of pods are fewer: so many characters of them are told for one thing that holds them. */
const MOST_CHARACTERS = 500;

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
  'asked to go when Kubernetes hears of the Node again, or has not for a minute';

interface HowItStands {
  readonly notes: PodNotes;
  readonly now: number;
  readonly spares?: Spares;
  /** What holds a pod of which something is noted. */
  readonly explain: ExplainHold;
}

/** What holds up a drain, the worst first: each thing with the pods that it holds; undefined: nothing does. */
export async function describeTrouble(
  left: readonly PodChoice[],
  { notes, now, spares, explain }: HowItStands,
): Promise<Trouble | undefined> {
  const causes = new Map(left.map((choice) => [choice.pod, causeOf(choice, notes[choice.pod.uid], now)]));
  const found = ORDER.filter((each) => [...causes.values()].includes(each));
  const [cause] = found;
  if (cause === undefined) return undefined;
  const holds = await Promise.all(found.map(holdsBy));
  const told = holds.flatMap((each, n) => each.slice(0, n === 0 ? MOST_TOLD : MOST_OTHERS_TOLD));
  const rest = left.filter(({ pod }) => causes.get(pod) !== undefined).length - countOfPods(told);
  const more = rest > 0 ? [`and ${countOf(rest, 'more pod', 'more pods')}`] : [];
  return { reason: REASONS[cause], message: [...told.map(describe), ...more].join('; ') };

  /** What holds pods for such a cause. */
  async function holdsBy(why: Cause): Promise<Held[]> {
    const pods = [...causes.keys()].filter((pod) => causes.get(pod) === why).slice(0, MOST_ASKED);
    const words = await Promise.all(pods.map((pod) => describeHold(pod, why)));
    // Pods of one workload are told alike: one of them is asked for.
    const workloads = Map.groupBy(pods, (pod, n) => `${words[n]} ${pod.controller?.uid ?? pod.uid}`);
    const mores = await Promise.all(
      [...workloads.values()].slice(0, MOST_WORKLOADS).map(async ([pod]) => pod && explain.more(pod)),
    );
    const moreOf = new Map([...workloads.values()].flatMap((ofOne, n) => ofOne.map((pod) => [pod, mores[n] ?? ''])));
    const held = Map.groupBy(pods, (pod, n) => `${words[n]}${moreOf.get(pod) ?? ''}`);
    return [...held].map(([how, ofOne]) => ({ how, pods: ofOne }));
  }

  async function describeHold(pod: Pod, why: Cause): Promise<string> {
    if (why === 'spared') return describeSpared(spares);
    if (why === 'unheard') return UNHEARD;
    return why === 'overdue' ? describeOverdue(pod) : explain.words(pod);
  }
}

/** Pods, and what holds them. */
interface Held {
  readonly how: string;
  readonly pods: readonly Pod[];
}

function describe({ how, pods }: Held): string {
  const names = pods.map(({ namespace, name }) => `${namespace}/${name}`);
  const length = names.join(', ').length;
  const most =
    length <= MOST_CHARACTERS ? MOST_NAMED : Math.max(1, Math.floor((MOST_CHARACTERS * names.length) / length));
  return `${names.length === 1 ? 'pod' : 'pods'} ${joinNames(someOf(names, Math.min(most, MOST_NAMED)))}: ${how}`;
}

function countOfPods(holds: readonly Held[]): number {
  return holds.reduce((count, { pods }) => count + pods.length, 0);
}

function causeOf({ pod, part }: PodChoice, note: PodNote | undefined, now: number): Cause | undefined {
  const { endsAt } = pod;
  if (endsAt !== undefined) return now >= endsAt + OVERDUE_MS ? 'overdue' : undefined;
  // What was answered of late tells more.
  if (part === 'evict' && isUnheard(pod, now) && (note?.until ?? now) <= now) return 'unheard';
  if (note === undefined) return part === 'spare' ? 'spared' : undefined;
  if (isMomentary(note)) return undefined;
  const { by } = shownOf(note);
  return by === 'soon' ? 'refused' : by;
}

function describeSpared({ until }: Spares = {}): string {
  const end =
    until === undefined
      ? 'without a limit, as spec.drain has no timeout'
      : `until spec.drain.timeout is over, at ${new Date(until).toISOString()}`;
  return `not to be disrupted, as an annotation asks, and waited for ${end}`;
}

function describeOverdue({ finalizers, hasEnded }: Pod): string {
  const what = hasEnded ? 'its containers have ended' : 'its containers run still';
  const held = finalizers.length === 0 ? '' : `, and it has the finalizers ${finalizers.join(', ')}`;
  return `the time to end is over, ${what}${held}`;
}
