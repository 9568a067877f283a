import { once } from 'node:events';
import { runWatcher } from '../watcher/watcher.ts';
import { attempt } from './cli-error.ts';
import { kubeOptions, type GlobalOptions } from './global-options.ts';

export interface WatcherFlags extends GlobalOptions {
  readonly taskQueue?: string;
  readonly healthPort?: number;
  readonly healthHost?: string;
  readonly logLevel?: string;
  readonly leaseName?: string;
  readonly leaseNamespace?: string;
}

/** `millwright watcher`: runs until SIGTERM or SIGINT. */
export async function watcher(flags: WatcherFlags): Promise<void> {
  const { temporalAddress, temporalNamespace, namespace } = flags;
  const running = await attempt('start the watcher', () =>
    runWatcher({
      ...kubeOptions(flags),
      temporalAddress,
      temporalNamespace,
      ...(namespace === undefined ? {} : { namespace }),
      ...(flags.taskQueue === undefined ? {} : { taskQueue: flags.taskQueue }),
      ...(flags.healthPort === undefined ? {} : { healthPort: flags.healthPort }),
      ...(flags.healthHost === undefined ? {} : { healthHost: flags.healthHost }),
      ...(flags.logLevel === undefined ? {} : { logLevel: flags.logLevel }),
      ...(flags.leaseName === undefined ? {} : { leaseName: flags.leaseName }),
      ...(flags.leaseNamespace === undefined ? {} : { leaseNamespace: flags.leaseNamespace }),
    }),
  );
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  await running.stop();
}
