import { DEFAULT_LEASE_NAMESPACE } from '../../process/lease-record.ts';
import type { TemporalConnection } from '../../process/temporal-connection.ts';

/** What a watcher is started with. */
export interface WatcherOptions {
  /** Path of a kubeconfig. @default KUBECONFIG, `~/.kube/config`, or the pod's own service account */
  readonly kubeconfig?: string;
  /** Context of the kubeconfig. @default its current one */
  readonly context?: string;
  /** Watches the Machines and MachineSets of this Kubernetes namespace only. @default all namespaces */
  readonly namespace?: string;
  readonly temporal: TemporalConnection;
  /** Where workflows are started. @default `millwright-<uid of kube-system>` */
  readonly taskQueue?: string;
  /** Port of `/healthz`, `/readyz` and `/metrics`. @default none: they are not served */
  readonly healthPort?: number;
  /** Address that port is bound to. @default '127.0.0.1' */
  readonly healthHost?: string;
  /** Port of CPU profiles and heap snapshots, on loopback and nowhere else. @default none: they cannot be had */
  readonly profilingPort?: number;
  /** pino's level. @default 'info' */
  readonly logLevel?: string;

  /** Name of the Lease by which one of several watchers is the active one. @default 'millwright-watcher', followed by
   * `-<namespace>` where one is given */
  readonly leaseName?: string;
  /** Kubernetes namespace of the Lease. @default 'kube-system' */
  readonly leaseNamespace?: string;
  /** A Lease that was not renewed for this long is free. Seconds. @default 15 */
  readonly leaseDurationSeconds?: number;
  /** Between two renewals, or two looks of a standby. Milliseconds. @default 4000 */
  readonly leaseRenewMs?: number;

  /** Least time between two signals to one workflow. Milliseconds. @default 250 */
  readonly signalGapMs?: number;
  /** Least time between two signals that changes of its machines send to one MachineSet. Milliseconds. @default 1000 */
  readonly ownerSignalGapMs?: number;
  /** Most signals under way at once. @default 20 */
  readonly concurrency?: number;
  /** Time limit of one request to Temporal. Milliseconds. @default 10_000 */
  readonly temporalTimeoutMs?: number;
  /** How often the Temporal namespace is looked at, to see that it is still the same one. Milliseconds. @default 5000 */
  readonly namespacePollMs?: number;
  /** How many objects a second are signalled where everything is. @default 50 */
  readonly sweepPerSecond?: number;
  /** Between two looks whether the inventory and the safety workflow run. Milliseconds. @default 60_000 */
  readonly inventoryCheckMs?: number;
  /** In this time the workflow of every object is looked at once, and started where it has ended. Seconds. @default 3600 */
  readonly slowSweepSeconds?: number;
  /** Longest wait before a watch that ended with an error is started again; the first is 200 ms. Milliseconds.
   * @default 2000 */
  readonly watchRetryMostMs?: number;
}

/** @param namespace the one that the watcher watches; undefined: all */
export function defaultLeaseName(namespace: string | undefined): string {
  return namespace === undefined ? 'millwright-watcher' : `millwright-watcher-${namespace}`;
}

type Optional = 'kubeconfig' | 'context' | 'namespace' | 'taskQueue' | 'healthPort' | 'profilingPort';

/** {@link WatcherOptions} with every default filled in. */
export type DefaultedWatcherOptions = Required<Omit<WatcherOptions, Optional>> & Pick<WatcherOptions, Optional>;

/** Fills in the defaults. Throws a RangeError that names the option whose value cannot work. */
export function defaultWatcherOptions(options: WatcherOptions): DefaultedWatcherOptions {
  const defaulted: DefaultedWatcherOptions = {
    healthHost: '127.0.0.1',
    logLevel: 'info',
    leaseName: defaultLeaseName(options.namespace),
    leaseNamespace: DEFAULT_LEASE_NAMESPACE,
    leaseDurationSeconds: 15,
    leaseRenewMs: 4000,
    signalGapMs: 250,
    ownerSignalGapMs: 1000,
    concurrency: 20,
    temporalTimeoutMs: 10_000,
    namespacePollMs: 5000,
    sweepPerSecond: 50,
    inventoryCheckMs: 60_000,
    slowSweepSeconds: 3600,
    watchRetryMostMs: 2000,
    ...options,
  };
  for (const [name, value] of Object.entries(defaulted)) {
    if (typeof value === 'number' && !(value > 0)) throw new RangeError(`${name} is ${value}; it has to be above 0`);
  }
  const { leaseRenewMs, leaseDurationSeconds } = defaulted;
  if (leaseRenewMs >= leaseDurationSeconds * 1000) {
    throw new RangeError(
      `leaseRenewMs is ${leaseRenewMs}; it has to be shorter than leaseDurationSeconds, ${leaseDurationSeconds} s`,
    );
  }
  return defaulted;
}
