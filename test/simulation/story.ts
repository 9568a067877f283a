export interface StoryLine {
  /** Milliseconds since the beginning of the run. */
  readonly at: number;
  readonly who: string;
  readonly what: string;
}

/** What happened in a run, as far as it tells anything: who did what, and what went wrong. */
export class Story {
  readonly lines: StoryLine[] = [];
  readonly #now: () => number;

  /** @param now milliseconds since the beginning of the run */
  constructor(now: () => number) {
    this.#now = now;
  }

  tell(who: string, what: string): void {
    this.lines.push({ at: this.#now(), who, what });
  }

  toString(): string {
    return this.lines.map(({ at, who, what }) => `${clockOf(at)}  ${who.padEnd(10)} ${what}`).join('\n');
  }
}

/** h:mm:ss.mmm */
function clockOf(ms: number): string {
  const pad = (value: number, digits: number): string => Math.floor(value).toString().padStart(digits, '0');
  return `${pad(ms / 3_600_000, 1)}:${pad((ms / 60_000) % 60, 2)}:${pad((ms / 1000) % 60, 2)}.${pad(ms % 1000, 3)}`;
}
