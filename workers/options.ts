import type { CloudRates } from '../providers/cloud-rates.ts';
import type { Idempotency } from '../providers/provider.ts';
import type { MachineSettings } from '../workflows/machine/settings.ts';
import { DEFAULT_LEASE_NAMESPACE } from '../process/lease-record.ts';
import type { TemporalConnection } from '../process/temporal-connection.ts';
import type { WorkerRole } from './worker-role.ts';

/** What a worker is started with. Each has a flag of `millwright worker`. */
export interface WorkerOptions {
  /** Path of a kubeconfig. @default KUBECONFIG, `~/.kube/config`, or the pod's own service account */
  readonly kubeconfig?: string;
  /** Context of the kubeconfig. @default its current one */
  readonly context?: string;
  readonly temporal: TemporalConnection;
  /** @default `millwright-<uid of kube-system>` */
  readonly taskQueue?: string;
  /** Which tasks it takes. @default 'all' */
  readonly role?: WorkerRole;
  /** Port of `/healthz`, `/readyz` and `/metrics`, on loopback unless `healthHost` says otherwise. @default none */
  readonly healthPort?: number;
  /** @default '127.0.0.1' */
  readonly healthHost?: string;
  /** Port of CPU profiles and heap snapshots, on loopback and nowhere else. @default none: they cannot be had */
  readonly profilingPort?: number;
  /** URL of the simulated cloud; without it that provider is not there. */
  readonly simulatedEndpoint?: string;
  /** Whether the simulated cloud is sent tokens, or is asked by look-up only. @default 'token' */
  readonly simulatedIdempotency?: Idempotency;
  /**
   * Ids of clusters whose instances the Machines of a namespace may adopt: `<namespace>/<id>` for one namespace, `<id>` for
   * all. A Cluster object of that name in the namespace allows the same. @default none
   */
  readonly clusterNames?: readonly string[];
  /** Kubernetes namespace of the Leases by which machines of a control plane go one at a time. @default 'kube-system' */
  readonly leaseNamespace?: string;
  /** Limits of calls that count before those that a cloud documents. @default none but those */
  readonly cloudRates?: CloudRates;
  /** Times that machines go by, where they differ from the defaults. */
  readonly settings?: Partial<MachineSettings>;
  /** Seconds between two inventories of the cloud. @default 300 */
  readonly inventoryIntervalSeconds?: number;
  /** How long running activities may go on after SIGTERM, in seconds. @default 10 */
  readonly shutdownGraceSeconds?: number;
  /** After that the process is gone within this time, whatever still runs, in seconds. @default 3 */
  readonly shutdownForceSeconds?: number;
  /**
   * Workflows keep a call stack of each promise, for the UI's "Call Stack", and the SDK's time limit on what they do without
   * waiting; that takes about three times the CPU for running them. @default false
   */
  readonly debugWorkflows?: boolean;
  /** @default 'info' */
  readonly logLevel?: string;
}

type Optional = 'kubeconfig' | 'context' | 'taskQueue' | 'healthPort' | 'profilingPort' | 'simulatedEndpoint';

/** {@link WorkerOptions} with every default filled in. */
export type DefaultedWorkerOptions = Required<Omit<WorkerOptions, Optional>> & Pick<WorkerOptions, Optional>;

export function defaultWorkerOptions(options: WorkerOptions): DefaultedWorkerOptions {
  return {
    role: 'all',
    healthHost: '127.0.0.1',
    simulatedIdempotency: 'token',
    clusterNames: [],
    leaseNamespace: DEFAULT_LEASE_NAMESPACE,
    cloudRates: {},
    settings: {},
    inventoryIntervalSeconds: 300,
    shutdownGraceSeconds: 10,
    shutdownForceSeconds: 3,
    debugWorkflows: false,
    logLevel: 'info',
    ...options,
  };
}
