import type { Clock } from '../../providers/clock.ts';

/** A time in which the API server was away. In milliseconds since the epoch. */
export interface ApiOutage {
  readonly from: number;
  /** Absent: it lasts. */
  readonly until?: number;
  /** No watcher was at work: nobody knows whether it was away. @default it was seen */
  readonly unwatched?: true;
}

export interface ApiOutagesOptions {
  /** There is something to tell. */
  readonly onNews: () => void;
  readonly clock: Clock;
}

/** What is shorter is a connection that was lost and made again, in milliseconds. */
const SHORTEST_MS = 2000;
/**
 * So long after what was told last it is told once more that the API server answers, in milliseconds: the clocks of two watchers, or one
 * clock that somebody sets, differ by less. By a clock that is behind, an outage ends before it began, and would last.
 */
const CLOCKS_DIFFER_MS = 300_000;
/** Whoever starts in the place of another is at work after less, in milliseconds: in that time no Node that is well turns bad. */
const SHORTEST_UNWATCHED_MS = 15_000;
/** Of more the oldest are not told, should nobody take them. */
const MOST_KEPT = 20;

/** Times on two clocks: how much time passed, and what time it is. */
interface Moment {
  readonly at: number;
  readonly timeOfDay: number;
}

interface Kept {
  outage: ApiOutage;
  isTold: boolean;
}

/**
 * Notices when the API server is away, by what becomes of all that this process asks it. An outage begins with the last good answer
 * before it, as nobody knows better, and ends with the next one, whoever gets that.
 */
export class ApiOutages {
  readonly #options: ApiOutagesOptions;
  readonly #began: Moment;
  #answered: Moment | undefined;
  /** Since when there are failures and no answer. */
  #failing: Moment | undefined;
  #callOff: () => void = () => {};
  #callOffRepeat: () => void = () => {};
  #stopped = false;
  /** The oldest first. */
  #kept: Kept[] = [];

  constructor(options: ApiOutagesOptions) {
    this.#options = options;
    this.#began = this.#now();
  }

  /**
   * No watcher was the active one for so long, in milliseconds. What of it was before this process began, nobody watched; less than 15
   * seconds do not count.
   */
  unwatched(inactiveMs: number): void {
    const { at, timeOfDay: until } = this.#began;
    const unwatchedMs = inactiveMs - (this.#options.clock.now() - at);
    if (this.#stopped || unwatchedMs < SHORTEST_UNWATCHED_MS) return;
    this.#keep({ from: until - unwatchedMs, until, unwatched: true });
  }

  /** The API server answered, were it with a refusal, or told of something. */
  answered(): void {
    if (this.#stopped) return;
    const { clock } = this.#options;
    const now = this.#now();
    const failing = this.#failing;
    const lasting = this.#kept.at(-1);
    const from = this.#from;
    const before = this.#answered;
    this.#answered = now;
    if (failing === undefined) return this.#noteStandstill(before, now);
    this.#failing = undefined;
    this.#callOff();
    if (clock.now() - failing.at < SHORTEST_MS) return;
    if (lasting !== undefined && lasting.outage.until === undefined) this.#kept.pop();
    this.#keep({ from, until: now.timeOfDay });
    this.#repeatLater();
  }

  /** Somebody asks every few seconds: where nothing was answered for long, and nothing failed, this process stood still, and watched nothing. */
  #noteStandstill(before: Moment | undefined, { at, timeOfDay: until }: Moment): void {
    if (before === undefined || at - before.at < SHORTEST_UNWATCHED_MS) return;
    this.#keep({ from: before.timeOfDay, until, unwatched: true });
  }

  /** @param beganAt when what got no answer was sent, by the clock's `now` */
  failed(beganAt: number): void {
    if (this.#stopped) return;
    const { clock } = this.#options;
    // Somebody else was answered meanwhile: it is this one request, and not the API server.
    if (this.#failing !== undefined || (this.#answered !== undefined && this.#answered.at > beganAt)) return;
    const { at, timeOfDay } = this.#now();
    this.#failing = { at: beganAt, timeOfDay: timeOfDay - (at - beganAt) };
    const leftMs = Math.max(0, beganAt + SHORTEST_MS - at);
    this.#callOff = clock.after(leftMs, () => this.#keep({ from: this.#from }));
  }

  /** What is to be told, the oldest first. */
  get untold(): readonly ApiOutage[] {
    return this.#kept.filter(({ isTold }) => !isTold).map(({ outage }) => outage);
  }

  /** It was told. Where its end came meanwhile, that is still to be told. */
  noteTold(told: ApiOutage): void {
    for (const kept of this.#kept) if (kept.outage === told) kept.isTold = true;
    this.#kept = this.#kept.filter(({ outage, isTold }) => !isTold || !isAnswerOnly(outage));
  }

  /**
   * All is to be told, again: who did so before may have told of an outage whose end it did not live to see, or what was told is lost.
   * Where the API server answers, that is told too, as an outage that ends where it begins.
   */
  tellAll(): void {
    if (this.#stopped) return;
    const outages = this.#kept.map(({ outage }) => outage).filter((outage) => !isAnswerOnly(outage));
    this.#kept = outages.map((outage) => ({ outage, isTold: false }));
    if (!this.#tellAnswer()) this.#options.onNews();
    this.#repeatLater();
  }

  /** False: it does not answer, as far as is known. */
  #tellAnswer(): boolean {
    const answered = this.#answered?.timeOfDay;
    if (this.#failing !== undefined || answered === undefined) return false;
    this.#keep({ from: answered, until: answered });
    return true;
  }

  /** Nothing is told any more, whatever is still answered or fails. */
  stop(): void {
    this.#stopped = true;
    this.#callOff();
    this.#callOffRepeat();
  }

  #repeatLater(): void {
    this.#callOffRepeat();
    this.#callOffRepeat = this.#options.clock.after(CLOCKS_DIFFER_MS, () => void this.#tellAnswer());
  }

  get #from(): number {
    return this.#answered?.timeOfDay ?? this.#failing?.timeOfDay ?? this.#now().timeOfDay;
  }

  #now(): Moment {
    const { clock } = this.#options;
    return { at: clock.now(), timeOfDay: clock.timeOfDay() };
  }

  #keep(outage: ApiOutage): void {
    this.#kept.push({ outage, isTold: false });
    if (this.#kept.length > MOST_KEPT) this.#kept.shift();
    this.#options.onNews();
  }
}

function isAnswerOnly({ from, until }: ApiOutage): boolean {
  return from === until;
}
