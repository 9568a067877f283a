import pLimit from 'p-limit';
import type { MachineObject } from '../../k8s/api/machine.openshift.io/machine.ts';
import { NAMESPACES, PODS } from '../../k8s/resources.ts';
import { followChanges } from '../integration/follow-changes.ts';
import { until } from '../integration/until.ts';
import type { Bench } from './open-bench.ts';

/** Where the pods are. */
export const POD_NAMESPACE = 'bench-pods';

/** By which a budget selects them. */
export const PODS_LABELS = { app: 'bench' };

const CREATES_AT_ONCE = 20;

/** When pods were first seen Ready, and gone, in milliseconds since the epoch. By uid. */
export interface PodTimes {
  readonly ready: ReadonlyMap<string, number>;
  readonly gone: ReadonlyMap<string, number>;
  stop(): void;
}

/** Follows what becomes of pods from here on. */
export async function followPods({ config, kube }: Pick<Bench, 'config' | 'kube'>): Promise<PodTimes> {
  const [ready, gone] = [new Map<string, number>(), new Map<string, number>()];
  const note = (times: Map<string, number>, uid: string) => {
    if (!times.has(uid)) times.set(uid, Date.now());
  };
  const { resourceVersion } = await kube.list(PODS, { namespace: POD_NAMESPACE });
  const followed = { resource: PODS, namespace: POD_NAMESPACE, resourceVersion };
  const stop = await followChanges(config, followed, (change, { metadata, status }) => {
    const isReady = status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') === true;
    if (change === 'DELETED') note(gone, metadata.uid);
    else if (isReady) note(ready, metadata.uid);
  });
  return { ready, gone, stop };
}

export async function createPodNamespace({ kube }: Pick<Bench, 'kube'>): Promise<void> {
  const { apiVersion, kind } = NAMESPACES;
  await kube.create(NAMESPACES, undefined, { apiVersion, kind, metadata: { name: POD_NAMESPACE } });
}

/** So many pods on the Node of each of these machines, all Ready. Nobody makes them anew when they leave. */
export async function runPods(bench: Bench, machines: readonly MachineObject[], perMachine: number): Promise<void> {
  const { kube, patience } = bench;
  const times = await followPods(bench);
  const limit = pLimit(CREATES_AT_ONCE);
  const pods = machines.flatMap(({ status }) =>
    Array.from({ length: perMachine }, (_, n) => ({
      node: status?.nodeRef?.name ?? '',
      name: `${status?.nodeRef?.name}-${n}`,
    })),
  );
  await Promise.all(pods.map(({ node, name }) => limit(() => kube.create(PODS, POD_NAMESPACE, podOn(node, name)))));
  await until(
    'all pods are Ready',
    async () => times.ready.size,
    (ready) => ready >= pods.length,
    patience,
  );
  times.stop();
}

function podOn(nodeName: string, name: string): object {
  return {
    metadata: { name, labels: PODS_LABELS },
    spec: {
      nodeName,
      terminationGracePeriodSeconds: 1,
      automountServiceAccountToken: false,
      containers: [{ name: 'main', image: 'none' }],
    },
  };
}
