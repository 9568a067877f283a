import type { Logger } from 'pino';

export interface ShutdownOptions {
  /** How long what runs may go on, in seconds. */
  readonly graceSeconds: number;
  /** How long it may take to give up after that, in seconds. */
  readonly forceSeconds: number;
  /** Lets the end begin. */
  readonly onStop: () => void;
  /** What is still running, for the log, when time is up. */
  readonly describeRest: () => object;
  readonly log: Logger;
}

/**
 * Ends the process at the first SIGTERM or SIGINT, with care and within a bound: after `graceSeconds` the SDK cancels what
 * still runs, and after `forceSeconds` more the process is gone, whatever runs. Nothing is lost by that: an activity that was
 * cut off is found by its silence and settled by another worker. A second signal ends it at once.
 *
 * @returns to be called when all has ended by itself
 */
export function endOnSignal({ graceSeconds, forceSeconds, onStop, describeRest, log }: ShutdownOptions): () => void {
  let backstop: NodeJS.Timeout | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    if (backstop !== undefined) {
      log.warn({ signal, ...describeRest() }, 'told to end twice: ending at once');
      process.exit(1);
    }
    const bound = graceSeconds + forceSeconds;
    log.info({ signal, graceSeconds, boundSeconds: bound, ...describeRest() }, 'ending');
    backstop = setTimeout(() => {
      log.error(
        { ...describeRest() },
        `not ended within ${bound} s: ending all the same; others settle what was cut off`,
      );
      process.exit(1);
    }, bound * 1000).unref();
    onStop();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  return () => {
    clearTimeout(backstop);
    process.off('SIGTERM', stop);
    process.off('SIGINT', stop);
  };
}
