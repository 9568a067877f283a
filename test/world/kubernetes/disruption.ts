import { isAbout } from '../../../k8s/model/disruption-budget.ts';
import { readPod, type Pod, type StoredPod } from '../../../k8s/model/pod.ts';
import { DISRUPTION_BUDGETS, PODS } from '../../../k8s/resources.ts';
import type { StoredBudget } from './eviction.ts';
import type { Registry } from './registry.ts';
import { given, unlessEmpty } from '../../../providers/given.ts';

/** So long a pod whose eviction was allowed counts as gone although its deletion was not seen. Milliseconds. */
const DISRUPTED_MS = 120_000;

/** What was read of pods: nobody changes one that is stored. */
const read = new WeakMap<object, Pod>();

/** @param stored as the store keeps it */
export function readKeptPod(stored: StoredPod): Pod {
  const known = read.get(stored);
  if (known !== undefined) return known;
  const pod = readPod(stored);
  read.set(stored, pod);
  return pod;
}

/** What the disruption controller does some time after pods or budgets change: it counts anew what each budget allows. */
export function countBudgets(server: Registry): void {
  const pods = server.store.all(PODS).map((pod) => readKeptPod(pod as unknown as StoredPod));
  for (const stored of server.store.all(DISRUPTION_BUDGETS)) {
    const budget = stored as unknown as StoredBudget;
    const status = statusOf(budget, pods, Date.parse(server.time));
    if (JSON.stringify(status) !== JSON.stringify(budget.status)) {
      server.store.put(DISRUPTION_BUDGETS, { ...stored, status });
    }
  }
}

function statusOf(budget: StoredBudget, pods: readonly Pod[], now: number): NonNullable<StoredBudget['status']> {
  const { spec = {}, status = {}, metadata } = budget;
  const own = pods.filter((pod) => isAbout(budget, pod) && !pod.isFinished);
  const disrupted = Object.entries(status.disruptedPods ?? {}).filter(([name, since]) => {
    const pod = own.find((each) => each.name === name);
    return pod !== undefined && pod.endsAt === undefined && now < Date.parse(since) + DISRUPTED_MS;
  });
  const names = new Set(disrupted.map(([name]) => name));
  const currentHealthy = own.filter((p) => p.isReady && p.endsAt === undefined && !names.has(p.name)).length;
  const expectedPods = own.length;
  const desiredHealthy = spec.minAvailable ?? Math.max(0, expectedPods - (spec.maxUnavailable ?? 1));
  const disruptionsAllowed = expectedPods === 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  return {
    observedGeneration: metadata.generation ?? 0,
    expectedPods,
    currentHealthy,
    desiredHealthy,
    disruptionsAllowed,
    ...given({ disruptedPods: unlessEmpty(Object.fromEntries(disrupted)) }),
  };
}
