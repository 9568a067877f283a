/** The way to moto. */

import pLimit from 'p-limit';
import { Agent, request as httpRequest } from 'undici';
import { errorOfMoto, type WireAnswer } from './aws-errors.ts';
import type { QueryRequest } from './query-request.ts';

/** Longest wait for an answer of moto, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** Who does most of EC2's work. */
export interface Moto {
  /** Passes a call on, perhaps with other parameters. An error in the answer is thrown as CloudError. */
  call(request: QueryRequest, params?: URLSearchParams): Promise<WireAnswer>;
  close(): Promise<void>;
}

export class MotoClient implements Moto {
  readonly #url: string;
  /** moto closes each connection after its answer. */
  readonly #agent = new Agent({ pipelining: 0 });
  /** Its backends are plain Python objects, which threads change under each other's hands: one call at a time. */
  readonly #oneAtATime = pLimit(1);

  constructor(url: string) {
    this.#url = url;
  }

  async call(request: QueryRequest, params: URLSearchParams = request.params): Promise<WireAnswer> {
    const answer = await this.#oneAtATime(() => this.#send(params, request));
    if (answer.status >= 400) throw errorOfMoto(answer, params.get('Action') ?? request.action);
    return answer;
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  /** moto reads account, service and region out of the signature and does not check it. */
  async #send(
    params: URLSearchParams,
    { accessKeyId = 'front', region, service }: Pick<QueryRequest, 'accessKeyId' | 'region' | 'service'>,
  ): Promise<WireAnswer> {
    const credential = `${accessKeyId}/20000101/${region}/${service}/aws4_request`;
    const { statusCode, body } = await httpRequest(this.#url, {
      dispatcher: this.#agent,
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
        authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=0`,
      },
      body: params.toString(),
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    });
    return { status: statusCode, body: await body.text() };
  }
}
