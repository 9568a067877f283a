/** One request on its way through the proxy: to upstream, back, and whatever befalls it. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './fault-rule.ts';
import type { Classifier, ProxiedRequest, UpstreamAnswer } from './proxied-request.ts';
import type { RecordedRequest, RequestPhase } from './recorded-request.ts';
import { readAll, withoutConnectionHeaders } from './upstream.ts';
import type { Upstream } from './upstream.ts';

export class ProxiedExchange {
  readonly #upstream: Upstream;
  readonly #request: ProxiedRequest;
  readonly #client: ServerResponse;
  readonly #learn: Classifier['learn'];

  constructor(upstream: Upstream, request: ProxiedRequest, client: ServerResponse, learn: Classifier['learn']) {
    this.#upstream = upstream;
    this.#request = request;
    this.#client = client;
    this.#learn = learn;
  }

  /** @param announce tells the hooks of a phase; true: the connection is to be cut */
  async run(
    record: RecordedRequest,
    streams: boolean,
    faults: readonly Fault[],
    announce: (phase: RequestPhase) => Promise<boolean>,
  ): Promise<void> {
    const has = (kind: Fault['kind']): boolean => faults.some((fault) => fault.kind === kind);
    const dropped = await announce('before');
    await sleepFor(faults, 'delay-request');
    // A client that is gone has, as far as anybody can tell, not sent it.
    if (dropped || has('lose-request') || this.#client.destroyed) return this.#cut(record, 'not-sent');
    const given = faults.find((fault) => fault.kind === 'answer');
    if (given !== undefined) {
      record.status = given.status;
      const body = Buffer.from(JSON.stringify(given.body ?? {}));
      const headers = { 'content-type': 'application/json', 'content-length': body.length, ...given.headers };
      this.#client.writeHead(given.status, headers);
      return this.#finish(record, body, announce);
    }
    if (streams) return this.#runStream(record, has('lose-answer'), announce);
    let answer: UpstreamAnswer;
    try {
      if (has('repeat')) await this.#ask();
      answer = await this.#ask();
    } catch (error) {
      record.error = error;
      return this.#cut(record, 'upstream-failed');
    }
    record.status = answer.status;
    this.#learn?.(this.#request, answer);
    const cut = (await announce('after-effect')) || has('lose-answer');
    if (cut) return this.#cut(record, 'lost');
    await sleepFor(faults, 'delay-answer');
    const headers = withoutConnectionHeaders(answer.headers);
    const hasBody = this.#request.method !== 'HEAD' && answer.status !== 204 && answer.status !== 304;
    if (hasBody) headers['content-length'] = answer.body.length;
    this.#client.writeHead(answer.status, headers);
    return this.#finish(record, answer.body, announce);
  }

  /** Passes the request on without a number. */
  async stream(): Promise<void> {
    try {
      await this.#pass(await this.#open());
    } catch {
      // The client sees what it would see of upstream: its connection ends.
      this.#client.destroy();
    }
  }

  async #runStream(
    record: RecordedRequest,
    loseAnswer: boolean,
    announce: (phase: RequestPhase) => Promise<boolean>,
  ): Promise<void> {
    let answer: IncomingMessage;
    try {
      answer = await this.#open();
    } catch (error) {
      record.error = error;
      return this.#cut(record, 'upstream-failed');
    }
    record.status = answer.statusCode ?? 0;
    if ((await announce('after-effect')) || loseAnswer) {
      answer.destroy();
      return this.#cut(record, 'lost');
    }
    try {
      await this.#pass(answer);
    } catch (error) {
      record.error = error;
      return this.#cut(record, 'lost');
    }
    record.outcome = 'answered';
    await announce('after-answer');
  }

  /** Upstream hears at once when the client of a stream goes away. */
  async #open(): Promise<IncomingMessage> {
    const gone = new AbortController();
    this.#client.once('close', () => gone.abort());
    return this.#upstream.send(this.#request, gone.signal);
  }

  async #ask(): Promise<UpstreamAnswer> {
    const answer = await this.#upstream.send(this.#request);
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: await readAll(answer) };
  }

  async #pass(answer: IncomingMessage): Promise<void> {
    this.#client.writeHead(answer.statusCode ?? 502, withoutConnectionHeaders(answer.headers));
    this.#client.flushHeaders();
    await pipeline(answer, this.#client);
  }

  async #finish(
    record: RecordedRequest,
    body: Buffer,
    announce: (phase: RequestPhase) => Promise<boolean>,
  ): Promise<void> {
    const isFlushed = await endWith(this.#client, body);
    record.outcome = isFlushed ? 'answered' : 'lost';
    if (isFlushed && (await announce('after-answer'))) this.#client.socket?.resetAndDestroy();
  }

  #cut(record: RecordedRequest, outcome: RecordedRequest['outcome']): void {
    record.outcome = outcome;
    if (this.#client.socket) this.#client.socket.resetAndDestroy();
    else this.#client.destroy();
  }
}

/** Resolves in the turn in which the last byte went to the connection; false: the client went away before. */
function endWith(client: ServerResponse, body: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    if (client.destroyed) resolve(false);
    client.once('finish', () => resolve(true));
    client.once('close', () => resolve(false));
    client.end(body);
  });
}

async function sleepFor(faults: readonly Fault[], kind: 'delay-request' | 'delay-answer'): Promise<void> {
  for (const fault of faults) if (fault.kind === kind) await sleep(fault.ms);
}
