import type { KubeClient } from '../../k8s/client.ts';
import { unlessGone } from '../../k8s/kube-error.ts';
import { readDeployment, type Deployment, type StoredDeployment } from '../../k8s/model/deployment.ts';
import { controllerOf } from '../../k8s/model/owner-reference.ts';
import type { Pod } from '../../k8s/model/pod.ts';
import type { ObjectMeta, OwnerReference } from '../../k8s/object-meta.ts';
import { DEPLOYMENTS, REPLICA_SETS } from '../../k8s/resources.ts';
import { BoundedMap } from '../../providers/bounded-map.ts';
import type { Clock } from '../../providers/clock.ts';
import { coalesce } from '../coalesce.ts';

/** How long a look at a Deployment waits for others, in milliseconds. */
const GATHER_MS = 100;
/** ReplicaSets whose Deployment is remembered. */
const MOST = 5000;

/** The Deployment of a pod; or whose the pod is instead; undefined: who has it is gone. */
export type FindDeployment = (
  pod: Pod,
) => Promise<{ readonly deployment: Deployment } | { readonly owner: string } | undefined>;

type Owner = Pick<OwnerReference, 'kind' | 'name' | 'uid'>;

/** From pod to ReplicaSet to Deployment, each by the uid of its controller. Those who look at the same time share it. */
export function createFindDeployment(kube: KubeClient, clock: Clock): FindDeployment {
  /** By the ReplicaSet's uid. */
  const owners = new BoundedMap<string, Owner>(MOST);
  const read = coalesce(
    clock,
    async (key) => {
      const [namespace, name = ''] = key.split('/');
      return unlessGone(kube.get<StoredDeployment>(DEPLOYMENTS, namespace, name));
    },
    GATHER_MS,
  );

  return async ({ namespace, controller }) => {
    if (controller === undefined) return { owner: 'nobody' };
    if (controller.kind !== 'ReplicaSet') return { owner: `${controller.kind} ${controller.name}` };
    const owner = owners.get(controller.uid) ?? (await ownerOf(namespace, controller));
    if (owner === undefined) return undefined;
    if (owner.kind !== 'Deployment') return { owner: `${owner.kind} ${owner.name}` };
    owners.set(controller.uid, owner);
    const stored = await read(`${namespace}/${owner.name}`);
    return stored?.metadata.uid === owner.uid ? { deployment: readDeployment(stored) } : undefined;
  };

  /** Who controls the ReplicaSet: itself, where nobody does. */
  async function ownerOf(namespace: string, { kind, name, uid }: Owner): Promise<Owner | undefined> {
    const found = await unlessGone(
      kube.get<{ metadata: Pick<ObjectMeta, 'uid' | 'ownerReferences'> }>(REPLICA_SETS, namespace, name),
    );
    if (found?.metadata.uid !== uid) return undefined;
    return controllerOf(found.metadata.ownerReferences) ?? { kind, name, uid };
  }
}
