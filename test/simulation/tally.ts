import { FAULTS, type Fault } from './adversary/disturbances.ts';
import { canMeet } from './adversary/sides.ts';
import type { Outcome } from './play.ts';
import type { Violation } from './judges/judges.ts';

/** What is told of a run, and sent from one process to another. */
export interface Result {
  readonly seed: string;
  readonly scenario: string;
  readonly world: string;
  readonly lives: number;
  readonly virtualMs: number;
  readonly looks: number;
  readonly steps: number;
  readonly restMs: number;
  readonly violations: readonly Violation[];
  readonly coverage: readonly (readonly [string, number])[];
  readonly calls: readonly (readonly [string, number])[];
}

/** What is told of a run in which a judge accused. */
export type Failed = Pick<Result, 'scenario' | 'seed' | 'world' | 'violations'>;

export function resultOf(outcome: Outcome): Result {
  const { story: _story, disturbances: _disturbances, coverage, calls, ...rest } = outcome;
  return { ...rest, coverage: [...coverage], calls: [...calls] };
}

/** Calls that a person is told of whose faults never happened. */
const MOST_LINES = 20;

const YEAR_MS = 365.25 * 24 * 3_600_000;

/** All runs together. */
export class Tally {
  readonly coverage = new Map<string, number>();
  readonly calls = new Map<string, number>();
  readonly failed: Result[] = [];
  runs = 0;
  lives = 0;
  virtualMs = 0;
  looks = 0;
  steps = 0;
  longestRestMs = 0;

  add(result: Result): void {
    this.runs += 1;
    this.lives += result.lives;
    this.virtualMs += result.virtualMs;
    this.looks += result.looks;
    this.steps += result.steps;
    this.longestRestMs = Math.max(this.longestRestMs, result.restMs);
    if (result.violations.length > 0) this.failed.push(result);
    for (const [key, count] of result.coverage) this.coverage.set(key, (this.coverage.get(key) ?? 0) + count);
    for (const [key, count] of result.calls) this.calls.set(key, (this.calls.get(key) ?? 0) + count);
  }

  /** Faults that were done, by their kind. */
  faults(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      FAULTS.map((fault) => {
        const counts = [...this.coverage].filter(([key]) => key.endsWith(`× ${fault}`)).map(([, count]) => count);
        return [fault, counts.reduce((sum, count) => sum + count, 0)];
      }),
    );
  }

  /** Of each call that was made, the faults that may meet it and never did. */
  neverHit(): readonly (readonly [call: string, faults: readonly Fault[]])[] {
    return [...this.calls.keys()]
      .sort()
      .map(
        (call) =>
          [call, FAULTS.filter((fault) => canMeet(call, fault) && !this.coverage.has(`${call} × ${fault}`))] as const,
      )
      .filter(([, faults]) => faults.length > 0);
  }

  toJson(seconds: number): object {
    const { runs, lives, looks, steps, longestRestMs } = this;
    return {
      runs,
      lives,
      livesASecond: Math.round((lives / seconds) * 10) / 10,
      seconds: Math.round(seconds),
      virtualYears: this.virtualMs / YEAR_MS,
      judgedSteps: looks,
      steps,
      longestRestSeconds: longestRestMs / 1000,
      faults: this.faults(),
      pairsHit: this.coverage.size,
      pairs: Object.fromEntries(this.coverage),
      pairsNeverHit: Object.fromEntries(this.neverHit()),
      failed: this.failed.map(({ scenario, seed, world, violations }): Failed => ({
        scenario,
        seed,
        world,
        violations,
      })),
    };
  }

  /** A few lines to read. */
  describe(seconds: number): string {
    const faults = Object.entries(this.faults())
      .filter(([, count]) => count > 0)
      .map(([fault, count]) => `${count} × ${fault}`);
    const never = this.neverHit();
    const count = never.reduce((sum, [, ofCall]) => sum + ofCall.length, 0);
    return [
      `${this.lives} lives in ${this.runs} runs, ${(this.virtualMs / YEAR_MS).toPrecision(2)} virtual years, ${this.looks} judged steps`,
      `${seconds.toFixed(0)} s: ${(this.lives / seconds).toFixed(1)} lives a second`,
      `faults: ${faults.join(', ') || 'none'}`,
      `pairs of call and fault: ${this.coverage.size} hit, ${count} never`,
      ...never.slice(0, MOST_LINES).map(([call, ofCall]) => `  never ${call} × ${ofCall.join(', ')}`),
      ...(never.length > MOST_LINES ? [`  … and of ${never.length - MOST_LINES} more calls: --json names them`] : []),
      `at rest ${(this.longestRestMs / 1000).toFixed(0)} s after the last disturbance, at the latest`,
    ].join('\n');
  }
}
