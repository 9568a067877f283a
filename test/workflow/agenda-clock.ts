import { AsyncResource } from 'node:async_hooks';
import type { Agenda } from '../simulation/time/agenda.ts';
import { sequence, type WorldClock } from '../world/world-clock.ts';

/** The clock of a world whose time is an agenda's. */
export class AgendaClock implements WorldClock {
  readonly #agenda: Agenda;
  readonly #random = sequence();
  /** By how much the host's clock was set, in milliseconds. */
  #set = 0;

  constructor(agenda: Agenda) {
    this.#agenda = agenda;
  }

  now(): number {
    return this.#agenda.now;
  }

  timeOfDay(): number {
    return this.#agenda.now + this.#set;
  }

  random(): number {
    return this.#random();
  }

  after(ms: number, run: () => void): () => void {
    return this.#agenda.after(ms, AsyncResource.bind(run));
  }

  set(ms: number): void {
    this.#set += ms;
  }

  goAhead(ms: number): Promise<void> {
    return this.#agenda.pause(ms);
  }

  holding<T>(what: Promise<T>): Promise<T> {
    return this.#agenda.holding(what);
  }
}
