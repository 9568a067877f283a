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
  /** Each of its pods has a volume, which one Node at a time can have. */
  readonly hasVolume?: true;
  /** It is a Deployment. @default a ReplicaSet of nobody */
  readonly deployment?: {
    /** What its owner asks of drains. @default nothing */
    readonly asked?: string;
    /** By how many pods a rollout goes below `replicas`. */
    readonly unavailable: number;
  };
}

export const WORKLOADS: readonly Workload[] = [
  // A roll would be noticed: its rollouts take pods away first.
  {
    app: 'web',
    replicas: 4,
    minAvailable: 3,
    graceSeconds: 30,
    deployment: { asked: 'surge=9', unavailable: 1 },
  },
  { app: 'db', replicas: 1, minAvailable: 1, graceSeconds: 60, hasVolume: true, deployment: { unavailable: 0 } },
  { app: 'shop', replicas: 1, minAvailable: 1, graceSeconds: 20, deployment: { asked: 'surge', unavailable: 0 } },
  { app: 'batch', replicas: 3, graceSeconds: 120, hasVolume: true },
  { app: 'dns', replicas: 2, minAvailable: 1, graceSeconds: 5, isCritical: true },
];

/** Somebody starts one of these now and then; most want to be waited for, by any drain or by those that need not be. */
export const JOB: Workload = { app: 'job', replicas: 0, graceSeconds: 5 };

/** By one of these annotations a pod asks to be left alone by who need not end it. */
export const PROTECTIONS: readonly Readonly<Record<string, string>>[] = [
  { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' },
  { 'karpenter.sh/do-not-disrupt': 'true' },
];

/** All of them, or only jobs. */
export type WorkloadsRun = 'all' | 'jobs';

/** The names of what has a budget. */
export const BUDGETS = WORKLOADS.flatMap(({ app, minAvailable }) => (minAvailable === undefined ? [] : [app]));

/** Those that are Deployments. */
export const DEPLOYED = WORKLOADS.flatMap(({ deployment, ...workload }) =>
  deployment === undefined ? [] : [{ ...workload, deployment }],
);

/** What a Job's pod asks of drains. */
export function askOfDrains(random: Random): Pick<PodFacts['metadata'] & {}, 'labels' | 'annotations'> {
  const kind = random.next();
  if (kind < 0.5) return { labels: { 'cluster.x-k8s.io/drain': 'wait-completed' } };
  if (kind < 0.8) return { annotations: { ...random.pick(PROTECTIONS) } };
  return {};
}
