import type { Answer, Phase } from './answer.ts';
import { noteTold, untoldEnd } from './emptying.ts';
import { local } from './ports.ts';
import type { Pass } from './pass.ts';
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
    return answer.outcome === 'wait' ? whileTelling(pass, answer) : answer;
  };
}

/** The same for a phase that takes a while on any cloud, after which the Node goes: it tells something where the cloud fails. */
export function withNodeToldInTrouble(phase: Phase): Phase {
  return async (pass) => {
    const answer = await phase(pass);
    return answer.outcome === 'wait' && answer.wait.cloudFails === true ? whileTelling(pass, answer) : answer;
  };
}

async function whileTelling(pass: Pass, answer: Extract<Answer, { outcome: 'wait' }>): Promise<Answer> {
  const { until = Infinity } = answer.wait;
  const at = await tellDrained(pass, until);
  return at === until ? answer : { ...answer, wait: { ...answer.wait, until: at } };
}

/**
 * Has the Node tell how its drain ended, where it does not yet, and stays for long enough.
 *
 * @param until how long the machine waits for something else, in milliseconds since the epoch
 * @returns when there is to be another look: earlier where it could not be told
 */
export async function tellDrained(pass: Pass, until: number): Promise<number> {
  const untold = untoldEnd(pass);
  if (untold === undefined || until < untold.since + BRIEF_MS) return until;
  const { end } = untold;
  const now = pass.nowMs;
  const told = await local.tellDrained({ ...nodeTarget(pass), now, end });
  noteTold(pass, end, told.outcome === 'done');
  return told.outcome === 'done' ? until : Math.min(until, now + AGAIN_MS);
}
