/** What is to happen, and when. */
interface Entry {
  readonly at: number;
  /** Of two at the same time the one that was planned first comes first. */
  readonly order: number;
  run: (() => void) | undefined;
}

/**
 * All that promises lead to is done when the next immediate begins, also within one turn of the event loop. A turn costs more than
 * most steps do: so many steps are in one.
 */
const STEPS_IN_A_TURN = 32;

/**
 * Virtual time. It moves from one thing that is planned to the next, and only when all that the last one led to has been
 * done: every promise is settled or waits for something that is planned.
 */
export class Agenda {
  #now: number;
  #order = 0;
  #busy = 0;
  readonly #heap: Entry[] = [];
  /** Things that happened. */
  steps = 0;

  /** @param start milliseconds since the epoch */
  constructor(start: number) {
    this.#now = start;
  }

  /** Milliseconds since the epoch. */
  get now(): number {
    return this.#now;
  }

  /** Plans something, to the millisecond; answers how to call it off. */
  after(ms: number, run: () => void): () => void {
    const entry: Entry = { at: this.#now + Math.max(0, Math.round(ms)), order: (this.#order += 1), run };
    this.#push(entry);
    return () => {
      entry.run = undefined;
    };
  }

  /** Resolves so many milliseconds from now. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve));
  }

  /** Time stands still until it is done: it waits for something that is not planned here. */
  async holding<T>(what: Promise<T>): Promise<T> {
    this.#busy += 1;
    try {
      return await what;
    } finally {
      this.#busy -= 1;
    }
  }

  /** Has everything happen up to this time, as long as `goesOn`. Answers false where nothing is planned any more. */
  runUntil(time: number, goesOn: () => boolean = () => true): Promise<boolean> {
    return new Promise((resolve, reject) => {
      let isOver = false;
      const step = (): void => {
        if (isOver || this.#busy > 0) return;
        try {
          const answer = this.#step(time, goesOn);
          if (answer === undefined) return;
          isOver = true;
          resolve(answer);
        } catch (error) {
          isOver = true;
          reject(error);
        }
      };
      const turn = (): void => {
        for (let n = 0; n < STEPS_IN_A_TURN; n += 1) setImmediate(step);
        setImmediate(() => isOver || turn());
      };
      turn();
    });
  }

  /** Has the next thing happen, after all that the one before led to. Answers whether the time is reached; undefined: it goes on. */
  #step(time: number, goesOn: () => boolean): boolean | undefined {
    while (goesOn()) {
      const entry = this.#heap[0];
      if (entry === undefined) return false;
      if (entry.at > time) {
        this.#now = time;
        return true;
      }
      this.#pop();
      if (entry.run === undefined) continue;
      this.#now = entry.at;
      this.steps += 1;
      entry.run();
      return undefined;
    }
    return true;
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let index = heap.length;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || !isBefore(entry, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let at = 2 * index + 1;
      let child = heap[at];
      if (child === undefined) break;
      const other = heap[at + 1];
      if (other !== undefined && isBefore(other, child)) {
        child = other;
        at += 1;
      }
      if (!isBefore(child, last)) break;
      heap[index] = child;
      index = at;
    }
    heap[index] = last;
  }
}

function isBefore(one: Entry, other: Entry): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
