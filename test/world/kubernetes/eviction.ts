import type { PodName } from '../../../k8s/client.ts';
import { KubeError } from '../../../k8s/kube-error.ts';
import { isAbout, type DisruptionBudget } from '../../../k8s/model/disruption-budget.ts';
import { readPod, type StoredPod } from '../../../k8s/model/pod.ts';
import { DISRUPTION_BUDGETS, PODS } from '../../../k8s/resources.ts';
import type { KubeObject } from './kube-object.ts';
import type { Registry } from './registry.ts';
import { given } from '../../../providers/given.ts';

/** A PodDisruptionBudget as it is stored. */
export interface StoredBudget extends Omit<DisruptionBudget, 'status' | 'spec'> {
  readonly metadata: KubeObject['metadata'] & DisruptionBudget['metadata'];
  readonly spec?: DisruptionBudget['spec'] & {
    readonly minAvailable?: number;
    readonly maxUnavailable?: number;
  };
  readonly status?: DisruptionBudget['status'] & {
    readonly observedGeneration?: number;
    readonly expectedPods?: number;
    /** Pod's name → since when its eviction is allowed and its deletion not seen. */
    readonly disruptedPods?: Readonly<Record<string, string>>;
  };
}

const VIOLATED = "Cannot evict pod as it would violate the pod's disruption budget.";
const SEVERAL = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';

/** The Eviction API: a Pod is deleted where its budget allows that, which counts it. (pkg/registry/core/pod/storage/eviction.go) */
export function evict(server: Registry, { namespace, name, uid }: PodName): { readonly status: 'Success' } {
  const stored = server.require(PODS, namespace, name);
  const pod = readPod(stored as unknown as StoredPod);
  const { phase } = (stored['status'] ?? {}) as { readonly phase?: string };
  if (!pod.isFinished && phase !== 'Pending' && pod.endsAt === undefined) {
    const budgets = server.store.all(DISRUPTION_BUDGETS) as unknown as readonly StoredBudget[];
    const [budget, second] = budgets.filter((each) => isAbout(each, pod));
    if (second !== undefined) throw new KubeError(500, '500', SEVERAL);
    if (budget !== undefined && !(pod.isReady ? false : mayGoUnready(budget))) spend(server, budget, name);
  }
  server.remove(server.kindOf(PODS), server.require(PODS, namespace, name), { uid });
  return { status: 'Success' };
}

/** A pod that is not Ready is no loss where the budget says so, or has enough others. */
function mayGoUnready({ spec, status = {} }: StoredBudget): boolean {
  const { currentHealthy = 0, desiredHealthy = 0 } = status;
  return spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow' || (currentHealthy >= desiredHealthy && desiredHealthy > 0);
}

function spend(server: Registry, budget: StoredBudget, pod: string): void {
  const { metadata, status = {} } = budget;
  const { disruptionsAllowed = 0, desiredHealthy = 0, currentHealthy = 0 } = status;
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) {
    throw refused(10, `The disruption budget ${metadata.name} is still being processed by the server.`);
  }
  if (disruptionsAllowed <= 0) {
    const numbers = `needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
    throw refused(0, `The disruption budget ${metadata.name} ${numbers}`);
  }
  const disruptedPods = { ...status.disruptedPods, [pod]: server.time };
  const spent = { ...status, disruptionsAllowed: disruptionsAllowed - 1, disruptedPods };
  server.store.put(DISRUPTION_BUDGETS, { ...(budget as unknown as KubeObject), status: spent });
}

function refused(retryAfterSeconds: number, message: string): KubeError {
  const causes = [{ reason: 'DisruptionBudget', message }];
  const details = { causes, ...given({ retryAfterSeconds: retryAfterSeconds || undefined }) };
  return new KubeError(429, 'TooManyRequests', VIOLATED, { details });
}
