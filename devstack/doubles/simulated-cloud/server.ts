/** The simulated cloud on the wire: JSON over HTTP. docs/providers/simulated.md describes the API. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { listenOnLoopback } from '../loopback-server.ts';
import { isHandOperation } from './by-hand.ts';
import { CloudError, NoAnswer } from './cloud-error.ts';
import { parseJson, readBody } from './request-body.ts';
import {
  parseBehaviour,
  parseCredentials,
  parseDescribe,
  parseJoins,
  parseLaunch,
  parseOutage,
  parseTags,
} from './requests.ts';
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
      cloud.close();
    },
  };
}

async function answer(cloud: SimulatedCloud, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const body = await route(cloud, request);
    cloud.flush();
    send(response, 200, body);
  } catch (error) {
    cloud.flush();
    if (error instanceof NoAnswer) {
      if (error.how === 'reset') request.socket.resetAndDestroy();
      return;
    }
    const refusal = error instanceof CloudError ? error : new CloudError('InternalError', String(error));
    const { retryAfterMs, field } = refusal.details;
    if (retryAfterMs !== undefined) response.setHeader('retry-after', Math.ceil(retryAfterMs / 1000));
    send(response, refusal.status, {
      error: { code: refusal.code, message: refusal.message, ...(field === undefined ? {} : { field }) },
    });
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const bytes = Buffer.from(`${JSON.stringify(body)}\n`);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length }).end(bytes);
}

async function route(cloud: SimulatedCloud, request: IncomingMessage): Promise<unknown> {
  const url = new URL(request.url ?? '/', 'http://cloud');
  const { authorization } = request.headers;
  const body = request.method === 'GET' ? undefined : parseJson(await readBody(request));
  const [collection, name = '', operation = ''] = url.pathname.slice(1).split('/').map(decodeURIComponent);
  switch (`${request.method} ${url.pathname}`) {
    case 'GET /healthz':
      return { ok: true };
    case 'POST /instances':
      return { instance: await cloud.launch(parseLaunch(body), authorization) };
    case 'GET /instances':
      return { instances: cloud.hypervisorView() };
    case 'POST /instances/describe':
      return { instances: await cloud.describe(parseDescribe(body), authorization) };
    case 'GET /catalog':
      return cloud.catalog(authorization);
    case 'GET /ledger':
      return cloud.ledger(url.searchParams.get('machine') ?? undefined);
    case 'PUT /outage':
      return cloud.setOutage(parseOutage(body));
    case 'PUT /credentials':
      return cloud.setCredentials(parseCredentials(body));
    case `POST /instances/${encodeURIComponent(name)}/terminate`:
      return { instance: await cloud.terminate(name, authorization) };
    case `POST /instances/${encodeURIComponent(name)}/tags`:
      return { instance: await cloud.tag(name, parseTags(body), authorization) };
    case `POST /instances/${encodeURIComponent(name)}/joins`:
      return { instance: cloud.setJoins(name, parseJoins(body).joins) };
    case `PUT /behaviours/${name}`:
      cloud.setBehaviour(name, parseBehaviour(body));
      return cloud.behaviour(name);
    case `GET /behaviours/${name}`:
      return cloud.behaviour(name);
    default:
      if (request.method === 'POST' && collection === 'instances' && isHandOperation(operation)) {
        return { instance: cloud.byHand(operation, name) };
      }
      throw new CloudError('NoSuchOperation', `The cloud has no ${request.method} ${url.pathname}.`);
  }
}
