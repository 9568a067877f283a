import type { Phase } from './answer.ts';
import { isNodeAsked } from './emptying.ts';
import type { Pass } from './pass.ts';

/**
 * What was sent before an abort was seen may take effect for so long, in milliseconds: a pass goes by a look at the Machine of a second
 * ago at most, asks pods to go within eight seconds of that, and gives up on an answer after 15; it writes within 14 seconds, and gives up on
 * an answer after 10.
 */
const LATEST_EFFECT_MS = 25_000;

/** The phase, of a preparation that may wait there: notes since when nothing is asked of the Node, where nothing was before. */
export function withCalmNoted(phase: Phase): Phase {
  return async (pass) => {
    const answer = await phase(pass);
    const { machine, node } = pass.seen;
    const isCalm = machine.deletedAt === undefined && !isNodeAsked(pass) && node?.isHeld !== true;
    if (answer.outcome === 'wait' && isCalm) pass.memory.calmSince ??= pass.nowMs;
    return answer;
  };
}

/** To be called before something is asked of the Node. True: an abort would not wait for that, and it has to be in the history first that it does. */
export function endCalm({ memory, seen: { machine } }: Pass): boolean {
  if (memory.calmSince === undefined) return false;
  delete memory.calmSince;
  return machine.deletedAt === undefined;
}

/** From when on nothing takes effect any more that was sent before now, in milliseconds since the epoch. */
export function quietFrom({ memory: { calmSince }, nowMs, instanceId }: Pass): number {
  if (instanceId === undefined) return nowMs;
  return Math.max(nowMs, (calmSince ?? nowMs) + LATEST_EFFECT_MS);
}
