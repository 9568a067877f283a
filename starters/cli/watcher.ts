import type { WatcherOptions } from '../watcher/watcher-options.ts';
import type { GlobalOptions } from './main.ts';

/** `millwright watcher`: runs until it is told to end. */
export async function runWatcherCommand(
  global: GlobalOptions,
  flags: Pick<WatcherOptions, 'taskQueue' | 'healthPort' | 'logLevel'>,
): Promise<void> {
  const { runWatcher } = await import('../watcher/watcher.ts');
  const watcher = await runWatcher({
    temporalAddress: global.temporalAddress,
    temporalNamespace: global.temporalNamespace,
    ...(global.namespace === undefined ? {} : { namespace: global.namespace }),
    ...(global.kubeconfig === undefined ? {} : { kubeconfig: global.kubeconfig }),
    ...(global.context === undefined ? {} : { context: global.context }),
    ...flags,
  });
  await new Promise<void>((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
  await watcher.stop();
}
