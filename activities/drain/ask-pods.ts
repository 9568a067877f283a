import type { KubeClient } from '../../k8s/client.ts';
import type { Clock } from '../../providers/clock.ts';
import type { Moment } from '../../providers/moment.ts';
import type { PodNotes } from '../../workflows/machine/drain-activities.ts';
import { PodCalls, type CallAnswer } from './evictions.ts';
import { HeldDrains } from './held-drains.ts';
import type { DrainPlan } from './plan-drain.ts';
import { triedOf, type TriedPod } from './tried-pod.ts';

/** How long a pass waits for answers to its evictions and deletions, in milliseconds. */
const PATIENCE_MS = 1500;

export interface AskPods {
  /** The Node that they are on. */
  readonly nodeUid: string;
  readonly plan: Pick<DrainPlan, 'evict' | 'remove'>;
  /** What is known of them. */
  readonly notes: PodNotes;
  /** When the Machine was looked at, by which they are to go. */
  readonly lookedAt: Moment;
  /** In the workflow's time. */
  readonly now: () => number;
  /** Until when answers are waited for at most, on the clock that never goes back. */
  readonly until: number;
}

/** Asks pods to go, as a plan has it, and tells what became of each, by its uid. */
export function createAskPods(
  kube: KubeClient,
  clock: Clock,
): (asked: AskPods) => Promise<ReadonlyMap<string, TriedPod>> {
  const calls = new PodCalls(kube, clock);
  const heldDrains = new HeldDrains(clock);

  return async ({ nodeUid, plan, notes, lookedAt, now, until }) => {
    const asking = { lookedAt, patienceMs: Math.max(0, Math.min(PATIENCE_MS, until - clock.now())) };
    const tried = await Promise.all([
      ...plan.evict.map(async (pod) => {
        const answer = spaced(nodeUid, await calls.evict(pod, asking));
        return triedOf(pod, answer, { before: notes[pod.uid], now: now(), graceMs: pod.graceMs });
      }),
      ...plan.remove.map(async ({ pod, graceSeconds }) => {
        const answer = await calls.remove(pod, graceSeconds, asking);
        return triedOf(pod, answer, { before: notes[pod.uid], now: now(), graceMs: graceSeconds * 1000 });
      }),
    ]);
    return new Map(tried.map((one) => [one.pod.uid, one]));
  };
  /** Where many drains are held by budgets, each waits longer until it asks again. */
  function spaced(nodeUid: string, answer: CallAnswer): CallAnswer {
    if (answer.outcome !== 'held' || answer.by !== 'budget') return answer;
    return { ...answer, retryAfterMs: Math.max(answer.retryAfterMs ?? 0, heldDrains.held(nodeUid)) };
  }
}
