import { AsyncResource } from 'node:async_hooks';
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

/** A process that may die at any moment: then nothing that it had under way goes on. */
export class SimulatedProcess {
  readonly name: string;
  readonly clock: Clock;
  readonly #network: Network;
  #isAlive = true;
  #skewMs: number;
  readonly #ends: (() => void)[] = [];

  constructor({ name, agenda, random, network, skewMs = 0 }: ProcessOptions) {
    this.name = name;
    this.#network = network;
    this.#skewMs = skewMs;
    this.clock = {
      now: () => agenda.now,
      timeOfDay: () => agenda.now + this.#skewMs,
      after: (ms, run) => {
        const bound = AsyncResource.bind(run);
        return agenda.after(ms, () => void (this.#isAlive && bound()));
      },
      random: () => random.next(),
    };
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Its time of day is so much ahead from now on, in milliseconds. */
  setClock(skewMs: number): void {
    this.#skewMs = skewMs;
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
        (answer) => void (this.#isAlive && resolve(answer)),
        (error: unknown) => void (this.#isAlive && reject(error)),
      );
    });
  }
}
