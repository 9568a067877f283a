import { readPod, type StoredPod } from '../../k8s/model/pod.ts';
import { DISRUPTION_BUDGETS, PODS } from '../../k8s/resources.ts';
import { countBudgets } from './kubernetes/disruption.ts';
import type { Change } from './kubernetes/store.ts';
import type { World } from './world.ts';

export interface PodsRun {
  /** How long a pod takes to end when it is asked to, unless its grace period is over first. Milliseconds. @default 2000 */
  readonly endMs?: number;
  /** Pods that never end, by name. @default none */
  readonly stuck?: readonly string[];
}

/** How long the disruption controller takes, in milliseconds. */
const COUNT_MS = 200;

/** From now on kubelets take pods away that were asked to end, and budgets are counted. */
export function runPods(world: World, { endMs = 2000, stuck = [] }: PodsRun = {}): void {
  const { kube, clock } = world;
  const leaving = new Set<string>();
  let isCounting = false;
  const follow = ({ resource, type, object }: Pick<Change, 'resource' | 'type' | 'object'>) => {
    if (resource === PODS && type !== 'DELETED') {
      const { uid, name, namespace, endsAt } = readPod(object as unknown as StoredPod);
      if (endsAt === undefined || stuck.includes(name) || leaving.has(uid)) return;
      leaving.add(uid);
      clock.after(Math.min(endMs, Math.max(0, endsAt - clock.timeOfDay())), () => kube.drop(PODS, namespace, name));
    }
    if (isCounting || (resource !== PODS && resource !== DISRUPTION_BUDGETS)) return;
    isCounting = true;
    clock.after(COUNT_MS, () => {
      isCounting = false;
      countBudgets(kube);
    });
  };
  countBudgets(kube);
  for (const object of kube.store.all(PODS)) follow({ resource: PODS, type: 'ADDED', object });
  kube.store.onChange(follow);
}
