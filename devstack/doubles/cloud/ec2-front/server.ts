/** The EC2 front on the wire: the AWS query protocol at `POST /`, switches and views as JSON beside it. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { listenOnLoopback } from '../../loopback-server.ts';
import { parseCredentials, parseOutage } from '../access.ts';
import { isHandOperation, parseJoins } from '../by-hand.ts';
import { CloudError, NoAnswer } from '../cloud-error.ts';
import { parseJson, readBody } from '../wire/request-body.ts';
import { errorAnswer } from './aws-errors.ts';
import { parseEc2Behaviour } from './behaviour.ts';
import { Ec2Front, type Ec2FrontOptions } from './ec2-front.ts';
import { QueryRequest } from './query-request.ts';

export interface Ec2FrontServerOptions extends Ec2FrontOptions {
  /** Port on 127.0.0.1; 0: a free one. @default 0 */
  readonly port?: number;
}

export interface Ec2FrontServer {
  /** `http://127.0.0.1:<port>`: what the AWS SDKs take as endpoint. */
  readonly endpoint: string;
  /** Ends open connections. */
  close(): Promise<void>;
}

export async function startEc2Front(options: Ec2FrontServerOptions): Promise<Ec2FrontServer> {
  const front = new Ec2Front(options);
  const server = await listenOnLoopback((request, response) => answer(front, request, response), options.port);
  return {
    endpoint: server.endpoint,
    close: async () => {
      await server.close();
      await front.close();
    },
  };
}

async function answer(front: Ec2Front, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const body = await readBody(incoming);
    const { pathname } = new URL(incoming.url ?? '/', 'http://front');
    if (incoming.method === 'POST' && pathname === '/') {
      return await answerAws(front, new QueryRequest(body, incoming.headers.authorization), response);
    }
    send(response, 200, 'application/json', `${JSON.stringify(await route(front, incoming, body))}\n`);
  } catch (error) {
    if (error instanceof NoAnswer) {
      if (error.how === 'reset') incoming.socket.resetAndDestroy();
      return;
    }
    const { code, message, status } = asCloudError(error);
    send(response, status, 'application/json', `${JSON.stringify({ error: { code, message } })}\n`);
  }
}

async function answerAws(front: Ec2Front, request: QueryRequest, response: ServerResponse): Promise<void> {
  try {
    const { status, body } = await front.serve(request);
    send(response, status, 'text/xml;charset=UTF-8', body);
  } catch (error) {
    if (error instanceof NoAnswer) throw error;
    const refusal = asCloudError(error);
    const { retryAfterMs } = refusal.details;
    if (retryAfterMs !== undefined) response.setHeader('retry-after', Math.ceil(retryAfterMs / 1000));
    const { status, body } = errorAnswer(refusal, request);
    send(response, status, 'text/xml;charset=UTF-8', body);
  }
}

function asCloudError(error: unknown): CloudError {
  return error instanceof CloudError ? error : new CloudError('InternalError', String(error));
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, { 'content-type': type, 'content-length': bytes.length }).end(bytes);
}

async function route(front: Ec2Front, incoming: IncomingMessage, body: string): Promise<unknown> {
  const url = new URL(incoming.url ?? '/', 'http://front');
  const [collection, name = '', operation = ''] = url.pathname.slice(1).split('/').map(decodeURIComponent);
  const json = (): unknown => parseJson(body);
  switch (`${incoming.method} /${collection}${name === '' ? '' : '/{name}'}`) {
    case 'GET /healthz':
      return { ok: true };
    case 'GET /ledger':
      return front.ledger(url.searchParams.get('machine') ?? undefined);
    case 'GET /instances':
      return { instances: front.engine.hypervisorView() };
    case 'PUT /behaviours/{name}':
      front.engine.setBehaviour(name, parseEc2Behaviour(json()));
      return front.engine.behaviour(name);
    case 'GET /behaviours/{name}':
      return front.engine.behaviour(name);
    case 'PUT /disturbances':
      return { disturbances: front.disturbances.replace(json()) };
    case 'PUT /outage':
      return front.engine.door.setOutage(parseOutage(json()));
    case 'PUT /credentials':
      return front.engine.door.setCredentials(parseCredentials(json()));
    case 'POST /instances/{name}':
      if (operation === 'joins') {
        return { instance: front.engine.describe(front.engine.setJoins(name, parseJoins(json()).joins)) };
      }
      if (isHandOperation(operation)) {
        return { instance: await front.byHand(operation, name) };
      }
  }
  throw new CloudError('NoSuchOperation', `The EC2 front has no ${incoming.method} ${url.pathname}.`);
}
