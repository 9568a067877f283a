import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { ScenarioName } from './scenarios.ts';
import type { Failed, Result } from './tally.ts';
import { given } from '../../providers/given.ts';

/** Runs that were played one after the other, by the numbers in their seeds. */
export interface Range {
  /** What their seeds begin with. */
  readonly from: string;
  /** Absent: all in turn. */
  readonly scenario?: ScenarioName;
  /** The state of the product's sources. */
  readonly sources: string;
  readonly first: number;
  /** Less than `first`: none was played to its end. */
  readonly last: number;
  readonly lives: number;
  readonly failed: readonly Failed[];
}

export type RangeStart = Pick<Range, 'from' | 'sources'> & { readonly scenario: ScenarioName | undefined };

/**
 * Adds up what was played in several calls, in a file: each goes on behind the runs that are in it. A run counts when all before
 * it have ended, so that a call that is cut off leaves no gap.
 */
export class Ranges {
  readonly #file: string;
  readonly #before: readonly Range[];
  #own: Range;
  /** Ended while one before them has not. */
  readonly #ahead = new Map<number, Result>();

  constructor(file: string, { from, scenario, sources }: RangeStart) {
    this.#file = file;
    this.#before = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as readonly Range[]) : [];
    const alike = this.#before.filter((range) => range.from === from && range.scenario === scenario);
    const last = Math.max(0, ...alike.map((range) => range.last));
    const of = { from, ...given({ scenario }), sources };
    this.#own = { ...of, first: last + 1, last, lives: 0, failed: [] };
  }

  /** Runs up to this number were played. */
  get last(): number {
    return this.#own.last;
  }

  /** @param number of the run */
  add(number: number, result: Result): void {
    this.#ahead.set(number, result);
    for (;;) {
      const next = this.#ahead.get(this.#own.last + 1);
      if (next === undefined) break;
      const { scenario, seed, world, violations, lives } = next;
      this.#own = {
        ...this.#own,
        last: this.#own.last + 1,
        lives: this.#own.lives + lives,
        failed:
          violations.length === 0 ? this.#own.failed : [...this.#own.failed, { scenario, seed, world, violations }],
      };
      this.#ahead.delete(this.#own.last);
    }
  }

  /** At any moment the file has all of the last save or all of this one. */
  save(): void {
    if (this.#own.last < this.#own.first) return;
    const file = `${this.#file}.new`;
    writeFileSync(file, `${JSON.stringify([...this.#before, this.#own], undefined, 2)}\n`);
    renameSync(file, this.#file);
  }

  /** All that is in the file, in a line. */
  describe(): string {
    const all = [...this.#before, this.#own];
    const sum = (count: (range: Range) => number): number => all.reduce((total, range) => total + count(range), 0);
    const [lives, runs] = [sum((range) => range.lives), sum(({ first, last }) => last - first + 1)];
    return `added up in ${this.#file}: ${lives} lives in ${runs} runs, of which ${sum(({ failed }) => failed.length)} failed`;
  }
}
