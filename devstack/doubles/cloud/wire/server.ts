/** A cloud on the wire. */

import { listenOnLoopback, type LoopbackServer } from '../../loopback-server.ts';
import { NoAnswer } from '../cloud-error.ts';
import type { ApiAnswer, ApiCall } from './call.ts';
import { readBody } from './request-body.ts';

export interface CloudServerOptions {
  /** Rejects with NoAnswer and nothing else. */
  readonly answer: (call: ApiCall) => Promise<ApiAnswer>;
  /** Port on 127.0.0.1; 0: a free one. @default 0 */
  readonly port?: number | undefined;
  /** Called when no connection is open any more. */
  readonly onClosed: () => void | Promise<void>;
}

export async function startCloudServer({ answer, port, onClosed }: CloudServerOptions): Promise<LoopbackServer> {
  const server = await listenOnLoopback(async (request, response) => {
    const { method = 'GET', url = '/', headers } = request;
    const call = { method, path: url, authorization: headers.authorization, readBody: () => readBody(request) };
    try {
      const { status, retryAfter, contentType, body } = await answer(call);
      const bytes = Buffer.from(body);
      if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
      response.writeHead(status, { 'content-type': contentType, 'content-length': bytes.length }).end(bytes);
    } catch (error) {
      if (error instanceof NoAnswer && error.how === 'reset') request.socket.resetAndDestroy();
    }
  }, port);
  return {
    ...server,
    close: async () => {
      await server.close();
      await onClosed();
    },
  };
}

/** Ends the server of this process when somebody asks it to. */
export function closeOnSignal(server: LoopbackServer): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      void server.close();
    });
  }
}
