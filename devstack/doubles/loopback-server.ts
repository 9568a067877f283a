/** HTTP servers on this machine's own address. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface LoopbackServer {
  /** `http://127.0.0.1:<port>` */
  readonly endpoint: string;
  readonly port: number;
  /** Ends open connections, too. */
  close(): Promise<void>;
}

/**
 * Listens on 127.0.0.1.
 * @param answer answers a request; it never rejects
 * @param port 0: a free one
 */
export async function listenOnLoopback(
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  port = 0,
): Promise<LoopbackServer> {
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    void answer(request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a server on 127.0.0.1 has no TCP address');
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    port: address.port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
