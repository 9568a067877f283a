/** The simulated cloud on the wire: JSON over HTTP. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { listenOnLoopback } from '../../loopback-server.ts';
import { answerCall, type ApiAnswer } from './api.ts';
import { NoAnswer } from '../cloud-error.ts';
import { readBody } from '../wire/request-body.ts';
import { SimulatedCloud } from './simulated-cloud.ts';
import type { SimulatedCloudOptions } from './simulated-cloud.ts';

export interface SimulatedCloudServerOptions extends SimulatedCloudOptions {
  /** Port on 127.0.0.1; 0: a free one. @default 0 */
  readonly port?: number;
}

export interface SimulatedCloudServer {
  /** `http://127.0.0.1:<port>` */
  readonly endpoint: string;
  readonly port: number;
  /** Ends open connections and closes the journal. */
  close(): Promise<void>;
}

export async function startSimulatedCloud(options: SimulatedCloudServerOptions): Promise<SimulatedCloudServer> {
  const cloud = new SimulatedCloud(options);
  const server = await listenOnLoopback((request, response) => answer(cloud, request, response), options.port);
  return {
    ...server,
    close: async () => {
      await server.close();
      cloud.engine.close();
    },
  };
}

async function answer(cloud: SimulatedCloud, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/', headers } = request;
  const { authorization } = headers;
  try {
    send(response, await answerCall(cloud, { method, path: url, authorization, readBody: () => readBody(request) }));
  } catch (error) {
    if (error instanceof NoAnswer && error.how === 'reset') request.socket.resetAndDestroy();
  }
}

function send(response: ServerResponse, { status, retryAfter, body }: ApiAnswer): void {
  const bytes = Buffer.from(`${JSON.stringify(body)}\n`);
  if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length }).end(bytes);
}
