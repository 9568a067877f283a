import type { Logger } from 'pino';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { delay, type Clock } from '../../providers/clock.ts';
import { describeWorkflow } from '../../process/logging.ts';
import { describeTemporalFailure } from '../../process/temporal-failure.ts';
import type { ObjectFacts, ObjectIndex } from './object-index.ts';
import { isPaced, paceOf, type Pace } from './pace.ts';
import { SignalQueue } from './signal-queue.ts';
import { sweep } from './sweep.ts';
import type { Wake } from './wake.ts';
import type { SendTarget, WakeSender } from './wake-sender.ts';
import type { DefaultedWatcherOptions } from './watcher-options.ts';

/** Sweeps that are asked for within this time are one, in milliseconds. */
const SWEEP_DELAY_MS = 100;

export interface WakerOptions {
  readonly index: ObjectIndex;
  /** Whether everything is in the index. */
  readonly isSynced: () => boolean;
  /** Whether this watcher is the one that signals. */
  readonly isHeld: () => boolean;
  readonly pace: Pick<DefaultedWatcherOptions, 'concurrency' | 'signalGapMs' | 'ownerSignalGapMs' | 'sweepPerSecond'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Signals workflows: one at its pace when something changed, and all of them when this watcher cannot know what changed. */
export class Waker {
  readonly #options: WakerOptions;
  readonly #queue: SignalQueue<SendTarget>;
  #sender: WakeSender | undefined;
  #sweeping = new AbortController();
  /** Ends the wakes that one change of a MachineClass or a Cluster is for. */
  #pacing = new AbortController();
  #isUnswept = true;
  #isEnded = false;

  constructor(options: WakerOptions) {
    this.#options = options;
    this.#queue = new SignalQueue<SendTarget>({
      send: async (target) => this.#sender?.send(target),
      onFailure: (target, error, retryMs) => this.#reportFailure(target, error, retryMs),
      concurrency: options.pace.concurrency,
      isNew: (target) => typeof target !== 'string' && isNewMachine(options.index.find(target)),
      clock: options.clock,
    });
    this.#queue.gate.close();
  }

  /** Workflows that are to be signalled, or were a moment ago. */
  get pending(): number {
    return this.#queue.pending;
  }

  /** Whether it is known whose workflows are signalled. */
  get isClusterKnown(): boolean {
    return this.#sender !== undefined;
  }

  /** Whether all is there that it takes to signal everything. */
  get isActive(): boolean {
    const { isSynced, isHeld } = this.#options;
    return !this.#isEnded && this.#sender !== undefined && isSynced() && isHeld() && this.#queue.gate.isOpen;
  }

  /** The cluster is known: from now on signals are sent by this. */
  sendBy(sender: WakeSender): void {
    this.#sender = sender;
    this.requestSweep('the cluster is known');
  }

  /** Temporal's namespace is another one than before: what was signalled in the old one counts for nothing. */
  forgetSweep(): void {
    this.#isUnswept = true;
  }

  /** Temporal answers. */
  resume(): void {
    this.#queue.gate.open();
    if (this.#isUnswept) this.requestSweep('the Temporal namespace is new to this watcher');
  }

  /** Temporal is away: what is to be signalled is kept. */
  hold(): void {
    this.#queue.gate.close();
  }

  /** Another watcher signals from now on, and who becomes active next signals everything. */
  standBy(): void {
    this.#sweeping.abort();
    this.#pacing.abort();
    this.#pacing = new AbortController();
    this.#queue.clear();
  }

  stop(): void {
    this.#isEnded = true;
    this.#sweeping.abort();
    this.#pacing.abort();
    this.#queue.clear();
  }

  wakeAll(wakes: readonly Wake[]): void {
    const { isHeld, pace, clock, log } = this.#options;
    if (!isHeld()) return;
    const paced: Wake[] = [];
    for (const wake of wakes) {
      log.debug({ target: wake.target, because: wake.because }, 'wake');
      if (isPaced(wake)) paced.push(wake);
      else this.#wake(paceOf(wake, pace));
    }
    if (paced.length === 0) return;
    const until = { clock, signal: this.#pacing.signal };
    void sweep(paced, pace.sweepPerSecond, until, (wake) => this.#wake(paceOf(wake, pace)));
  }

  /** At once, but for the least time between two signals. */
  wakeNow(target: SendTarget): void {
    this.#wake({ target, gapMs: this.#options.pace.signalGapMs, delayMs: 0 });
  }

  /** Those that a cluster has one of each: they are started where they do not run. */
  wakeClusterWorkflows(): void {
    this.wakeNow('inventory');
    this.wakeNow('safety');
  }

  /** Starts the workflow of an object that has none. True where it was started. */
  async ensure(ref: ObjectRef): Promise<boolean> {
    return (await this.#sender?.ensure(ref)) ?? false;
  }

  /** Signals everything, paced, once all that it takes is there: each of those asks for it when it comes. */
  requestSweep(why: string): void {
    if (!this.isActive) {
      this.#isUnswept = true;
      return;
    }
    this.#isUnswept = false;
    this.#sweeping.abort();
    this.#sweeping = new AbortController();
    void this.#sweep(why, this.#sweeping.signal);
  }

  #wake({ target, gapMs, delayMs }: Pace): void {
    // Before the cluster is known nothing is sent; a sweep follows.
    if (this.#sender !== undefined) this.#queue.wake(this.#sender.keyOf(target), target, gapMs, delayMs);
  }

  async #sweep(why: string, signal: AbortSignal): Promise<void> {
    const { index, pace, clock, log } = this.#options;
    await delay(clock, SWEEP_DELAY_MS, signal);
    if (signal.aborted) return;
    const refs = index.refs();
    log.info({ why, objects: refs.length }, 'signalling everything');
    this.wakeClusterWorkflows();
    await sweep(refs, pace.sweepPerSecond, { clock, signal }, (ref) => this.wakeNow(ref));
  }

  #reportFailure(target: SendTarget, error: unknown, retryMs: number): void {
    // That Temporal is away is said once, by the link.
    if (!this.#queue.gate.isOpen) return;
    const workflow = describeWorkflow(this.#sender?.keyOf(target) ?? '');
    const { log } = this.#options;
    log.warn({ ...workflow, error: describeTemporalFailure(error), retryMs }, 'could not signal; trying again');
  }
}

/** Its workflow says a phase as soon as it has begun. */
function isNewMachine(facts: ObjectFacts | undefined): boolean {
  return facts?.role === 'machine' && facts.phase === undefined;
}
