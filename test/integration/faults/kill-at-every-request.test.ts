import { describe, expect, it } from '@jest/globals';
import pLimit from 'p-limit';
import { parsePoint } from '../../../devstack/fault-proxy/request-point.ts';
import type { RequestPhase } from '../../../devstack/fault-proxy/recorded-request.ts';
import { startForgetfulCloud } from '../../faults/forgetful-cloud.ts';
import { runKillCase, type KillOutcome } from '../../faults/kill-case.ts';
import { choosePoints } from '../../faults/choose-points.ts';

const PHASES: readonly RequestPhase[] = ['before', 'after-effect', 'after-answer'];
/** Cases side by side. Each is mostly waiting: for time-outs, for a Node. */
const SIDE_BY_SIDE = Number(process.env['MILLWRIGHT_FAULTS_PARALLEL'] ?? 6);
/** A point may lie in a pass that a run does not need: then it is tried again, with more looks. */
const TRIES = 4;
/** What every one of so many undisturbed runs does is what a run can be expected to reach. */
const RECORDINGS = 3;

interface Hit {
  readonly point: string;
  readonly phase: RequestPhase;
  readonly outcome: KillOutcome | { readonly failed: string };
}

describe('a worker killed at any request of a machine’s life', () => {
  it(
    'leaves exactly one instance while the machine is wanted, and none afterwards',
    async () => {
      const recorded = await recordUndisturbed();
      const { points, seed } = choosePoints(recorded, process.env['MILLWRIGHT_FAULTS'] === 'all');
      console.log(`${recorded.length} points, ${points.length} taken (seed ${seed}):\n${points.join('\n')}`);

      const limit = pLimit(SIDE_BY_SIDE);
      const hits = await Promise.all(
        points.flatMap((point, p) => PHASES.map((phase, f) => limit(() => killAt(point, phase, `kill-${p}-${f}`)))),
      );
      console.log(hits.map(lineOf).join('\n'));
      expect(hits.filter(({ outcome }) => !('hit' in outcome && outcome.hit)).map(lineOf)).toEqual([]);
      expect(hits.filter(({ outcome }) => !('verdict' in outcome) || outcome.verdict.length > 0).map(lineOf)).toEqual(
        [],
      );
    },
    30 * 60_000,
  );

  it(
    'is found out where it launches with a new token each time and looks nothing up',
    async () => {
      const cloud = await startForgetfulCloud();
      try {
        const { hit, verdict } = await runKillCase({
          name: 'kill-control',
          cloudEndpoint: cloud.url,
          kill: { point: parsePoint('LAUNCH instances #1'), phase: 'after-effect' },
        });
        expect(hit).toBe(true);
        expect(verdict.join('\n')).toMatch(/2 instances in its life/);
      } finally {
        cloud.close();
      }
    },
    5 * 60_000,
  );
});

/** The points of an undisturbed run that others like it have, too. */
async function recordUndisturbed(): Promise<string[]> {
  const runs = await Promise.all(Array.from({ length: RECORDINGS }, (_, i) => runKillCase({ name: `kill-none-${i}` })));
  expect(runs.flatMap(({ verdict }) => verdict)).toEqual([]);
  const [first, ...others] = runs.map(({ points }) => points);
  return (first ?? []).filter((point) => others.every((points) => points.includes(point)));
}

async function killAt(point: string, phase: RequestPhase, name: string): Promise<Hit> {
  let last: Hit['outcome'] = { failed: 'never tried' };
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    try {
      last = await runKillCase({
        name: `${name}-${attempt}`,
        kill: { point: parsePoint(point), phase },
        withPokes: attempt > 1,
      });
      if ('hit' in last && (last.hit || last.verdict.length > 0)) break;
    } catch (error) {
      return { point, phase, outcome: { failed: error instanceof Error ? error.message : String(error) } };
    }
  }
  return { point, phase, outcome: last };
}

function lineOf({ point, phase, outcome }: Hit): string {
  if ('failed' in outcome) return `${point}, ${phase}: failed: ${outcome.failed}`;
  const verdict = outcome.verdict.length === 0 ? 'held' : outcome.verdict.join('; ');
  return `${point}, ${phase}: ${outcome.hit ? 'killed' : 'NOT REACHED'}, ${verdict}`;
}
