import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** How many want each processor of this computer, as it was seen. */
export interface Crowd {
  /** Counts once more who wants one. */
  look(): void;
  /** How many shared one processor on average, over all looks: 1 where nobody had to wait, or where nobody tells. */
  factor(): number;
}

/**
 * Begins to watch how crowded this computer is. A test that runs beside others waits for its turn, whatever it waits for
 * besides: its limits of time, multiplied by this, are those that it has alone. Nothing that measures how quick something is
 * goes by this, for whoever is slow may be who makes the crowd.
 */
export function watchCrowd(processors = cpus().length, read = readLoad): Crowd {
  let runnable = 0;
  let looks = 0;
  return {
    look() {
      runnable += parseRunnable(read());
      looks += 1;
    },
    factor: () => (looks === 0 ? 1 : Math.max(1, runnable / looks / processors)),
  };
}

/** How many threads run or could: the fourth word of /proc/loadavg, `3/512`, before the slash. */
export function parseRunnable(load: string): number {
  return Number(/ (\d+)\/\d+ /.exec(load)?.[1] ?? 0);
}

function readLoad(): string {
  try {
    return readFileSync('/proc/loadavg', 'utf8');
  } catch {
    return '';
  }
}
