/** The calls of one account, region and action: which is sent when. */

import type { Clock } from './clock.ts';
import { afterAnswer, afterCall, afterThrottling, fullRoom, msUntilRoom, roomAt } from './rate-limits.ts';
import type { RateLimit, Room } from './rate-limits.ts';

/** Leave to send a call. */
export interface Turn {
  readonly key: string | undefined;
  /** The smaller, the earlier it was asked for. */
  readonly seniority: number;
  /** On the queue's clock. */
  readonly sentAt: number;
}

/** No leave: nothing is to be sent before this long, in milliseconds. */
export interface TurnedAway {
  readonly retryAfterMs: number;
  /** Calls that have their turn before it. */
  readonly ahead: number;
}

interface Waiting {
  readonly key: string | undefined;
  readonly seniority: number;
  readonly answer: (answer: Turn | TurnedAway) => void;
  readonly callOff: () => void;
}

/** A call that was turned away, or is made ready, and will come back. */
interface Away {
  readonly seniority: number;
  readonly dueAt: number;
}

/** One that is later than this, in milliseconds, may never come back: nobody waits for it, and it has lost its place. */
const LATE_MS = 10_000;
/** A turn that was taken in advance counts this long, in milliseconds. */
const HELD_MS = 30_000;
/** Part of its patience within which a call that waits has its turn, as it looks now. */
const SURE = 0.9;
/**
 * A worker that called the moment there is room would leave nothing to another with the same account, whose calls would all be
 * throttled. So each call comes a little later than it may, by up to this part of the time between two; the next makes up for it.
 */
const MOST_MARGIN = 0.8;
/** A call whose turn is no further off than this may be made ready, in milliseconds: others may fall out before it. */
const NEAR_MS = 3_000;
/** How long before its turn it is to begin with that, in milliseconds. */
const READY_MS = 1_000;
/** Least wait of a call that was turned away, in milliseconds. */
const LEAST_WAIT_MS = 250;
/** Most calls whose place is remembered. */
const MOST_AWAY = 10_000;

/**
 * Oldest first, by when a call was first asked for. One whose turn is too far off is turned away with the time to come back, a
 * little before its turn, and keeps its place. Room that those who are away do not use goes to the oldest of those who wait.
 */
export class TurnQueue {
  readonly limit: RateLimit;
  readonly #clock: Clock;
  #room: Room;
  #nextSeniority = 0;
  /** By seniority. */
  #line: Waiting[] = [];
  readonly #away = new Map<string, Away>();
  readonly #held = new Map<string, Turn>();
  #stopTimer: (() => void) | undefined;
  /** Room that the next call leaves unused: a part of one. */
  #margin = 0;

  constructor(limit: RateLimit, clock: Clock) {
    this.limit = limit;
    this.#clock = clock;
    this.#room = fullRoom(limit, clock.now());
  }

  /** Calls that wait for their turn now. */
  get waiting(): number {
    return this.#line.length;
  }

  /** Calls a second that it lets through by now. */
  get perSecond(): number {
    return this.limit.perSecond * this.#look().share;
  }

