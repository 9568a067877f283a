/** Has the SDK's clients send their requests by a {@link Wire}. */

import type { Wire } from '../wire.ts';
import { given } from '../given.ts';

/** As the SDK makes its requests: a form in the body. */
interface SdkRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** @returns what the SDK calls a request handler */
export function handlerOf(wire: Wire) {
  const never = new AbortController().signal;
  return {
    async handle(
      { path, headers, body }: SdkRequest,
      { abortSignal = never }: { readonly abortSignal?: AbortSignal } = {},
    ) {
      const sent = typeof body === 'string' ? { body } : {};
      const { status, retryAfter, text } = await wire.send({
        method: 'POST',
        path,
        headers,
        ...sent,
        signal: abortSignal,
      });
      const answered = given({ 'retry-after': retryAfter === undefined ? undefined : String(retryAfter) });
      return { response: { statusCode: status, headers: answered, body: Buffer.from(text) } };
    },
    destroy: () => void wire.close(),
    updateHttpClientConfig() {},
    httpHandlerConfigs: () => ({}),
  };
}
