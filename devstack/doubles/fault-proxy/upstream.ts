/** The server behind the proxy. */

import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { ProxiedRequest } from './proxied-request.ts';
import { given } from '../../../providers/given.ts';

export interface UpstreamTls {
  /** PEM of the authority that signed the server's certificate. @default Node's own authorities */
  readonly ca?: string | Buffer;
  /** PEM of a client certificate and its key, shown for every request. @default none */
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
}

/** Headers that belong to one connection and not to the message. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export function withoutConnectionHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !CONNECTION_HEADERS.has(name)));
}

export class Upstream {
  readonly #target: URL;
  readonly #agent: HttpAgent | HttpsAgent;
  readonly #request: typeof httpRequest;

  constructor(target: string, tls: UpstreamTls = {}) {
    this.#target = new URL(target);
    const isHttps = this.#target.protocol === 'https:';
    this.#agent = isHttps ? new HttpsAgent({ ...tls, keepAlive: true }) : new HttpAgent({ keepAlive: true });
    this.#request = isHttps ? httpsRequest : httpRequest;
  }

  /** Resolves with the head of the answer; its body is still to be read. */
  send({ method, url, headers, body }: ProxiedRequest, signal?: AbortSignal): Promise<IncomingMessage> {
    const sent = withoutConnectionHeaders(headers);
    // Answers are looked into: they have to come as they are.
    delete sent['accept-encoding'];
    delete sent['expect'];
    sent['host'] = this.#target.host;
    if (body.length > 0 || headers['content-length'] !== undefined) sent['content-length'] = body.length;
    return new Promise((resolve, reject) => {
      const request = this.#request(
        new URL(url, this.#target),
        { method, headers: sent, agent: this.#agent, ...given({ signal }) },
        resolve,
      );
      request.on('error', reject);
      request.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

export async function readAll(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
