/** The EC2 front on the wire: the AWS query protocol at `POST /`, switches and views as JSON beside it. */

import type { LoopbackServer } from '../../loopback-server.ts';
import { isHandOperation } from '../by-hand.ts';
import { answerOf, jsonAnswer, readJsonCall, type ApiAnswer, type ApiCall } from '../wire/call.ts';
import { startCloudServer } from '../wire/server.ts';
import { serveSwitch } from '../wire/switches.ts';
import { errorAnswer, type WireAnswer } from './aws-errors.ts';
import { parseEc2Behaviour } from './behaviour.ts';
import { Ec2Front, type Ec2FrontOptions } from './ec2-front.ts';
import { QueryRequest } from './query-request.ts';

export interface Ec2FrontServerOptions extends Ec2FrontOptions {
  /** Port on 127.0.0.1; 0: a free one. @default 0 */
  readonly port?: number;
}

/** Its endpoint is what the AWS SDKs take; its close ends open connections. */
export async function startEc2Front(options: Ec2FrontServerOptions): Promise<LoopbackServer> {
  const front = new Ec2Front(options);
  return startCloudServer({
    answer: (call) => answerCall(front, call),
    port: options.port,
    onClosed: () => front.close(),
  });
}

function answerCall(front: Ec2Front, call: ApiCall): Promise<ApiAnswer> {
  return answerOf(async () => {
    if (call.method !== 'POST' || call.path !== '/') return jsonAnswer(await route(front, call));
    const request = new QueryRequest(await call.readBody(), call.authorization);
    return answerOf(
      async () => xmlAnswer(await front.serve(request)),
      (error) => xmlAnswer(errorAnswer(error, request)),
    );
  });
}

function xmlAnswer(answer: WireAnswer): ApiAnswer {
  return { ...answer, contentType: 'text/xml;charset=UTF-8' };
}

async function route(front: Ec2Front, call: ApiCall): Promise<unknown> {
  const read = await readJsonCall(call);
  const { what, name, operation, query, body } = read;
  if (what === 'GET /ledger') return front.ledger(query.get('machine') ?? undefined);
  if (what === 'PUT /disturbances') return { disturbances: front.disturbances.replace(body) };
  if (what === `POST /instances/${name}/${operation}` && isHandOperation(operation)) {
    return { instance: await front.byHand(operation, name) };
  }
  return serveSwitch(front.engine, parseEc2Behaviour, read);
}
