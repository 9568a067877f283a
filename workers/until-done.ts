import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';

/** Pause before what a worker cannot do without is tried again, in milliseconds. */
export const RETRY_MS = 2000;

/** Tries for as long as it takes: a worker that ended here would only be started again. */
export async function untilDone<T>(attempt: () => Promise<T>, log: Logger, what: string): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      log.warn({ error: String(error) }, `could not ${what}; next try in ${RETRY_MS} ms`);
      await delay(RETRY_MS);
    }
  }
}
