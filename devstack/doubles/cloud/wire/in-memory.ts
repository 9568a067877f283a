import type { Wire, WireAnswer } from '../../../../providers/wire.ts';
import { NoAnswer } from '../cloud-error.ts';
import type { ApiAnswer, ApiCall } from './call.ts';

/** Carries requests to an API in this process. Nobody is given up on: that is {@link unlessGivenUp}'s. */
export function wireTo(answer: (call: ApiCall) => Promise<ApiAnswer>): Wire {
  return {
    async send({ method, path, headers, body = '' }): Promise<WireAnswer> {
      try {
        const authorization = headers['authorization'];
        const answered = await answer({ method, path, authorization, readBody: async () => body });
        return { status: answered.status, retryAfter: answered.retryAfter?.toString(), text: answered.body };
      } catch (error) {
        if (error instanceof NoAnswer && error.how === 'hang') return new Promise(() => {});
        throw error;
      }
    },
    close: async () => {},
  };
}

/**
 * The answer, or that it is not waited for any more; what comes of it then nobody learns.
 *
 * @param waits has what ends each wait without a word as long as it lasts: a signal that is listened to is never collected
 */
export function unlessGivenUp(
  answer: Promise<WireAnswer>,
  signal: AbortSignal,
  waits = new Set<() => void>(),
): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error('given up'));
    const forget = () => {
      signal.removeEventListener('abort', giveUp);
      waits.delete(forget);
    };
    answer.then(resolve, reject).finally(forget);
    if (signal.aborted) return giveUp();
    waits.add(forget);
    signal.addEventListener('abort', giveUp, { once: true });
  });
}
