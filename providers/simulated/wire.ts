/** HTTP to the simulated cloud. */

import { Agent, request } from 'undici';
import type { Wire } from '../wire.ts';

/**
 * @param endpoint e.g. `http://127.0.0.1:8780`
 * @param connections the most that are open at once; further calls wait for one
 */
export function httpWire(endpoint: string, connections: number): Wire {
  const base = new URL(endpoint);
  const dispatcher = new Agent({ connections, pipelining: 1 });
  return {
    async send({ path, ...sent }) {
      const { statusCode, headers, body } = await request(new URL(path, base), {
        ...sent,
        dispatcher,
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      return { status: statusCode, retryAfter: headers['retry-after'], text: await body.text() };
    },
    close: () => dispatcher.destroy(),
  };
}
