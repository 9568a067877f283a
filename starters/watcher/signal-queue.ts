import pLimit, { type LimitFunction } from 'p-limit';
import type { Clock } from '../../providers/clock.ts';
import { Gate } from './gate.ts';
import { doubled } from '../../providers/doubling.ts';

export interface SignalQueueOptions<Payload> {
  /** Sends one signal. A rejection is one more try, after a back-off; `attempt` counts from 1. */
  readonly send: (payload: Payload, attempt: number) => Promise<void>;
  /** Told of each rejection, with the wait until the next try in milliseconds. */
  readonly onFailure: (payload: Payload, error: unknown, retryMs: number) => void;
  /** Most signals under way at once. */
  readonly concurrency: number;
  /**
   * Whether its workflow has not begun. Signals to these get in line a few at a time and leave a quarter of the concurrency to the
   * others: who has begun does not wait behind hundreds that are new.
   */
  readonly isNew: (payload: Payload) => boolean;
  readonly clock: Clock;
  /** First wait after a failure, in milliseconds; doubles. @default 250 */
  readonly firstRetryMs?: number;
  /** Longest wait after a failure, in milliseconds. @default 10_000 */
  readonly mostRetryMs?: number;
}

/** So many signals in a row a key may have, each after its gap. */
const MOST_IN_A_ROW = 60;
/** Then one is sent after this, in milliseconds; as slowly the row gets shorter. An object that changes for minutes is looked at once a second. */
const LASTING_GAP_MS = 1000;

interface Entry<Payload> {
  payload: Payload;
  state: 'waiting' | 'sending' | 'resting';
  /** When it is to be sent, while it waits. */
  dueAt: number;
  /** Woken while a signal was under way: the gap to the one that follows it. */
  againGapMs: number | undefined;
  /** When the last one was sent; long ago where none was. */
  sentAt: number;
  /** The longest gap that was asked for: for that long the entry has to be remembered. */
  gapMs: number;
  /** How many were sent in a row, at the time `sentAt`. */
  row: number;
  failures: number;
  callOff: (() => void) | undefined;
}

/**
 * Signals, one at a time per key: the first at once, a further one after the gap, however many wakes came meanwhile, and after a
 * longer one where there were many in a row. A signal carries nothing, so a key is either pending or not and the queue never
 * holds more than one entry per key.
 */
export class SignalQueue<Payload> {
  /** Closed: wakes are kept, and nothing is sent. */
  readonly gate = new Gate();
  readonly #options: Required<SignalQueueOptions<Payload>>;
  readonly #limit: LimitFunction;
  readonly #limitOfNew: LimitFunction;
  readonly #entries = new Map<string, Entry<Payload>>();

  constructor(options: SignalQueueOptions<Payload>) {
    this.#options = { firstRetryMs: 250, mostRetryMs: 10_000, ...options };
    this.#limit = pLimit(options.concurrency);
    this.#limitOfNew = pLimit(Math.ceil(0.75 * options.concurrency));
  }

  /** Keys that are pending or being sent. */
  get pending(): number {
    return [...this.#entries.values()].filter(({ state }) => state !== 'resting').length;
  }

  /** Keys that are remembered: these, and such as were sent of late. */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * @param gapMs least time since the key's last signal
   * @param delayMs least time from now
   */
  wake(key: string, payload: Payload, gapMs: number, delayMs = 0): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      const fresh: Entry<Payload> = {
        payload,
        state: 'waiting',
        dueAt: this.#options.clock.now() + delayMs,
        againGapMs: undefined,
        sentAt: -Infinity,
        gapMs,
        row: 0,
        failures: 0,
        callOff: undefined,
      };
      this.#entries.set(key, fresh);
      if (delayMs === 0) this.#submit(key, fresh);
      else this.#schedule(key, fresh, fresh.dueAt);
      return;
    }
    entry.payload = payload;
    entry.gapMs = Math.max(entry.gapMs, gapMs);
    if (entry.state === 'sending') {
      // Whether the signal under way came after this change is not known: another one follows it.
      entry.againGapMs = Math.min(entry.againGapMs ?? Infinity, Math.max(gapMs, delayMs));
      return;
    }
    const dueAt = Math.max(this.#options.clock.now() + delayMs, entry.sentAt + lastingGap(entry, gapMs));
    if (entry.state === 'waiting' && (entry.dueAt <= dueAt || entry.failures > 0)) return;
    entry.state = 'waiting';
    this.#schedule(key, entry, dueAt);
  }

  /** Forgets what is pending. */
  clear(): void {
    for (const { callOff } of this.#entries.values()) callOff?.();
    this.#entries.clear();
  }

  #schedule(key: string, entry: Entry<Payload>, at: number): void {
    entry.dueAt = at;
    this.#setTimer(entry, at - this.#options.clock.now(), () => this.#submit(key, entry));
  }

  #setTimer(entry: Entry<Payload>, ms: number, act: () => void): void {
    entry.callOff?.();
    entry.callOff = this.#options.clock.after(Math.max(0, ms), act);
  }

  #submit(key: string, entry: Entry<Payload>): void {
    entry.callOff?.();
    entry.callOff = undefined;
    const inLine = (): Promise<void> =>
      this.#limit(async () => {
        await this.gate.passed();
        if (this.#entries.get(key) !== entry) return;
        await this.#send(key, entry);
      });
    void (this.#options.isNew(entry.payload) ? this.#limitOfNew(inLine) : inLine());
  }

  async #send(key: string, entry: Entry<Payload>): Promise<void> {
    const { send, onFailure, firstRetryMs, mostRetryMs, clock } = this.#options;
    entry.state = 'sending';
    entry.againGapMs = undefined;
    const { payload } = entry;
    try {
      await send(payload, entry.failures + 1);
    } catch (error) {
      entry.failures += 1;
      const wait = doubled({ first: firstRetryMs, most: mostRetryMs }, entry.failures);
      const retryMs = Math.round(wait * (0.75 + clock.random() / 4));
      onFailure(payload, error, retryMs);
      if (this.#entries.get(key) !== entry) return;
      entry.state = 'waiting';
      this.#schedule(key, entry, clock.now() + retryMs);
      return;
    }
    entry.failures = 0;
    const now = clock.now();
    entry.row = Math.max(0, entry.row - (now - entry.sentAt) / LASTING_GAP_MS) + 1;
    entry.sentAt = now;
    if (this.#entries.get(key) !== entry) return;
    if (entry.againGapMs !== undefined) {
      entry.state = 'waiting';
      this.#schedule(key, entry, entry.sentAt + lastingGap(entry, entry.againGapMs));
      return;
    }
    entry.state = 'resting';
    this.#setTimer(entry, Math.max(entry.gapMs, entry.row * LASTING_GAP_MS), () => this.#entries.delete(key));
  }
}

function lastingGap({ row }: Entry<unknown>, gapMs: number): number {
  return Math.max(gapMs, (row - MOST_IN_A_ROW) * LASTING_GAP_MS);
}
