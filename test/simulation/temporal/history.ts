import type { Agenda } from '../time/agenda.ts';
import type { EventFacts, HistoryEvent } from './history-event.ts';

/** The history of a run, and what has to wait before it gets there. */
export class History {
  readonly events: HistoryEvent[] = [];
  readonly #agenda: Agenda;
  /** What came while a task was out: it is told when that one is over. */
  #buffered: EventFacts[] = [];

  constructor(agenda: Agenda) {
    this.#agenda = agenda;
  }

  get length(): number {
    return this.events.length;
  }

  get buffered(): readonly EventFacts[] {
    return this.#buffered;
  }

  /** Answers the event's id. */
  add(facts: EventFacts, at = this.#agenda.now): number {
    const id = this.events.length + 1;
    this.events.push({ ...facts, id, at });
    return id;
  }

  buffer(facts: readonly EventFacts[]): void {
    this.#buffered.push(...facts);
  }

  /** Of what waits, a timer that fired: nobody need hear of it any more. */
  takeBackTimer(timerId: string): (EventFacts & { readonly type: 'timerFired' }) | undefined {
    for (const [index, facts] of this.#buffered.entries()) {
      if (facts.type !== 'timerFired' || facts.timerId !== timerId) continue;
      this.#buffered.splice(index, 1);
      return facts;
    }
    return undefined;
  }

  /** Writes down what waited; answers whether there was anything. */
  flush(): boolean {
    const news = this.#buffered;
    this.#buffered = [];
    for (const facts of news) this.add(facts);
    return news.length > 0;
  }

  /** Nobody will hear of what waited. */
  drop(): void {
    this.#buffered = [];
  }
}
