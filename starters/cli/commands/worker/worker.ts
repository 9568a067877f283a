import type { CloudRates } from '../../../../providers/cloud-rates.ts';
import type { Idempotency } from '../../../../providers/provider.ts';
import { runWorker } from '../../../../workers/main.ts';
import type { WorkerRole } from '../../../../workers/worker-role.ts';
import type { MachineSettings } from '../../../../workflows/machine/settings.ts';
import { attempt } from '../../cli-error.ts';
import { kubeOptions, type GlobalOptions } from '../../flags/global-options.ts';
import { temporalOf } from '../../access/temporal-access.ts';
import { given } from '../../../../providers/given.ts';

/** Flags of times, in seconds, and the setting that each stands for. */
const SETTING_FLAGS = {
  creationTimeout: 'creationTimeoutSeconds',
  capacityFailureAfter: 'capacityFailureAfterSeconds',
  consistencyWindow: 'consistencyWindowSeconds',
  callTimeout: 'callTimeoutSeconds',
  heartbeat: 'heartbeatSeconds',
  goneWindow: 'goneWindowSeconds',
  repeatLimit: 'repeatLimitSeconds',
  resync: 'resyncSeconds',
  readyLook: 'readyLookSeconds',
  terminationLook: 'terminationLookSeconds',
  nodeMonitorGrace: 'nodeMonitorGraceSeconds',
} as const satisfies Record<string, keyof MachineSettings>;

type SettingFlag = keyof typeof SETTING_FLAGS;

export interface WorkerFlags extends GlobalOptions, Readonly<Partial<Record<SettingFlag, number>>> {
  readonly taskQueue?: string;
  readonly role?: WorkerRole;
  readonly healthPort?: number;
  readonly healthHost?: string;
  readonly profilingPort?: number;
  readonly logLevel?: string;
  readonly debugWorkflows?: boolean;
  readonly simulatedEndpoint?: string;
  readonly simulatedIdempotency?: Idempotency;
  readonly cloudRates?: CloudRates;
  readonly clusterNames?: readonly string[];
  readonly leaseNamespace?: string;
  /** Seconds. */
  readonly inventoryInterval?: number;
  /** Seconds. */
  readonly shutdownGrace?: number;
  /** Seconds. */
  readonly shutdownForce?: number;
}

/** `millwright worker`: runs until SIGTERM or SIGINT. */
export async function worker(flags: WorkerFlags): Promise<void> {
  const temporal = await temporalOf(flags);
  await attempt('run the worker', () =>
    runWorker({
      ...kubeOptions(flags),
      temporal,
      settings: settingsOf(flags),
      ...given({
        taskQueue: flags.taskQueue,
        role: flags.role,
        healthPort: flags.healthPort,
        healthHost: flags.healthHost,
        profilingPort: flags.profilingPort,
        logLevel: flags.logLevel,
        debugWorkflows: flags.debugWorkflows,
        simulatedEndpoint: flags.simulatedEndpoint,
        simulatedIdempotency: flags.simulatedIdempotency,
        cloudRates: flags.cloudRates,
        clusterNames: flags.clusterNames,
        leaseNamespace: flags.leaseNamespace,
        inventoryIntervalSeconds: flags.inventoryInterval,
        shutdownGraceSeconds: flags.shutdownGrace,
        shutdownForceSeconds: flags.shutdownForce,
      }),
    }),
  );
}

function settingsOf(flags: WorkerFlags): Partial<MachineSettings> {
  return Object.fromEntries(
    Object.entries(SETTING_FLAGS).flatMap(([flag, setting]) => {
      const value = flags[flag as SettingFlag];
      return value === undefined ? [] : [[setting, value]];
    }),
  );
}
