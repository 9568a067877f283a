import { isReady, OUT_OF_SERVICE, type Node } from '../../k8s/model/node.ts';
import { readPod, type StoredPod } from '../../k8s/model/pod.ts';
import { hasTaint, tolerates } from '../../k8s/model/taint.ts';
import { DISRUPTION_BUDGETS, NODES, PODS } from '../../k8s/resources.ts';
import { countBudgets } from './kubernetes/disruption.ts';
import type { Change } from './kubernetes/store.ts';
import type { World } from './world.ts';

export interface PodsRun {
  /** How long a pod takes to end when it is asked to, unless its grace period is over first. Milliseconds. @default 2000 */
  readonly endMs?: number;
  /** Pods that never end, by name. @default none */
  readonly stuck?: readonly string[];
}

/** How long Kubernetes takes to clear a Node that is out of service, in milliseconds. */
const CLEAR_MS = 20_000;
/** How long the disruption controller takes, in milliseconds. */
const COUNT_MS = 200;

/**
 * From now on kubelets take pods away that were asked to end, where they answer; Kubernetes itself clears a Node that is out of
 * service; and budgets are counted.
 */
export function runPods(world: World, { endMs = 2000, stuck = [] }: PodsRun = {}): void {
  const { kube, clock } = world;
  const leaving = new Set<string>();
  const clearing = new Set<string>();
  let isCounting = false;
  const follow = ({ resource, type, object }: Pick<Change, 'resource' | 'type' | 'object'>) => {
    if (resource === PODS && type !== 'DELETED') {
      const { uid, name, namespace, endsAt } = readPod(object as unknown as StoredPod);
      if (endsAt === undefined || stuck.includes(name) || leaving.has(uid)) return;
      leaving.add(uid);
      clock.after(Math.min(endMs, Math.max(0, endsAt - clock.timeOfDay())), () => {
        leaving.delete(uid);
        if (answers((object as unknown as StoredPod).spec?.nodeName)) kube.drop(PODS, namespace, name);
      });
    }
    if (resource === NODES && type !== 'DELETED') clear(object);
    if (isCounting || (resource !== PODS && resource !== DISRUPTION_BUDGETS)) return;
    isCounting = true;
    clock.after(COUNT_MS, () => {
      isCounting = false;
      countBudgets(kube);
    });
  };
  const answers = (nodeName = ''): boolean => {
    const node = kube.peek(NODES, undefined, nodeName);
    return node === undefined || isReady(node as unknown as Node);
  };
  const clear = (node: NodeParts): void => {
    if (!isDead(node) || clearing.has(node.metadata.name)) return;
    clearing.add(node.metadata.name);
    clock.after(CLEAR_MS, () => {
      clearing.delete(node.metadata.name);
      if (!isDead(kube.peek(NODES, undefined, node.metadata.name))) return;
      for (const pod of kube.all<StoredPod>(PODS).filter(({ spec }) => spec?.nodeName === node.metadata.name)) {
        const { isMirror, tolerations, namespace, name } = readPod(pod);
        if (!isMirror && !tolerates(tolerations, OUT_OF_SERVICE)) kube.drop(PODS, namespace, name);
      }
    });
  };
  countBudgets(kube);
  for (const object of kube.store.all(PODS)) follow({ resource: PODS, type: 'ADDED', object });
  kube.store.onChange(follow);
}

type NodeParts = Pick<Node, 'spec' | 'status'> & { readonly metadata: { readonly name: string } };

function isDead(node: NodeParts | undefined): boolean {
  return node !== undefined && !isReady(node) && hasTaint(node.spec?.taints, OUT_OF_SERVICE);
}
