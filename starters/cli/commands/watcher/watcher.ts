import { createLogger } from '../../../../process/logging.ts';
import { endOnSignal } from '../../../../process/shutdown.ts';
import { outliveStrayRejections } from '../../../../process/stray-rejections.ts';
import { systemClock } from '../../../../providers/clock.ts';
import { runWatcher } from '../../../watcher/watcher.ts';
import { attempt } from '../../cli-error.ts';
import { kubeOptions, type GlobalOptions } from '../../flags/global-options.ts';
import { temporalOf } from '../../access/temporal-access.ts';
import { given } from '../../../../providers/given.ts';

export interface WatcherFlags extends GlobalOptions {
  readonly taskQueue?: string;
  readonly healthPort?: number;
  readonly healthHost?: string;
  readonly profilingPort?: number;
  readonly logLevel?: string;
  readonly leaseName?: string;
  readonly leaseNamespace?: string;
}

/** Told to end, it is gone within this time, in seconds: the Lease runs out by itself. */
const END_TIMEOUT_SECONDS = 10;

/** `millwright watcher`: runs until SIGTERM or SIGINT. */
export async function watcher(flags: WatcherFlags): Promise<void> {
  const { namespace } = flags;
  const temporal = await temporalOf(flags);
  const log = createLogger('watcher', flags.logLevel);
  outliveStrayRejections(log);
  const running = await attempt('start the watcher', () =>
    runWatcher(
      {
        ...kubeOptions(flags),
        temporal,
        ...given({
          namespace,
          taskQueue: flags.taskQueue,
          healthPort: flags.healthPort,
          healthHost: flags.healthHost,
          profilingPort: flags.profilingPort,
          logLevel: flags.logLevel,
          leaseName: flags.leaseName,
          leaseNamespace: flags.leaseNamespace,
        }),
      },
      systemClock,
    ),
  );
  const { promise: told, resolve: onStop } = Promise.withResolvers<void>();
  // Letting the Lease go, and a request under way, may hang where the API server or Temporal is away.
  endOnSignal({ graceSeconds: END_TIMEOUT_SECONDS, forceSeconds: 0, onStop, describeRest: () => ({}), log });
  await told;
  await running.stop();
}
