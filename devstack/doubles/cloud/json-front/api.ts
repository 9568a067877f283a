/** The simulated cloud's API, whatever carries the calls. docs/providers/simulated.md describes it. */

import { parseCredentials, parseOutage } from '../access.ts';
import { isHandOperation, parseJoins } from '../by-hand.ts';
import { CloudError, NoAnswer } from '../cloud-error.ts';
import { parseJson } from '../wire/request-body.ts';
import { parseBehaviour } from './behaviour.ts';
import { parseDescribe, parseLaunch, parseTags } from './requests.ts';
import type { SimulatedCloud } from './simulated-cloud.ts';

export interface ApiCall {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly authorization: string | undefined;
  readonly readBody: () => Promise<string>;
}

export interface ApiAnswer {
  readonly status: number;
  /** The header `retry-after`, in seconds. */
  readonly retryAfter?: number;
  readonly body: unknown;
}

/** @throws NoAnswer and nothing else */
export async function answerCall(cloud: SimulatedCloud, call: ApiCall): Promise<ApiAnswer> {
  try {
    return { status: 200, body: await route(cloud, call) };
  } catch (error) {
    if (error instanceof NoAnswer) throw error;
    const refusal = error instanceof CloudError ? error : new CloudError('InternalError', String(error));
    const { code, message, status } = refusal;
    const { retryAfterMs, field } = refusal.details;
    return {
      status,
      ...(retryAfterMs === undefined ? {} : { retryAfter: Math.ceil(retryAfterMs / 1000) }),
      body: { error: { code, message, ...(field === undefined ? {} : { field }) } },
    };
  } finally {
    cloud.engine.flush();
  }
}

async function route(cloud: SimulatedCloud, { method, path, authorization, readBody }: ApiCall): Promise<unknown> {
  const url = new URL(path, 'http://cloud');
  const body = method === 'GET' ? undefined : parseJson(await readBody());
  const [collection, name = '', operation = ''] = url.pathname.slice(1).split('/').map(decodeURIComponent);
  switch (`${method} ${url.pathname}`) {
    case 'GET /healthz':
      return { ok: true };
    case 'POST /instances':
      return { instance: await cloud.launch(parseLaunch(body), authorization) };
    case 'GET /instances':
      return { instances: cloud.engine.hypervisorView() };
    case 'POST /instances/describe':
      return { instances: await cloud.describe(parseDescribe(body), authorization) };
    case 'GET /catalog':
      return cloud.catalog(authorization);
    case 'GET /ledger':
      return cloud.engine.ledger(url.searchParams.get('machine') ?? undefined);
    case 'PUT /outage':
      return cloud.engine.door.setOutage(parseOutage(body));
    case 'PUT /credentials':
      return cloud.engine.door.setCredentials(parseCredentials(body));
    case `POST /instances/${encodeURIComponent(name)}/terminate`:
      return { instance: await cloud.terminate(name, authorization) };
    case `POST /instances/${encodeURIComponent(name)}/tags`:
      return { instance: await cloud.tag(name, parseTags(body), authorization) };
    case `POST /instances/${encodeURIComponent(name)}/joins`:
      return { instance: cloud.engine.describe(cloud.engine.setJoins(name, parseJoins(body).joins)) };
    case `PUT /behaviours/${name}`:
      cloud.engine.setBehaviour(name, parseBehaviour(body));
      return cloud.engine.behaviour(name);
    case `GET /behaviours/${name}`:
      return cloud.engine.behaviour(name);
    default:
      if (method === 'POST' && collection === 'instances' && isHandOperation(operation)) {
        return { instance: cloud.engine.describe(cloud.engine.byHand(operation, name)) };
      }
      throw new CloudError('NoSuchOperation', `The cloud has no ${method} ${url.pathname}.`);
  }
}
