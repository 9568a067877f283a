import { AsyncResource } from 'node:async_hooks';
import type { Clock } from '../../providers/clock.ts';

/** The clock of a world, which tests can move or set. */
export interface WorldClock extends Clock {
  /** Somebody sets the host's clock by so many milliseconds: no time passes. */
  set(ms: number): void;
  /** The worker takes so long for something, or stands still, in milliseconds. */
  goAhead(ms: number): Promise<void>;
  /** Something else than a timer is waited for: no time passes by itself until it is there. */
  holding<T>(what: Promise<T>): Promise<T>;
}

/** Where time comes from, in milliseconds. */
export interface TimeSource {
  /** Since the epoch. */
  now(): Promise<number>;
  /** Resolves when so much has passed, which may be at once. */
  sleep(ms: number): Promise<void>;
}

/** Longest wait for the other one's time in one piece, in milliseconds: whoever comes to an end is held up no longer. */
const NAP_MS = 1000;

/** Most by which the other one's time is taken along before something begins, in milliseconds. */
const CATCH_UP_MS = 3000;

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** How time goes on while something runs and waits for nothing but timers. */
export interface Pace {
  /**
   * It takes the other one's time along. Where that would set off more than the world can bear just now, the world goes ahead
   * by itself, and stands still afterwards until the other one has caught up.
   */
  readonly takesSourceAlong: boolean;
}

/**
 * A clock that goes by another's time. It moves when it is told to {@link follow}, and while something runs
 * {@link during} its time and waits for nothing but timers: then it moves on to the next of them.
 */
export class FollowingClock implements WorldClock {
  readonly #source: TimeSource;
  readonly #random: () => number;
  #time: number;
  /** By how much the host's clock was set, in milliseconds. */
  #set = 0;
  #timers: Timer[] = [];
  readonly #running = new Set<Pace>();
  #held = 0;
  #isPumping = false;
  #isStopped = false;
  /** Under way at the source of time. */
  readonly #naps = new Set<Promise<void>>();
  /** Tells whoever sleeps up to a timer that another one is due before it. */
  #hurry: () => void = () => {};

  /** @param random in [0, 1). @default a fixed sequence */
  constructor(source: TimeSource, start: number, random: () => number = sequence()) {
    this.#source = source;
    this.#time = start;
    this.#random = random;
  }

  now(): number {
    return this.#time;
  }

  timeOfDay(): number {
    return this.#time + this.#set;
  }

  set(ms: number): void {
    this.#set += ms;
  }

  random(): number {
    return this.#random();
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#time + Math.max(0, ms), run: AsyncResource.bind(run) };
    this.#timers.push(timer);
    if (this.#next() === timer) this.#hurry();
    void this.#pump();
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }

  /** Moves on to the other one's time; what is due on the way is done. */
  async follow(): Promise<void> {
    await this.#moveTo(await this.#source.now());
  }

  async goAhead(ms: number): Promise<void> {
    await this.#moveTo(this.#time + ms);
  }

  /** While it runs, its timers come due. */
  async during<T>(pace: Pace, run: () => Promise<T>): Promise<T> {
    await this.follow();
    const aheadMs = this.#time - (await this.#source.now());
    // Whoever is further ahead than that stands still until then: before it begins nothing gives a sign of life.
    if (pace.takesSourceAlong && aheadMs > 0 && aheadMs <= CATCH_UP_MS) await this.#nap(aheadMs);
    const running = { ...pace };
    this.#running.add(running);
    void this.#pump();
    try {
      return await run();
    } finally {
      this.#running.delete(running);
    }
  }

  async holding<T>(what: Promise<T>): Promise<T> {
    this.#held += 1;
    try {
      return await what;
    } finally {
      this.#held -= 1;
      void this.#pump();
    }
  }

  /** The other one's time comes to its end: when this resolves, nobody waits for it any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#naps);
  }

  async #pump(): Promise<void> {
    if (this.#isPumping) return;
    this.#isPumping = true;
    for (;;) {
      await promisesRun();
      const next = this.#next();
      if (next === undefined || this.#running.size === 0 || this.#held > 0 || this.#isStopped) break;
      const takesSourceAlong = [...this.#running].every((pace) => pace.takesSourceAlong);
      const ms = Math.min(next.at - this.#time, takesSourceAlong ? NAP_MS : Infinity);
      const until = this.#time + ms;
      if (takesSourceAlong && ms > 0) {
        const sooner = new Promise<boolean>((resolve) => (this.#hurry = () => resolve(true)));
        const slept = this.#nap(ms).then(() => false);
        if (await Promise.race([slept, sooner])) continue;
      }
      await this.#moveTo(until);
    }
    // At once: whoever sets a timer from here on begins anew.
    this.#isPumping = false;
  }

  /** The other one's time passes by so much. */
  async #nap(ms: number): Promise<void> {
    const nap = this.#source.sleep(ms);
    this.#naps.add(nap);
    await nap;
    this.#naps.delete(nap);
  }

  async #moveTo(time: number): Promise<void> {
    for (let next = this.#next(); next !== undefined && next.at <= time; next = this.#next()) {
      const due = next;
      this.#timers = this.#timers.filter((each) => each !== due);
      this.#time = Math.max(this.#time, due.at);
      due.run();
      await promisesRun();
    }
    this.#time = Math.max(this.#time, time);
  }

  #next(): Timer | undefined {
    return this.#timers.reduce<Timer | undefined>((a, b) => (a === undefined || b.at < a.at ? b : a), undefined);
  }
}

/** A clock of its own: time passes only up to timers, as soon as nothing else is left to be done. */
export function ownClock(start = Date.parse('2026-01-01T00:00:00Z'), random?: () => number): FollowingClock {
  let time = start;
  const sleep = async (ms: number) => void (time += ms);
  const clock = new FollowingClock({ now: async () => time, sleep }, start, random);
  void clock.during({ takesSourceAlong: true }, () => new Promise(() => {}));
  return clock;
}

/** All that promises lead to has been done. */
async function promisesRun(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** The same in every run. */
function sequence(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
