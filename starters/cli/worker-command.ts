import { runWorker } from '../../workers/main.ts';
import type { MachineSettings } from '../../workflows/machine/settings.ts';
import { attempt } from './cli-error.ts';
import { kubeOptions, type GlobalOptions } from './global-options.ts';

/** Flags of times, in seconds, and the setting that each stands for. */
export const SETTING_FLAGS = {
  creationTimeout: 'creationTimeoutSeconds',
  consistencyWindow: 'consistencyWindowSeconds',
  callTimeout: 'callTimeoutSeconds',
  heartbeat: 'heartbeatSeconds',
  goneWindow: 'goneWindowSeconds',
  repeatLimit: 'repeatLimitSeconds',
  resync: 'resyncSeconds',
  terminationLook: 'terminationLookSeconds',
} as const satisfies Record<string, keyof MachineSettings>;

type SettingFlag = keyof typeof SETTING_FLAGS;

export interface WorkerFlags extends GlobalOptions, Readonly<Partial<Record<SettingFlag, number>>> {
  readonly taskQueue?: string;
  readonly healthPort?: number;
  readonly healthHost?: string;
  readonly logLevel?: string;
  readonly simulatedEndpoint?: string;
  /** Seconds. */
  readonly inventoryInterval?: number;
  /** Seconds. */
  readonly shutdownGrace?: number;
}

/** `millwright worker`: runs until SIGTERM or SIGINT. */
export async function worker(flags: WorkerFlags): Promise<void> {
  const { temporalAddress, temporalNamespace } = flags;
  await attempt('run the worker', () =>
    runWorker({
      ...kubeOptions(flags),
      temporalAddress,
      temporalNamespace,
      settings: settingsOf(flags),
      ...(flags.taskQueue === undefined ? {} : { taskQueue: flags.taskQueue }),
      ...(flags.healthPort === undefined ? {} : { healthPort: flags.healthPort }),
      ...(flags.healthHost === undefined ? {} : { healthHost: flags.healthHost }),
      ...(flags.logLevel === undefined ? {} : { logLevel: flags.logLevel }),
      ...(flags.simulatedEndpoint === undefined ? {} : { simulatedEndpoint: flags.simulatedEndpoint }),
      ...(flags.inventoryInterval === undefined ? {} : { inventoryIntervalSeconds: flags.inventoryInterval }),
      ...(flags.shutdownGrace === undefined ? {} : { shutdownGraceSeconds: flags.shutdownGrace }),
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
