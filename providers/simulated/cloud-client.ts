/** Calls to the simulated cloud's API: one request each, never repeated. */

import { startDeadline, type Clock } from '../clock.ts';
import { ProviderError } from '../provider-error.ts';
import { redact } from '../redact.ts';
import { readRetryAfter } from '../retry-after.ts';
import { providerErrorOf } from './cloud-errors.ts';
import type { Wire } from '../wire.ts';
import { given } from '../given.ts';

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
  /** Runs right before the request is sent. What it throws is the answer, and nothing is sent. */
  readonly beforeSending?: () => void;
  /** Texts and bytes that must not come back in an error. */
  readonly secrets?: readonly (string | Uint8Array)[];
}

export class CloudClient {
  readonly #wire: Wire;
  readonly #clock: Clock;

  constructor(wire: Wire, clock: Clock) {
    this.#clock = clock;
    this.#wire = wire;
  }

  /**
   * The body of a successful answer, parsed.
   * @throws ProviderError and nothing else
   */
  async call(call: CloudCall): Promise<unknown> {
    const { method, path, bearer, timeoutMs, attempted, secrets = [] } = call;
    const deadline = startDeadline(this.#clock, timeoutMs);
    try {
      call.beforeSending?.();
      const answer = await this.#wire.send({
        method,
        path,
        signal: call.signal === undefined ? deadline.signal : AbortSignal.any([deadline.signal, call.signal]),
        headers: given({
          'content-type': call.body === undefined ? undefined : 'application/json',
          authorization: bearer === undefined ? undefined : `Bearer ${bearer}`,
        }),
        ...given({ body: call.body === undefined ? undefined : JSON.stringify(call.body) }),
      });
      const body = readBody(answer.text);
      if (answer.status >= 200 && answer.status < 300) return body;
      const retryAfterMs = readRetryAfter(answer.retryAfter, this.#clock.timeOfDay());
      throw providerErrorOf({
        attempted,
        isLaunch: call.isLaunch ?? false,
        status: answer.status,
        body: redact(body, secrets),
        ...given({ retryAfterMs }),
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

  close(): Promise<void> {
    return this.#wire.close();
  }
}

/** Undefined: it is no JSON; a proxy on the way answers so. */
function readBody(text: string): unknown {
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
