import type { SendTarget } from './wake-sender.ts';
import type { Wake } from './wake.ts';

/**
 * An object that is gone is told to its workflow after this, in milliseconds: the workflow that let it go has ended by then, and
 * is not held up by the news.
 */
const GONE_DELAY_MS = 1500;
/** Least time between two signals that something is to be counted anew, in milliseconds: each is a list of Machines. */
const COUNT_GAP_MS = 10_000;

/**
 * Least time between two signals of how a rollout goes, each of whose steps waits for one, and to a set that misses a machine, whose place may
 * have become free, in milliseconds.
 */
const STEP_GAP_MS = 250;

/** When a wake is sent. */
export interface Pace {
  readonly target: SendTarget;
  /** Least time since the last signal to the same workflow, in milliseconds. */
  readonly gapMs: number;
  /** Least time from now, in milliseconds. */
  readonly delayMs: number;
}

/** @param gaps those of the watcher's options */
export function paceOf(
  { target, because }: Wake,
  { signalGapMs, ownerSignalGapMs }: { readonly signalGapMs: number; readonly ownerSignalGapMs: number },
): Pace {
  const gaps: Partial<Record<Wake['because'], number>> = {
    machine: ownerSignalGapMs,
    place: Math.min(ownerSignalGapMs, STEP_GAP_MS),
    rollout: Math.min(ownerSignalGapMs, STEP_GAP_MS),
    health: ownerSignalGapMs,
    count: COUNT_GAP_MS,
  };
  const gapMs = gaps[because] ?? signalGapMs;
  return { target, gapMs, delayMs: because === 'gone' ? GONE_DELAY_MS : 0 };
}

/** One change of these concerns many machines: they are woken so many a second. */
export function isPaced({ because }: Wake): boolean {
  return because === 'class' || because === 'cluster';
}
