import type { RequestPhase } from '../../devstack/doubles/fault-proxy/recorded-request.ts';
import { parsePoint } from '../../devstack/doubles/fault-proxy/request-point.ts';
import { EVERYTHING } from './choose-points.ts';
import type { FaultCloud } from './fault-cloud.ts';
import { runKillCase, type KillCase, type KillOutcome } from './kill-case.ts';
import { messageOf } from '../../providers/message-of.ts';

export const PHASES: readonly RequestPhase[] = ['before', 'after-effect', 'after-answer'];
/** A point may lie in a pass that a run does not need: then it is tried again, with more looks. */
const TRIES = 4;
/** What every one of so many undisturbed runs does is what a run can be expected to reach; what decides is in all of them. */
const RECORDINGS = EVERYTHING ? 3 : 1;

export interface Hit {
  readonly point: string;
  readonly phase: RequestPhase;
  readonly outcome: KillOutcome | { readonly failed: string };
}

/** What the cases of a matrix have in common. */
export type KillHow = Pick<KillCase, 'proxyTarget' | 'restartAfterMs' | 'workers' | 'times' | 'life'>;

/** What a matrix came to, a line for each case, and those that were not hit or did not hold. */
export interface MatrixResult {
  readonly lines: readonly string[];
  readonly notHit: readonly string[];
  readonly notHeld: readonly string[];
}

/** The points of an undisturbed run that others like it have, too; and what was wrong with those runs. */
export async function recordUndisturbed(
  cloud: FaultCloud,
  prefix: string,
  how: KillHow = {},
): Promise<{ readonly points: readonly string[]; readonly verdict: readonly string[] }> {
  const runs = await Promise.all(
    Array.from({ length: RECORDINGS }, (_, i) => runKillCase({ name: `${prefix}-none-${i}`, cloud, ...how })),
  );
  const [first, ...others] = runs.map(({ points }) => points);
  const points = (first ?? []).filter((point) => others.every((list) => list.includes(point)));
  return { points, verdict: runs.flatMap(({ verdict }) => verdict) };
}

/** Kills at each of the points in each phase. */
export async function runKillMatrix(
  cloud: FaultCloud,
  prefix: string,
  points: readonly string[],
  how: KillHow = {},
): Promise<MatrixResult> {
  const hits = await Promise.all(
    points.flatMap((point, p) => PHASES.map((phase, f) => killAt(cloud, point, phase, `${prefix}-${p}-${f}`, how))),
  );
  return {
    lines: hits.map(lineOf),
    notHit: hits.filter(({ outcome }) => !('hit' in outcome && outcome.hit)).map(lineOf),
    notHeld: hits.filter(({ outcome }) => !('verdict' in outcome) || outcome.verdict.length > 0).map(lineOf),
  };
}

async function killAt(cloud: FaultCloud, point: string, phase: RequestPhase, name: string, how: KillHow): Promise<Hit> {
  let last: Hit['outcome'] = { failed: 'never tried' };
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    try {
      last = await runKillCase({
        name: `${name}-${attempt}`,
        cloud,
        kill: { point: parsePoint(point), phase },
        withPokes: attempt > 1,
        ...how,
      });
      if ('hit' in last && (last.hit || last.verdict.length > 0)) break;
    } catch (error) {
      return { point, phase, outcome: { failed: messageOf(error) } };
    }
  }
  return { point, phase, outcome: last };
}

function lineOf({ point, phase, outcome }: Hit): string {
  if ('failed' in outcome) return `${point}, ${phase}: failed: ${outcome.failed}`;
  const verdict = outcome.verdict.length === 0 ? 'held' : outcome.verdict.join('; ');
  return `${point}, ${phase}: ${outcome.hit ? 'killed' : 'NOT REACHED'}, ${verdict}`;
}