  /** True where a new queue would be the same. */
  get isIdle(): boolean {
    const full = fullRoom(this.limit, this.#clock.now());
    const { share, requests } = this.#look();
    return this.#line.length + this.#away.size + this.#held.size === 0 && share === 1 && requests >= full.requests;
  }

  /**
   * @param key the same for every repeat of a call: by it the repeat keeps the place of the call. @default no place is kept
   * @param patienceMs how long it waits for its turn, in milliseconds
   */
  ask(key: string | undefined, patienceMs: number): Promise<Turn | TurnedAway> {
    const seniority = this.#seniorityOf(key);
    // It comes back with half of its patience to spare, so that room finds somebody who waits for it.
    const turnAway = () => this.#turnAway(key, seniority, patienceMs / 2);
    if (this.#msUntilTurn(seniority) > patienceMs * SURE) return Promise.resolve(turnAway());
    return new Promise((answer) => {
      const giveUp = () => {
        this.#line = this.#line.filter((each) => each !== waiting);
        answer(turnAway());
      };
      const waiting: Waiting = { key, seniority, answer, callOff: this.#clock.after(patienceMs, giveUp) };
      const place = this.#line.findLastIndex((each) => each.seniority < seniority) + 1;
      this.#line.splice(place, 0, waiting);
      this.#serve();
    });
  }

  /** Gives a call a place, and no room: it is to be made ready before it asks. Undefined: its turn is near. */
  lineUp(key: string): TurnedAway | undefined {
    if (this.#held.has(key)) return undefined;
    const seniority = this.#seniorityOf(key);
    const ms = this.#msUntilTurn(seniority);
    if (ms > NEAR_MS) return this.#turnAway(key, seniority, READY_MS);
    this.#keepPlace(key, { seniority, dueAt: this.#clock.now() + ms });
    return undefined;
  }

  /** Keeps a turn for the call of this key, which is about to be made. */
  hold(key: string, turn: Turn): void {
    this.#held.delete(key);
    this.#held.set(key, turn);
    for (const [held, { sentAt }] of this.#held) {
      if (sentAt + HELD_MS >= this.#clock.now()) break;
      this.#held.delete(held);
    }
  }

  /** The turn that was kept for it. */
  claim(key: string | undefined): Turn | undefined {
    const turn = key === undefined ? undefined : this.#held.get(key);
    if (turn === undefined || key === undefined) return undefined;
    this.#held.delete(key);
    return turn.sentAt + HELD_MS < this.#clock.now() ? undefined : { ...turn, sentAt: this.#clock.now() };
  }

  /** The cloud answered a call, whatever it said. */
  answered(): void {
    this.#room = afterAnswer(this.#look());
    this.#serve();
  }

  /** The cloud answered that it was too much. Answers when to come back, in milliseconds; the call keeps its place. */
  throttled({ key, seniority, sentAt }: Turn): number {
    const now = this.#clock.now();
    this.#room = afterThrottling(this.#look(), sentAt, now);
    return this.#turnAway(key, seniority, 0).retryAfterMs;
  }

  #serve(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    for (;;) {
      const [first] = this.#line;
      if (first === undefined) return;
      this.#room = this.#look();
      const ms = msUntilRoom(this.limit, this.#room, 1 + this.#margin);
      if (ms > 0) {
        this.#stopTimer = this.#clock.after(ms, () => this.#serve());
        return;
      }
      this.#room = afterCall(this.limit, this.#room);
      this.#margin = this.#clock.random() * MOST_MARGIN;
      this.#line.shift();
      first.callOff();
      first.answer({ key: first.key, seniority: first.seniority, sentAt: this.#clock.now() });
    }
  }

  #look(): Room {
    return roomAt(this.limit, this.#room, this.#clock.now());
  }

  #seniorityOf(key: string | undefined): number {
    const away = key === undefined ? undefined : this.#away.get(key);
    if (key === undefined || away === undefined) return this.#nextSeniority++;
    this.#away.delete(key);
    return away.dueAt + LATE_MS < this.#clock.now() ? this.#nextSeniority++ : away.seniority;
  }

  /** @param earlyMs how long before its turn it comes back, in milliseconds */
  #turnAway(key: string | undefined, seniority: number, earlyMs: number): TurnedAway {
    const retryAfterMs = Math.max(LEAST_WAIT_MS, Math.ceil(this.#msUntilTurn(seniority) - earlyMs));
    const ahead = this.#aheadOf(seniority);
    if (key !== undefined) this.#keepPlace(key, { seniority, dueAt: this.#clock.now() + retryAfterMs });
    return { retryAfterMs, ahead };
  }

  #keepPlace(key: string, away: Away): void {
    this.#away.set(key, away);
    const [oldest] = this.#away.keys();
    if (this.#away.size > MOST_AWAY && oldest !== undefined) this.#away.delete(oldest);
  }

  #msUntilTurn(seniority: number): number {
    return msUntilRoom(this.limit, this.#look(), this.#aheadOf(seniority) + 1);
  }

  #aheadOf(seniority: number): number {
    const now = this.#clock.now();
    let ahead = this.#line.filter((each) => each.seniority < seniority).length;
    for (const [key, away] of this.#away) {
      if (away.dueAt + LATE_MS < now) this.#away.delete(key);
      else if (away.seniority < seniority) ahead += 1;
    }
    return ahead;
  }
}
