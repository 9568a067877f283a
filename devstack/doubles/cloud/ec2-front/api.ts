/** The EC2 front's API, whatever carries the calls: the AWS query protocol at `POST /`, switches and views as JSON beside it. */

import { isHandOperation } from '../by-hand.ts';
import { answerOf, jsonAnswer, readJsonCall, type ApiAnswer, type ApiCall } from '../wire/call.ts';
import { serveSwitch } from '../wire/switches.ts';
import { errorAnswer, type WireAnswer } from './aws-errors.ts';
import { parseEc2Behaviour } from './behaviour.ts';
import type { Ec2Front } from './ec2-front.ts';
import { QueryRequest } from './query-request.ts';

/** @throws NoAnswer and nothing else */
export function answerCall(front: Ec2Front, call: ApiCall): Promise<ApiAnswer> {
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
