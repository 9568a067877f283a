/** Calls of a cloud and their answers, whatever carries them. */

import { CloudError, NoAnswer } from '../cloud-error.ts';
import { parseRequestBody } from './request-body.ts';
import { given } from '../../../../providers/given.ts';

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
  readonly contentType: string;
  readonly body: string;
}

/** A call in JSON, taken apart: `POST /instances/i-1/tags` has the name `i-1` and the operation `tags`. */
export interface JsonCall {
  /** Method and path. */
  readonly what: string;
  readonly name: string;
  readonly operation: string;
  readonly query: URLSearchParams;
  /** Undefined: of a GET. */
  readonly body: unknown;
}

/** @throws CloudError MalformedRequest */
export async function readJsonCall({ method, path, readBody }: ApiCall): Promise<JsonCall> {
  const url = new URL(path, 'http://cloud');
  const segments = url.pathname.slice(1).split('/').map(decodeURIComponent);
  const [, name = '', operation = ''] = segments;
  const body = method === 'GET' ? undefined : parseRequestBody(await readBody());
  return { what: `${method} /${segments.join('/')}`, name, operation, query: url.searchParams, body };
}

export function jsonAnswer(body: unknown, status = 200): ApiAnswer {
  return { status, contentType: 'application/json', body: `${JSON.stringify(body)}\n` };
}

/**
 * What a call gets, an error included.
 * @param refuse how an error is written. @default in JSON
 * @throws NoAnswer and nothing else
 */
export async function answerOf(
  run: () => Promise<ApiAnswer>,
  refuse: (error: CloudError) => ApiAnswer = jsonError,
): Promise<ApiAnswer> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof NoAnswer) throw error;
    const refusal = error instanceof CloudError ? error : new CloudError('InternalError', String(error));
    const { retryAfterMs } = refusal.details;
    const answer = refuse(refusal);
    return retryAfterMs === undefined ? answer : { ...answer, retryAfter: Math.ceil(retryAfterMs / 1000) };
  }
}

function jsonError({ code, message, status, details: { field } }: CloudError): ApiAnswer {
  return jsonAnswer({ error: { code, message, ...given({ field }) } }, status);
}
