/** Calls to the simulated cloud's HTTP API: one request each, never repeated. */

import { Agent, request } from 'undici';
import { startDeadline, type Clock } from '../clock.ts';
import { ProviderError } from '../provider.ts';
import { redact } from '../redact.ts';
import { readRetryAfter } from '../retry-after.ts';
import { providerErrorOf } from './cloud-errors.ts';

export interface CloudClientOptions {
  readonly clock: Clock;
  /** e.g. `http://127.0.0.1:8780` */
  readonly endpoint: string;
  /** Most connections that are open at once; further calls wait for one. */
  readonly connections: number;
}

export interface CloudCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  /** Shown as `Authorization: Bearer`. */
  readonly bearer?: string;
  /** The call fails with DeadlineExceeded when its answer is not complete after this long, in ms. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** For messages: what, on what. */
  readonly attempted: string;
  readonly isLaunch?: boolean;
  /** Texts and bytes that must not come back in an error. */
  readonly secrets?: readonly (string | Uint8Array)[];
}

export class CloudClient {
  readonly #endpoint: URL;
  readonly #agent: Agent;
  readonly #clock: Clock;

  constructor({ endpoint, connections, clock }: CloudClientOptions) {
    this.#clock = clock;
    this.#endpoint = new URL(endpoint);
    this.#agent = new Agent({ connections, pipelining: 1 });
  }

  /**
   * The body of a successful answer, parsed.
   * @throws ProviderError and nothing else
   */
  async call(call: CloudCall): Promise<unknown> {
    const { method, path, bearer, timeoutMs, attempted, secrets = [] } = call;
    const deadline = startDeadline(this.#clock, timeoutMs);
    try {
      const answer = await request(new URL(path, this.#endpoint), {
        method,
        dispatcher: this.#agent,
        signal: call.signal === undefined ? deadline.signal : AbortSignal.any([deadline.signal, call.signal]),
        headersTimeout: 0,
        bodyTimeout: 0,
        headers: {
          ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        },
        ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      });
      const body = parseJson(await answer.body.text());
      if (answer.statusCode >= 200 && answer.statusCode < 300) return body;
      const retryAfterMs = readRetryAfter(answer.headers['retry-after'], this.#clock.timeOfDay());
      throw providerErrorOf({
        attempted,
        isLaunch: call.isLaunch ?? false,
        status: answer.statusCode,
        body: redact(body, secrets),
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      });
    } catch (error) {
      if (error instanceof ProviderError) throw error;
      if (call.signal?.aborted) throw new ProviderError('Canceled', `${attempted}: given up before an answer came`);
      if (deadline.signal.aborted) {
        throw new ProviderError('DeadlineExceeded', `${attempted}: no answer within ${timeoutMs} ms`);
      }
      throw new ProviderError('Unavailable', `${attempted}: no answer: ${redact(reasonOf(error), secrets)}`);
    } finally {
      deadline.callOff();
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return error.message === '' ? code : `${code}: ${error.message}`;
}
