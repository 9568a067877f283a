import { asyncLocalStorage } from '@temporalio/activity';
import type { Clock } from '../../providers/clock.ts';
import type { Agenda } from './time/agenda.ts';
import type { Random } from './time/random.ts';

/** What becomes of a call from a process to the outside. */
export interface Network {
  call<T>(from: SimulatedProcess, what: string, carryOut: () => T | Promise<T>): Promise<T>;
}

export interface ProcessOptions {
  readonly name: string;
  readonly agenda: Agenda;
  readonly random: Random;
  readonly network: Network;
  /** By how much its time of day is ahead, in milliseconds. @default 0 */
  readonly skewMs?: number;
}

/**
 * A process that may die at any moment: then nothing that it had under way goes on. It may stand still, too, and go on: what came for it
 * meanwhile it finds then, and all its timers that are over.
 */
export class SimulatedProcess {
  readonly name: string;
  readonly clock: Clock;
  readonly #agenda: Agenda;
  readonly #network: Network;
  #isAlive = true;
  #skewMs: number;
  /** What it does when it goes on, in this order; undefined: it does not stand still. */
  #held: (() => void)[] | undefined;
  /** For how long its computer was suspended, in milliseconds: the clock that never goes back stood still, too. */
  #suspendedMs = 0;
  readonly #ends: (() => void)[] = [];

  constructor({ name, agenda, random, network, skewMs = 0 }: ProcessOptions) {
    this.name = name;
    this.#agenda = agenda;
    this.#network = network;
    this.#skewMs = skewMs;
    this.clock = {
      now: () => agenda.now - this.#suspendedMs,
      timeOfDay: () => agenda.now + this.#skewMs,
      after: (ms, run) => this.#after(ms, inActivity(run)),
      random: () => random.next(),
    };
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  get standsStill(): boolean {
    return this.#held !== undefined;
  }

  /** Its time of day is so much ahead from now on, in milliseconds. */
  setClock(skewMs: number): void {
    this.#skewMs = skewMs;
  }

  /**
   * It does nothing for so long, in milliseconds, and goes on then.
   *
   * @param isSuspended so does its computer, whose clock that never goes back does not tell it
   */
  standStill(ms: number, isSuspended: boolean): void {
    if (!this.#isAlive || this.#held !== undefined) return;
    this.#held = [];
    this.#agenda.after(ms, () => {
      if (isSuspended) this.#suspendedMs += Math.round(ms);
      const held = this.#held ?? [];
      this.#held = undefined;
      for (const run of held) this.#agenda.after(0, () => this.whenItGoes(run));
    });
  }

  /** Does it now, or when it goes on; never where it is dead by then. */
  whenItGoes(run: () => void): void {
    if (!this.#isAlive) return;
    if (this.#held === undefined) run();
    else this.#held.push(run);
  }

  /** Resolves now, or when it goes on. */
  going(): Promise<void> {
    return new Promise((resolve) => this.whenItGoes(resolve));
  }

  /** Runs when it dies. */
  onEnd(run: () => void): void {
    this.#ends.push(run);
  }

  die(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    for (const end of this.#ends) end();
  }

  /** Calls something outside. The answer never comes where the process died meanwhile. */
  call<T>(what: string, carryOut: () => T | Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (!this.#isAlive) return;
      this.#network.call(this, what, carryOut).then(
        (answer) => this.whenItGoes(() => resolve(answer)),
        (error: unknown) => this.whenItGoes(() => reject(error)),
      );
    });
  }

  #after(ms: number, run: () => void): () => void {
    const dueAt = this.clock.now() + ms;
    let isOff = false;
    let callOff = () => {};
    const wait = (forMs: number): void => {
      callOff = this.#agenda.after(forMs, () => this.whenItGoes(fire));
    };
    const fire = (): void => {
      if (isOff) return;
      // A computer that was suspended does not count that time.
      const leftMs = Math.round(dueAt - this.clock.now());
      if (leftMs > 0) wait(leftMs);
      else run();
    };
    wait(ms);
    return () => {
      isOff = true;
      callOff();
    };
  }
}

/** As the host's timers do, it runs in the activity that plans it. */
function inActivity(run: () => void): () => void {
  const context = asyncLocalStorage.getStore();
  return context === undefined ? run : () => asyncLocalStorage.run(context, run);
}
