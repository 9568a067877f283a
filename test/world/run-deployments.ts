import { createHash } from 'node:crypto';
import { readDeployment, type Deployment, type StoredDeployment } from '../../k8s/model/deployment.ts';
import { readPod, type Pod, type StoredPod } from '../../k8s/model/pod.ts';
import { DEPLOYMENTS, PODS, REPLICA_SETS } from '../../k8s/resources.ts';
import { aDeployment, type DeploymentFacts } from './builders/a-deployment.ts';
import { aPod, type PodFacts } from './builders/a-pod.ts';
import type { KubeObject } from './kubernetes/kube-object.ts';
import type { World } from './world.ts';

export interface DeploymentsRun {
  /** Where pods of a new template are put. @default elsewhere */
  readonly node?: string;
  /** How long a pod takes to be Ready, in milliseconds. @default 3000 */
  readonly startMs?: number;
}

type Stored = StoredDeployment & KubeObject;

/** How long the controller takes, in milliseconds. */
const ROUND_MS = 100;

/** From now on Deployments are rolled out, by a ReplicaSet for each template. The scheduler puts all pods on one Node. */
export function runDeployments(world: World, { node = 'elsewhere', startMs = 3000 }: DeploymentsRun = {}): void {
  const { kube, clock } = world;
  let isDue = false;
  let pods = 0;

  const look = () => {
    if (isDue) return;
    isDue = true;
    clock.after(ROUND_MS, () => {
      isDue = false;
      for (const stored of kube.all<Stored>(DEPLOYMENTS)) rollOut(stored, readDeployment(stored));
    });
  };
  look();
  kube.store.onChange(({ resource }) => {
    if (resource === PODS || resource === DEPLOYMENTS) look();
  });

  function rollOut(stored: Stored, deployment: Deployment): void {
    const { replicas, rolling = { surge: 1, unavailable: 0 } } = deployment;
    const current = nameReplicaSet(stored);
    ensureReplicaSet(stored, current);
    const all = podsOf(deployment);
    const fresh = all.filter(({ controller }) => controller?.name === current);
    const old = all.filter(({ controller }) => controller?.name !== current);
    const ready = all.filter(({ isReady }) => isReady).length;
    if (fresh.length < replicas && all.length < replicas + rolling.surge) startPod(stored, current);
    const [first] = old;
    if (first !== undefined && ready > replicas - rolling.unavailable) end(first);
    const status = {
      observedGeneration: stored.metadata.generation ?? 0,
      replicas: all.length,
      updatedReplicas: fresh.length,
      availableReplicas: ready,
    };
    if (JSON.stringify(status) !== JSON.stringify(stored.status)) kube.put({ ...stored, status } as KubeObject);
  }

  function podsOf({ namespace, uid }: Deployment): Pod[] {
    const own = kube
      .all(REPLICA_SETS)
      .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid) === true)
      .map(({ metadata }) => metadata.name);
    return kube
      .all(PODS)
      .map((pod) => readPod(pod as unknown as StoredPod))
      .filter(
        (pod) => pod.namespace === namespace && own.includes(pod.controller?.name ?? '') && pod.endsAt === undefined,
      );
  }

  function ensureReplicaSet({ metadata }: Stored, name: string): void {
    const { namespace, uid } = metadata;
    if (kube.store.get(REPLICA_SETS, namespace, name) !== undefined) return;
    const { apiVersion, kind } = DEPLOYMENTS;
    const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid, controller: true }];
    kube.put({
      apiVersion,
      kind: REPLICA_SETS.kind,
      metadata: { name, namespace, uid: `uid-of-${name}`, ownerReferences },
    });
  }

  function startPod({ metadata }: Stored, replicaSet: string): void {
    const name = `${replicaSet}-${(pods += 1)}`;
    const facts = { ...podFacts(metadata.name, replicaSet), name, node };
    kube.put(aPod({ ...facts, ready: false }));
    clock.after(startMs, () => {
      const pod = kube.peek(PODS, metadata.namespace, name);
      if (pod !== undefined) kube.put({ ...pod, status: aPod(facts).status } as KubeObject);
    });
  }

  function end({ namespace, name, uid }: Pod): void {
    void kube.others.delete(PODS, namespace, name, { uid });
  }
}

/** The name of a Deployment's ReplicaSet. */
export function nameReplicaSet({ metadata, spec }: StoredDeployment): string {
  const digest = createHash('sha256')
    .update(JSON.stringify(spec?.template ?? {}))
    .digest('hex');
  return `${metadata.name}-${digest.slice(0, 8)}`;
}

/** What makes a pod one of a Deployment. */
export function podFacts(app: string, replicaSet: string) {
  return { labels: { app }, owner: { kind: 'ReplicaSet', name: replicaSet, uid: `uid-of-${replicaSet}` } };
}

/** A Deployment, its ReplicaSet, and a pod of it. */
export function deployedPod(facts: DeploymentFacts, pod: PodFacts = {}) {
  const deployment = aDeployment(facts);
  const { name, namespace, uid } = deployment.metadata;
  const replicaSet = nameReplicaSet(deployment);
  const { apiVersion, kind } = DEPLOYMENTS;
  const ownerReferences = [{ apiVersion, kind, name, uid, controller: true }];
  const metadata = { name: replicaSet, namespace, uid: `uid-of-${replicaSet}`, ownerReferences };
  return [
    deployment,
    { apiVersion, kind: REPLICA_SETS.kind, metadata },
    aPod({ ...podFacts(name, replicaSet), name: `${name}-1`, ...pod }),
  ] as const;
}
