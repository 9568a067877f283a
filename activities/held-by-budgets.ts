import type { KubeClient } from '../k8s/client.ts';
import { KubeError } from '../k8s/kube-error.ts';
import { isAbout, type DisruptionBudget } from '../k8s/model/disruption-budget.ts';
import type { MachineReading, Meta } from '../k8s/model/reading.ts';
import { readPod, type StoredPod } from '../k8s/model/pod.ts';
import { DISRUPTION_BUDGETS, PODS } from '../k8s/resources.ts';
import { formatSelector } from '../k8s/selector.ts';

/** Budgets whose pods are looked for, and those that are named. */
const MOST_LOOKED_AT = 20;
const MOST_NAMED = 3;

/**
 * The Nodes that a rollout has drained: of the Machines that it replaces, and of those that are being deleted, which have their places until
 * their drains are over, whichever template they are of.
 *
 * @param machines those of its sets
 */
export function nodesDrainedFor(
  machines: readonly Pick<MachineReading, 'meta' | 'machine'>[],
  isReplaced: (meta: Meta) => boolean,
): string[] {
  return machines.flatMap(({ meta, machine }) =>
    meta.deletedAt !== undefined || isReplaced(meta) ? (machine.status.nodeRef?.name ?? []) : [],
  );
}

/**
 * Which PodDisruptionBudgets allow no eviction now from any of these Nodes: a sentence; undefined: none. It may be another one a moment
 * later, when a workload has all its pods.
 */
export async function heldByBudgets(
  kube: Pick<KubeClient, 'list'>,
  nodes: readonly string[],
): Promise<string | undefined> {
  if (nodes.length === 0) return undefined;
  try {
    const { items } = await kube.list<DisruptionBudget>(DISRUPTION_BUDGETS);
    const spent = items.filter(({ status }) => status?.disruptionsAllowed === 0);
    const on = new Set(nodes);
    const held = await Promise.all(spent.slice(0, MOST_LOOKED_AT).map((budget) => podHeldBy(kube, budget, on)));
    return describeHeld(
      held.flatMap((each) => each ?? []),
      spent.length - MOST_LOOKED_AT,
    );
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    return `whether PodDisruptionBudgets hold drains up cannot be told: ${error.message}`;
  }
}

async function podHeldBy(
  kube: Pick<KubeClient, 'list'>,
  budget: DisruptionBudget,
  on: ReadonlySet<string>,
): Promise<string | undefined> {
  const { metadata, spec } = budget;
  if (spec?.selector === undefined) return undefined;
  const { namespace } = metadata;
  const { items } = await kube.list<StoredPod>(PODS, { namespace, labelSelector: formatSelector(spec.selector) });
  const pod = items.find((each) => on.has(each.spec?.nodeName ?? '') && isAbout(budget, readPod(each)));
  return pod && `${namespace}/${metadata.name}, which keeps pod ${pod.metadata.name} on Node ${pod.spec?.nodeName}`;
}

function describeHeld(held: readonly string[], unseen: number): string | undefined {
  const more = held.length > MOST_NAMED ? `, and ${held.length - MOST_NAMED} more` : '';
  const named = held.slice(0, MOST_NAMED).join('; ');
  const words = [
    ...(held.length === 0
      ? []
      : [`PodDisruptionBudgets that allow no eviction now: ${named}${more}. Drains wait for them`]),
    ...(unseen <= 0
      ? []
      : [
          `${unseen} more of the cluster's PodDisruptionBudgets allow no eviction now; which pods they keep was not looked up`,
        ]),
  ];
  return words.length === 0 ? undefined : words.join('. ');
}
