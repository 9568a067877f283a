import type { KubeClient } from '../../k8s/client.ts';
import { KubeError } from '../../k8s/kube-error.ts';
import { asClause } from '../../k8s/model/as-clause.ts';
import type { Deployment } from '../../k8s/model/deployment.ts';
import type { StoredPod } from '../../k8s/model/pod.ts';
import { formatSelector } from '../../k8s/selector.ts';
import { PODS } from '../../k8s/resources.ts';

/** A pod of a Deployment that the scheduler finds no Node for, and why, as a clause; undefined: there is none, or it cannot be seen. */
export type FindUnscheduled = (deployment: Deployment) => Promise<string | undefined>;

export function createFindUnscheduled(kube: KubeClient): FindUnscheduled {
  return async ({ namespace, selector }) => {
    try {
      const { items } = await kube.list<StoredPod>(PODS, { namespace, labelSelector: formatSelector(selector) });
      const [first] = items.flatMap(whyUnscheduled);
      return first;
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      return undefined;
    }
  };
}

function whyUnscheduled({ metadata, status = {} }: StoredPod): string[] {
  const scheduled = status.conditions?.find(({ type }) => type === 'PodScheduled');
  if (metadata.deletionTimestamp !== undefined || scheduled?.status !== 'False') return [];
  return [`its pod ${metadata.name} waits for a Node: ${asClause(scheduled.message ?? 'none has room for it')}`];
}
