import type { PodFacts } from '../../world/builders/a-pod.ts';
import type { Random } from '../time/random.ts';

/** What runs in a cluster beside Millwright. */
export interface Workload {
  readonly app: string;
  readonly replicas: number;
  /** How many of them have to be healthy, by its budget; absent: it has none. */
  readonly minAvailable?: number;
  readonly graceSeconds: number;
  readonly isCritical?: true;
}

export const WORKLOADS: readonly Workload[] = [
  { app: 'web', replicas: 4, minAvailable: 3, graceSeconds: 30 },
  { app: 'db', replicas: 1, minAvailable: 1, graceSeconds: 60 },
  { app: 'batch', replicas: 3, graceSeconds: 120 },
  { app: 'dns', replicas: 2, minAvailable: 1, graceSeconds: 5, isCritical: true },
];

/** Somebody starts one of these now and then; most want to be waited for, by any drain or by those that need not be. */
export const JOB: Workload = { app: 'job', replicas: 0, graceSeconds: 5 };

/** By one of these annotations a pod asks to be left alone by who need not end it. */
export const PROTECTIONS: readonly Readonly<Record<string, string>>[] = [
  { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' },
  { 'karpenter.sh/do-not-disrupt': 'true' },
];

/** The names of what has a budget. */
export const BUDGETS = WORKLOADS.flatMap(({ app, minAvailable }) => (minAvailable === undefined ? [] : [app]));

/** What a Job's pod asks of drains. */
export function askOfDrains(random: Random): Pick<PodFacts['metadata'] & {}, 'labels' | 'annotations'> {
  const kind = random.next();
  if (kind < 0.5) return { labels: { 'cluster.x-k8s.io/drain': 'wait-completed' } };
  if (kind < 0.8) return { annotations: { ...random.pick(PROTECTIONS) } };
  return {};
}
