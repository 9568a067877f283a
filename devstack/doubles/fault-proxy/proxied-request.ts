import type { IncomingHttpHeaders } from 'node:http';
import type { ClassifiedRequest } from './request-point.ts';

/** A request as the proxy got it. */
export interface ProxiedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The complete answer of the upstream. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Knows one API. Spread into the options of the proxy. */
export interface Classifier {
  /** undefined: the request is passed on without a number, a hook or a fault. */
  readonly classify: (request: ProxiedRequest) => ClassifiedRequest | undefined;
  /** Called with each complete answer, for APIs whose requests name an object by an id that an answer gave. */
  readonly learn?: (request: ProxiedRequest, answer: UpstreamAnswer) => void;
}

/** The body as JSON; undefined where it is none. */
export function parseBody({ body }: { readonly body: Buffer }): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** A value inside JSON, by the path to it; undefined where there is none. */
export function pick(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = Object.entries(current).find(([name]) => name === key)?.[1];
  }
  return current;
}

/** As {@link pick}, for texts; empty where there is none. */
export function pickText(value: unknown, ...path: readonly string[]): string {
  const found = pick(value, ...path);
  return typeof found === 'string' ? found : '';
}
