/** What carries a provider's requests to its cloud. */

export interface WireRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Aborted: nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

export interface WireAnswer {
  readonly status: number;
  /** The header of this name. */
  readonly retryAfter?: string | string[] | undefined;
  readonly text: string;
}

export interface Wire {
  /** Rejects where no answer came. */
  send(request: WireRequest): Promise<WireAnswer>;
  close(): Promise<void>;
}
