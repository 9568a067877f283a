import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { KubeClient } from '../k8s/client.ts';
import { KubeError } from '../k8s/kube-error.ts';
import { readLease, writeLease, writtenAt, type Lease } from '../k8s/lease.ts';
import type { Clock } from '../providers/clock.ts';
import { claimLease, holderIdentity, type Contender } from './lease-record.ts';

export interface HeldLeaseOptions {
  readonly kube: KubeClient;
  /** What those are called of whom one holds it, e.g. `watcher`: for the log. */
  readonly who: string;
  readonly fieldManager: string;
  readonly name: string;
  readonly namespace: string;
  readonly durationSeconds: number;
  /** Between two renewals, or two looks of a standby, in milliseconds. */
  readonly renewMs: number;
  /** @param unheldMs how long nobody had renewed it before, in milliseconds, by the API server's clock. Undefined: nobody ever had, or it is not known */
  readonly onHeld: (unheldMs?: number) => void;
  readonly onLost: () => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * The Lease that makes one of several processes the active one. It is for those of which two active ones are harmless: where
 * the API server is in trouble nothing changes, and who was active stays so.
 */
export class HeldLease {
  readonly #options: HeldLeaseOptions;
  readonly #contender: Contender;
  #state: 'unknown' | 'held' | 'standby' = 'unknown';
  #callOff: (() => void) | undefined;
  #round: Promise<void> = Promise.resolve();
  #stopped = false;
  #isRefused = false;

  constructor(options: HeldLeaseOptions) {
    this.#options = options;
    const host = hostname();
    const identity = holderIdentity(host, process.pid, randomDigits(options.clock));
    this.#contender = { identity, host, isAlive };
  }

  get state(): 'unknown' | 'held' | 'standby' {
    return this.#state;
  }

  start(): void {
    this.#round = this.#contend();
  }

  /** Lets go, so that another process need not wait for the end of the term. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#callOff?.();
    await this.#round;
    if (this.#state === 'held' && !this.#isRefused) await this.#release();
  }

  async #contend(): Promise<void> {
    const { renewMs, clock, log } = this.#options;
    try {
      await this.#tryOnce();
      // An API server that has just started refuses everybody for a moment.
      this.#isRefused = false;
    } catch (error) {
      if (error instanceof KubeError && error.status === 403) this.#actWithout(error);
      else log.warn({ error: String(error), state: this.#state }, 'could not read or renew the Lease; nothing changes');
    }
    if (!this.#stopped) this.#callOff = clock.after(renewMs, () => this.start());
  }

  async #tryOnce(): Promise<void> {
    const { kube, who, fieldManager, name, namespace, durationSeconds, clock } = this.#options;
    const lease = await readLease(kube, namespace, name);
    const spec = claimLease(lease?.spec ?? {}, this.#contender, durationSeconds, clock.timeOfDay());
    if (spec === undefined) this.#become('standby', lease?.spec?.holderIdentity);
    else {
      const written = await writeLease(kube, { namespace, name, lease, spec, fieldManager });
      if (written !== undefined)
        this.#become('held', this.#contender.identity, unheldMs([lease, written], fieldManager));
      else if (this.#state === 'unknown') this.#become('standby', `another ${who}`);
    }
  }

  #become(state: 'held' | 'standby', holder: string | undefined, unheld?: number): void {
    if (state === this.#state) return;
    const { log, who, name, namespace, onHeld, onLost } = this.#options;
    log.info({ lease: `${namespace}/${name}`, holder }, state === 'held' ? `this ${who} is active` : 'standing by');
    const before = this.#state;
    this.#state = state;
    if (state === 'held') onHeld(unheld);
    else if (before === 'held') onLost();
  }

  #actWithout(error: KubeError): void {
    if (this.#isRefused) return;
    this.#isRefused = true;
    const { log, who } = this.#options;
    log.warn({ error: error.message }, `may not use the Lease; active without it, as every other ${who}`);
    this.#become('held', this.#contender.identity);
  }

  async #release(): Promise<void> {
    const { kube, fieldManager, name, namespace, log } = this.#options;
    const notReleased = 'the Lease could not be released; it runs out by itself';
    try {
      const lease = await readLease(kube, namespace, name);
      if (lease?.spec?.holderIdentity !== this.#contender.identity) return;
      const spec = { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1 };
      const released = await writeLease(kube, { namespace, name, lease, spec, fieldManager });
      if (released === undefined) log.warn({ error: 'somebody else has written it meanwhile' }, notReleased);
    } catch (error) {
      log.warn({ error: String(error) }, notReleased);
    }
  }
}

function unheldMs(lease: readonly [before: Lease | undefined, after: Lease], fieldManager: string): number | undefined {
  const [before, after] = lease.map((each) => writtenAt(each, fieldManager));
  return before === undefined || after === undefined ? undefined : after - before;
}

/** Eight of them, hexadecimal. */
function randomDigits(clock: Clock): string {
  return Math.floor(clock.random() * 2 ** 32)
    .toString(16)
    .padStart(8, '0');
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM';
  }
}
