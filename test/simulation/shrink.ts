import { play, type Outcome, type Play } from './play.ts';

/** Runs that a search takes at most. */
const MOST_RUNS = 60;

/**
 * The same failure with fewer disturbances: of those that happened, as many as can be are left out, in ever smaller pieces.
 *
 * @returns the last run that failed, and which of its disturbances it took
 */
export async function shrink(
  run: Play,
  failed: Outcome,
  onTry: (left: number) => void,
): Promise<Outcome & { kept: readonly number[] }> {
  const [{ judge } = { judge: '' }] = failed.violations;
  let kept = Array.from({ length: failed.disturbances }, (_none, index) => index + 1);
  let last = failed;
  let runs = 0;
  for (let pieces = 2; kept.length > 0 && runs < MOST_RUNS;) {
    const size = Math.ceil(kept.length / pieces);
    let hasShrunk = false;
    for (let from = 0; from < kept.length && runs < MOST_RUNS; from += size) {
      const left = [...kept.slice(0, from), ...kept.slice(from + size)];
      runs += 1;
      const outcome = await playWith(run, left);
      if (outcome.violations[0]?.judge !== judge) continue;
      [kept, last, hasShrunk] = [left, outcome, true];
      onTry(kept.length);
      break;
    }
    if (hasShrunk) pieces = Math.max(2, pieces - 1);
    else if (size === 1) break;
    else pieces = Math.min(kept.length, pieces * 2);
  }
  return { ...last, kept };
}

function playWith(run: Play, kept: readonly number[]): Promise<Outcome> {
  const wanted = new Set(kept);
  return play({ ...run, allows: (disturbance) => wanted.has(disturbance) });
}
