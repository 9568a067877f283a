import type { Logger } from 'pino';

/**
 * A promise that is rejected while nobody waits for it is a defect. It concerns one object at most, and Node would end the
 * process for it, with everything that goes on there, again and again as long as that object is there. So it is logged.
 */
export function outliveStrayRejections(log: Logger): void {
  process.on('unhandledRejection', (error: unknown) => {
    log.error({ error }, STRAY_REJECTION);
  });
}

export const STRAY_REJECTION = 'a promise was rejected and nobody waited for it: this is a defect, please report it';
