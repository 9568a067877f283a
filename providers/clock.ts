/** Time and chance inside a process. A simulation gives its own; {@link systemClock} is the only one that asks the host. */
export interface Clock {
  /** Milliseconds, never going back. They tell how much time passed, not what time it is. */
  now(): number;
  /** Milliseconds since the epoch, as the host has them: somebody may set them, also back. */
  timeOfDay(): number;
  /** Runs something once, so many milliseconds from now; answers how to call it off. */
  after(ms: number, run: () => void): () => void;
  /** In [0, 1). */
  random(): number;
}

/** The host's own time and chance: the main of a process hands it to all its parts. */
export const systemClock: Clock = {
  now: () => performance.now(),
  timeOfDay: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};

/** Resolves after so many milliseconds, or as soon as `signal` is aborted. The signal itself tells which of the two it was. */
export function delay(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const end = () => {
      callOff();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const callOff = clock.after(ms, end);
    signal?.addEventListener('abort', end, { once: true });
  });
}

/** Ends what takes too long. */
export interface Deadline {
  /** Aborted when the time is over. */
  readonly signal: AbortSignal;
  /** It was in time. */
  callOff(): void;
}

/**
 * So many milliseconds from now.
 *
 * @param reason what the signal is aborted with. @default an AbortError
 */
export function startDeadline(clock: Clock, ms: number, reason?: Error): Deadline {
  const late = new AbortController();
  return { signal: late.signal, callOff: clock.after(ms, () => late.abort(reason)) };
}

/** The time of day in RFC 3339, in UTC. */
export function timestamp(clock: Pick<Clock, 'timeOfDay'>): string {
  return new Date(clock.timeOfDay()).toISOString();
}
