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

/** The answer, or that it is not waited for any more; what comes of it then nobody learns. */
export function unlessGivenUp(answer: Promise<WireAnswer>, signal: AbortSignal): Promise<WireAnswer> {
  answer.catch(() => {});
  const givenUp = new Promise<never>((_resolve, reject) => {
    const end = () => reject(new Error('given up'));
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
  });
  return Promise.race([answer, givenUp]);
}
