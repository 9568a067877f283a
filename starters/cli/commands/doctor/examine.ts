import type { KubeConfig } from '../../../../k8s/kubernetes-client.ts';
import { Connection } from '@temporalio/client';
import type { KubeClient } from '../../../../k8s/client.ts';
import { createKubeClient } from '../../../../k8s/http-client.ts';
import { readClusterUid } from '../../../../k8s/cluster.ts';
import { systemClock } from '../../../../providers/clock.ts';
import { createProviders } from '../../../../workers/create-providers.ts';
import type { TemporalConnection } from '../../../../process/temporal-connection.ts';
import { taskQueueOf } from '../../../../workflows/ids.ts';
import { DEFAULT_LEASE_NAMESPACE } from '../../../../process/lease-record.ts';
import { defaultLeaseName } from '../../../watcher/watcher-options.ts';
import { checkApi } from './check-api.ts';
import { checkCloud } from './check-cloud.ts';
import { checkKubernetes } from './check-kubernetes.ts';
import { checkPermissions, type Role } from './check-permissions.ts';
import { checkWatcher, checkWorkers } from './check-processes.ts';
import { checkNamespace, checkSearchAttributes, checkServer, readTemporalClock } from './check-temporal.ts';
import { judgeClock, type ClockReading } from './clock-reading.ts';
import { reportUnknown, wordsOf, type Finding } from './finding.ts';
import { given } from '../../../../providers/given.ts';

export interface DoctorOptions {
  readonly config: KubeConfig;
  readonly temporal: TemporalConnection;
  /** The role whose permissions are asked for. @default that these credentials look like */
  readonly role?: Role | undefined;
  /** The one Kubernetes namespace of the watcher, and of the Machines whose credentials are tried. @default all */
  readonly namespace?: string | undefined;
  /** @default `millwright-<uid of kube-system>` */
  readonly taskQueue?: string | undefined;
  /** @default that of a watcher of `namespace` */
  readonly leaseName?: string | undefined;
  /** @default that of a watcher */
  readonly leaseNamespace?: string | undefined;
  /** The namespaces whose Secrets the worker may read, where that is not all. @default all */
  readonly secretNamespaces?: readonly string[] | undefined;
  /** URL of the simulated cloud, as the worker has it. */
  readonly simulatedEndpoint?: string | undefined;
}

/** Looks at everything that Millwright rests on. Changes nothing, and never rejects for what it finds. */
export async function examine(options: DoctorOptions): Promise<Finding[]> {
  const { config, temporal } = options;
  const kube = createKubeClient(config, { timeoutMs: 8000 });
  const connection = Connection.lazy({ address: temporal.address, ...temporal.access, interceptors: [] });
  try {
    const [kubernetes, server] = await Promise.all([checkKubernetes(config, kube), checkServer(connection, temporal)]);
    const isKubernetesUp = kubernetes.finding.status === 'ok' || kubernetes.clock !== undefined;
    const isTemporalUp = server.status === 'ok';
    const [ofKubernetes, ofTemporal] = await Promise.all([
      isKubernetesUp ? examineKubernetes(kube, kubernetes.clock, options) : [notAsked('Kubernetes')],
      isTemporalUp ? examineTemporal(connection, isKubernetesUp ? kube : undefined, options) : [notAsked('Temporal')],
    ]);
    return [kubernetes.finding, ...ofKubernetes, server, ...ofTemporal];
  } finally {
    await connection.close();
  }
}

function notAsked(what: string): Finding {
  return reportUnknown(`everything else of ${what}`, 'not looked at: see above');
}

async function examineKubernetes(
  kube: KubeClient,
  clock: ClockReading | undefined,
  options: DoctorOptions,
): Promise<Finding[]> {
  const { role, namespace, secretNamespaces } = options;
  const { simulatedEndpoint, temporal } = options;
  const simulated = given({ simulatedEndpoint });
  const providers = createProviders({ temporal, ...simulated }, kube, systemClock, {
    onCloudCall: () => {},
    showRates: () => {},
  });
  const { leaseName = defaultLeaseName(namespace), leaseNamespace = DEFAULT_LEASE_NAMESPACE } = options;
  const found = await Promise.all([
    Promise.resolve([judgeClock('the API server', clock)]),
    checkPermissions(kube, role, { namespace, leaseNamespace, secretNamespaces }),
    checkApi(kube),
    checkCloud(kube, providers, namespace),
    checkWatcher(kube, leaseName, leaseNamespace, Date.now()).then((finding) => [finding]),
  ]);
  return found.flat();
}

async function examineTemporal(
  connection: Connection,
  kube: KubeClient | undefined,
  { temporal: { namespace }, taskQueue }: DoctorOptions,
): Promise<Finding[]> {
  const there = await checkNamespace(connection, namespace);
  if (there.status === 'failed') return [there];
  const [attributes, clock, workers] = await Promise.all([
    checkSearchAttributes(connection, namespace),
    readTemporalClock(connection, namespace),
    examineWorkers(connection, kube, namespace, taskQueue),
  ]);
  return [there, attributes, judgeClock('Temporal', clock), ...workers];
}

async function examineWorkers(
  connection: Connection,
  kube: KubeClient | undefined,
  namespace: string,
  taskQueue: string | undefined,
): Promise<Finding[]> {
  let queue = taskQueue;
  if (queue === undefined) {
    try {
      if (kube === undefined)
        return [reportUnknown('workers', 'their task queue is named after the cluster, which is away')];
      queue = taskQueueOf(await readClusterUid(kube));
    } catch (error) {
      const advice = 'Name their task queue with --task-queue.';
      return [
        reportUnknown('workers', `their task queue is named after the uid of kube-system: ${wordsOf(error)}`, advice),
      ];
    }
  }
  const named = queue;
  const now = Date.now();
  return Promise.all(
    (['workflow', 'activity'] as const).map((type) => checkWorkers(connection, namespace, named, type, now)),
  );
}
