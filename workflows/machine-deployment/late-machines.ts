import type { FailedMachine, NewMachines } from './new-machines.ts';

/** So long after a Machine was told to look at its instance it counts as late, in milliseconds: the look and its record take a moment. */
export const ANSWER_MS = 10_000;
/** Machines that look at one time; of more the others are told when these have answered. */
const MOST_TOLD = 20;

/** When late Machines were told to look at their instances, by uid; in milliseconds since the epoch. */
export type ToldToLook = Readonly<Record<string, number>>;

export interface LateLook {
  /** To be told now. */
  readonly tell: readonly FailedMachine[];
  /** What has failed for all that is known by now. */
  readonly failed: readonly FailedMachine[];
  /** Of those that are late still. */
  readonly told: ToldToLook;
}

/**
 * Why no Node became Ready in time may be that the cloud took the instance back, which nobody has to notice before the next inventory. So a
 * Machine looks at its instance before it counts as late; what it finds shows in its status.
 */
export function lookBeforeLate({ failed }: Pick<NewMachines, 'failed'>, told: ToldToLook, now: number): LateLook {
  const doubted = failed.filter(({ mayBeGone }) => mayBeGone === true);
  const awaited = doubted.filter(({ uid }) => told[uid] !== undefined && answersAt(told[uid]) > now);
  const tell = doubted.filter(({ uid }) => told[uid] === undefined).slice(0, Math.max(0, MOST_TOLD - awaited.length));
  const isTold = new Set(tell.map(({ uid }) => uid));
  return {
    tell,
    failed: failed.filter(({ uid, mayBeGone }) => mayBeGone !== true || answersAt(told[uid]) <= now),
    told: Object.fromEntries(
      doubted.flatMap(({ uid }) => {
        const at = isTold.has(uid) ? now : told[uid];
        return at === undefined ? [] : [[uid, at]];
      }),
    ),
  };
}

/** When the next of them has had its time to answer, in milliseconds since the epoch; Infinity: all have. */
export function nextAnswerAt(told: ToldToLook, now: number): number {
  return Math.min(
    Infinity,
    ...Object.values(told)
      .map((at) => answersAt(at))
      .filter((at) => at > now),
  );
}

function answersAt(at = Infinity): number {
  return at + ANSWER_MS;
}
