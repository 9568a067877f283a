import { Client, Connection, isGrpcServiceError, type ClientInterceptors } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import type { Logger } from 'pino';
import { delay, type Clock } from '../../providers/clock.ts';
import type { TemporalConnection } from '../../process/temporal-connection.ts';
import { describeTemporalFailure } from '../../process/temporal-failure.ts';

export interface TemporalLinkOptions {
  readonly temporal: Pick<TemporalConnection, 'address' | 'namespace'>;
  readonly connection: Connection;
  /** What counts and traces the calls. */
  readonly interceptors: ClientInterceptors;
  /** Time limit of one request, in milliseconds. */
  readonly timeoutMs: number;
  /** Between two looks at the namespace, in milliseconds. */
  readonly pollMs: number;
  /**
   * The namespace is another one than before: at the first look, and where the server came back with its database lost.
   * Called until it resolves; the link counts as down meanwhile.
   */
  readonly prepare: (id: string) => Promise<void>;
  readonly onUp: () => void;
  readonly onDown: () => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Between two looks while Temporal is away, in milliseconds. */
const AWAY_POLL_MS = 1000;

/** Opened with the first request. */
export function connectLazily({ address, access }: TemporalConnection): Connection {
  return Connection.lazy({
    address,
    ...access,
    // No retries underneath: who calls has their own, and knows whether the call still matters.
    interceptors: [],
    // gRPC's own wait between two connections grows to two minutes.
    channelArgs: { 'grpc.initial_reconnect_backoff_ms': 200, 'grpc.max_reconnect_backoff_ms': 2000 },
  });
}

/** The connection to Temporal, and what is known of its being there. */
export class TemporalLink {
  readonly connection: Connection;
  readonly client: Client;
  readonly #options: TemporalLinkOptions;
  readonly #ended = new AbortController();
  #look = new AbortController();
  #prepared: string | undefined;
  #isUp = false;
  #running: Promise<void> | undefined;

  constructor(options: TemporalLinkOptions) {
    this.#options = options;
    const { temporal, connection, interceptors } = options;
    this.connection = connection;
    this.client = new Client({ connection, namespace: temporal.namespace, interceptors });
  }

  /** True while the server answers and its namespace is prepared. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** Of a request that is sent now. */
  get #deadline(): number {
    const { clock, timeoutMs } = this.#options;
    return clock.timeOfDay() + timeoutMs;
  }

  start(): void {
    this.#running = this.#watch();
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    this.#look.abort();
    await this.#running;
    await this.connection.close();
  }

  /** A request with the time limit of this link. One that gets no answer, or finds no namespace, takes the link down. */
  async call<T>(request: () => Promise<T>): Promise<T> {
    try {
      return await this.connection.withDeadline(this.#deadline, request);
    } catch (error) {
      if (this.#isUp && isNoAnswer(error)) this.#down(error);
      // A namespace without its search attributes is another one: see to it now.
      else if (codeOf(error) === INVALID_ARGUMENT) this.#look.abort();
      throw error;
    }
  }

  async #watch(): Promise<void> {
    const { pollMs, clock } = this.#options;
    while (!this.#ended.signal.aborted) {
      await this.#check();
      if (this.#ended.signal.aborted) return;
      this.#look = new AbortController();
      const wait = this.#isUp ? pollMs : Math.min(pollMs, AWAY_POLL_MS);
      await delay(clock, wait, this.#look.signal);
      if (this.#look.signal.aborted) await delay(clock, AWAY_POLL_MS / 4);
    }
  }

  async #check(): Promise<void> {
    const { temporal, prepare, onUp, log } = this.#options;
    const { namespace } = temporal;
    try {
      const { namespaceInfo } = await this.connection.withDeadline(this.#deadline, () =>
        this.connection.workflowService.describeNamespace({ namespace }),
      );
      const id = namespaceInfo?.id ?? '';
      if (id !== this.#prepared) {
        if (this.#prepared !== undefined) {
          this.#down(`Temporal namespace ${namespace} has another id than before: its workflows are lost`);
        }
        await prepare(id);
        this.#prepared = id;
      }
      if (this.#isUp) return;
      this.#isUp = true;
      log.info({ namespace, id }, 'Temporal is there');
      onUp();
    } catch (error) {
      if (this.#isUp) this.#down(error);
      else log.warn({ error: describeTemporalFailure(error) }, `Temporal at ${temporal.address} is not ready`);
    }
  }

  #down(reason: unknown): void {
    this.#isUp = false;
    this.#options.log.warn({ error: describeTemporalFailure(reason) }, 'Temporal is away: signals wait');
    this.#options.onDown();
    this.#look.abort();
  }
}

const INVALID_ARGUMENT = 3;
const DEADLINE_EXCEEDED = 4;
const UNAVAILABLE = 14;

function codeOf(error: unknown): number | undefined {
  if (isGrpcServiceError(error)) return error.code;
  return error instanceof Error && error.cause !== undefined ? codeOf(error.cause) : undefined;
}

function isNoAnswer(error: unknown): boolean {
  const code = codeOf(error);
  return error instanceof NamespaceNotFoundError || code === UNAVAILABLE || code === DEADLINE_EXCEEDED;
}
