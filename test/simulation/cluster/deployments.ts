import { readDeployment, type StoredDeployment } from '../../../k8s/model/deployment.ts';
import { controllerOf } from '../../../k8s/model/owner-reference.ts';
import type { StoredPod } from '../../../k8s/model/pod.ts';
import { DEPLOYMENTS, PODS, REPLICA_SETS } from '../../../k8s/resources.ts';
import { aDeployment } from '../../world/builders/a-deployment.ts';
import { NAMESPACE } from '../../world/builders/metadata.ts';
import { readKeptPod } from '../../world/kubernetes/disruption.ts';
import type { ApiServer } from '../../world/kubernetes/api-server.ts';
import type { KubeObject } from '../../world/kubernetes/kube-object.ts';
import { nameReplicaSet } from '../../world/run-deployments.ts';
import { DEPLOYED, type Workload } from './workload-kinds.ts';
import { given } from '../../../providers/given.ts';

type Stored = StoredDeployment & KubeObject;

/** A ReplicaSet that pods are of. */
export type PodOwner = ReturnType<typeof ownerOf>;

export function ownerOf(replicaSet: string) {
  return { kind: 'ReplicaSet', name: replicaSet, uid: `uid-of-rs-${replicaSet}` };
}

/** A ReplicaSet, as far as its pods need it: the garbage collector takes pods whose owner is not there. */
export function putReplicaSet(api: ApiServer, { name, uid }: PodOwner, deployment?: Stored['metadata']): void {
  const { apiVersion, kind } = REPLICA_SETS;
  const owner = deployment && { apiVersion, kind: 'Deployment', name: deployment.name, uid: deployment.uid };
  const metadata = { name, namespace: NAMESPACE, uid };
  const ownerReferences = owner && [{ ...owner, controller: true }];
  api.put({
    apiVersion,
    kind,
    metadata: { ...metadata, ...given({ ownerReferences }) },
  });
}

/** What people ask of Deployments, and what their controller does in a round: a ReplicaSet for each template that there was. */
export class Deployments {
  readonly #api: ApiServer;

  constructor(api: ApiServer) {
    this.#api = api;
  }

  start(): void {
    for (const { app, replicas, deployment } of DEPLOYED) {
      const { asked, unavailable } = deployment;
      const rollingUpdate = { maxSurge: 1, maxUnavailable: unavailable };
      const facts = {
        name: app,
        replicas,
        strategy: { type: 'RollingUpdate', rollingUpdate },
        uid: `uid-of-deployment-${app}`,
      };
      this.#api.put(aDeployment({ ...facts, ...given({ asked }) }));
    }
  }

  /** Ends what is of an older template, as far as enough others are Ready. Answers what is to be started, by ReplicaSet. */
  keep({ app }: Workload, pods: readonly StoredPod[]): readonly PodOwner[] {
    const stored = this.#api.store.get(DEPLOYMENTS, NAMESPACE, app) as Stored | undefined;
    if (stored === undefined) return [];
    const { replicas, rolling = { surge: 1, unavailable: 0 } } = readDeployment(stored);
    const current = ownerOf(nameReplicaSet(stored));
    if (!this.#api.store.has(current.uid)) putReplicaSet(this.#api, current, stored.metadata);
    const own = pods.filter(
      ({ metadata: { labels, deletionTimestamp } }) => labels?.['app'] === app && deletionTimestamp === undefined,
    );
    const fresh = own.filter((pod) => isOf(pod, current));
    const old = own.filter((pod) => !isOf(pod, current));
    const ready = own.filter(isReady).length;
    const missing = Math.min(replicas - fresh.length, replicas + rolling.surge - own.length);
    // What is not Ready is no loss. Of the others one goes in a round.
    const unready = old.filter((pod) => !isReady(pod));
    const spare = ready > replicas - rolling.unavailable ? old.filter(isReady).slice(0, 1) : [];
    for (const pod of fresh.length < replicas ? spare : [...unready, ...spare]) this.#end(pod);
    this.#tell(stored, { all: own.length, fresh: fresh.length, ready });
    return missing > 0 ? Array.from({ length: missing }, () => current) : [];
  }

  #end({ metadata: { name, uid } }: StoredPod): void {
    void this.#api.others.delete(PODS, NAMESPACE, name, { uid });
  }

  #tell(stored: Stored, { all, fresh, ready }: Readonly<Record<'all' | 'fresh' | 'ready', number>>): void {
    const observedGeneration = stored.metadata.generation ?? 0;
    const status = { observedGeneration, replicas: all, updatedReplicas: fresh, availableReplicas: ready };
    if (JSON.stringify(status) === JSON.stringify(stored.status)) return;
    const told: KubeObject = { ...stored, status };
    this.#api.put(told);
  }
}

function isOf({ metadata }: StoredPod, { uid }: PodOwner): boolean {
  return controllerOf(metadata.ownerReferences)?.uid === uid;
}

function isReady(pod: StoredPod): boolean {
  return readKeptPod(pod).isReady;
}
