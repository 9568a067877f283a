/** Time inside a process. */
export interface Clock {
  /** Milliseconds, never going back. */
  now(): number;
  /** Runs something once, so many milliseconds from now; answers how to call it off. */
  after(ms: number, run: () => void): () => void;
}

export const MONOTONIC_CLOCK: Clock = {
  now: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
