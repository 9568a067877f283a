import type { WorkerOptions } from '../../workers/options.ts';
import type { MachineSettings } from '../../workflows/machine/settings.ts';
import type { GlobalOptions } from './main.ts';

/** Flags of `millwright worker`; times in seconds. */
export interface WorkerFlags extends Pick<
  WorkerOptions,
  'taskQueue' | 'healthPort' | 'simulatedEndpoint' | 'logLevel'
> {
  readonly creationTimeout?: number;
  readonly consistencyWindow?: number;
  readonly callTimeout?: number;
  readonly heartbeat?: number;
  readonly goneWindow?: number;
  readonly repeatLimit?: number;
  readonly resync?: number;
  readonly terminationLook?: number;
  readonly inventoryInterval?: number;
}

/** `millwright worker`: runs until it is told to end. */
export async function runWorkerCommand(global: GlobalOptions, flags: WorkerFlags): Promise<void> {
  const { runWorker } = await import('../../workers/main.ts');
  const { taskQueue, healthPort, simulatedEndpoint, logLevel, inventoryInterval } = flags;
  const options: WorkerOptions = {
    temporalAddress: global.temporalAddress,
    temporalNamespace: global.temporalNamespace,
    settings: settingsOf(flags),
    ...(global.kubeconfig === undefined ? {} : { kubeconfig: global.kubeconfig }),
    ...(global.context === undefined ? {} : { context: global.context }),
    ...(taskQueue === undefined ? {} : { taskQueue }),
    ...(healthPort === undefined ? {} : { healthPort }),
    ...(simulatedEndpoint === undefined ? {} : { simulatedEndpoint }),
    ...(logLevel === undefined ? {} : { logLevel }),
    ...(inventoryInterval === undefined ? {} : { inventoryIntervalSeconds: inventoryInterval }),
  };
  await runWorker(options);
}

function settingsOf(flags: WorkerFlags): Partial<MachineSettings> {
  const given: Record<string, number | undefined> = {
    creationTimeoutSeconds: flags.creationTimeout,
    consistencyWindowSeconds: flags.consistencyWindow,
    callTimeoutSeconds: flags.callTimeout,
    heartbeatSeconds: flags.heartbeat,
    goneWindowSeconds: flags.goneWindow,
    repeatLimitSeconds: flags.repeatLimit,
    resyncSeconds: flags.resync,
    terminationLookSeconds: flags.terminationLook,
  };
  return Object.fromEntries(Object.entries(given).filter(([, seconds]) => seconds !== undefined));
}
