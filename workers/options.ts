import type { MachineSettings } from '../workflows/machine/settings.ts';

/** What a worker is started with. Each has a flag of `millwright worker`. */
export interface WorkerOptions {
  /** Path of a kubeconfig. @default KUBECONFIG, `~/.kube/config`, or the pod's own service account */
  readonly kubeconfig?: string;
  /** Context of the kubeconfig. @default its current one */
  readonly context?: string;
  /** `host:port` of Temporal's frontend. */
  readonly temporalAddress: string;
  readonly temporalNamespace: string;
  /** @default `millwright-<uid of kube-system>` */
  readonly taskQueue?: string;
  /** Port of `/healthz` and `/readyz`, on loopback unless `healthHost` says otherwise. @default none */
  readonly healthPort?: number;
  /** @default '127.0.0.1' */
  readonly healthHost?: string;
  /** URL of the simulated cloud; without it that provider is not there. */
  readonly simulatedEndpoint?: string;
  /** Times that machines go by, where they differ from the defaults. */
  readonly settings?: Partial<MachineSettings>;
  /** Seconds between two inventories of the cloud. @default 300 */
  readonly inventoryIntervalSeconds?: number;
  /** How long running activities may go on after SIGTERM, in seconds. @default 10 */
  readonly shutdownGraceSeconds?: number;
  /** @default 'info' */
  readonly logLevel?: string;
}
