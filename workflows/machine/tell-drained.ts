import type { Phase } from './answer.ts';
import { noteTold, untoldEnd } from './emptying.ts';
import { local } from './ports.ts';
import { nodeTarget } from './proved-instance.ts';

/** A Node that stays no longer than so after its drain began need not tell how that ended, in milliseconds. */
const BRIEF_MS = 10_000;
/** When it is tried again, in milliseconds. */
const AGAIN_MS = 30_000;

/**
 * The phase, of a deletion whose drain is over: while that waits the Node stays, and tells how the drain ended. Most are over soon,
 * and their Nodes go at once: they tell nothing.
 */
export function withNodeTold(phase: Phase): Phase {
  return async (pass) => {
    const answer = await phase(pass);
    const untold = untoldEnd(pass);
    if (answer.outcome !== 'wait' || untold === undefined) return answer;
    const { end, since } = untold;
    const { until = Infinity } = answer.wait;
    if (until < since + BRIEF_MS) return answer;
    const now = pass.nowMs;
    const told = await local.tellDrained({ ...nodeTarget(pass), now, end });
    noteTold(pass, end, told.outcome === 'done');
    if (told.outcome === 'done') return answer;
    return { ...answer, wait: { ...answer.wait, until: Math.min(until, now + AGAIN_MS) } };
  };
}
