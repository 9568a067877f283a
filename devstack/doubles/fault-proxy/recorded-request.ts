import type { RequestPoint } from './request-point.ts';

/**
 * - `before`: the request is complete and nothing of it is sent upstream yet.
 * - `after-effect`: upstream has answered and nothing of the answer is passed on yet (of a stream: its head is there).
 * - `after-answer`: the last byte of the answer is handed to the client's connection.
 */
export type RequestPhase = 'before' | 'after-effect' | 'after-answer';

/** A request that was numbered. */
export interface RecordedRequest {
  readonly point: RequestPoint;
  /** When it came, in ms since 1970. */
  readonly at: number;
  /** Status of upstream's answer, or of the proxy's own; undefined: there was none (yet). */
  status?: number;
  /** How it went on; `lost`: the answer did not reach the client. */
  outcome: 'open' | 'not-sent' | 'upstream-failed' | 'lost' | 'answered';
  /** Why upstream failed, or a stream ended early. */
  error?: unknown;
}
