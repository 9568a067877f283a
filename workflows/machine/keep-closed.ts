import { conditionOf } from '../../k8s/model/condition.ts';
import { given } from '../../providers/given.ts';
import type { Answer, Phase } from './answer.ts';
import { noteClosedAgain, noteRestTold, restTold } from './emptying.ts';
import type { Pass } from './pass.ts';
import { local } from './ports.ts';
import { nodeTarget } from './proved-instance.ts';

/** When it is tried again, in milliseconds. */
const AGAIN_MS = 30_000;

/**
 * The phase, of a deletion that a hook holds there: its drain, where that is under way, rests, and what its last pass told of pods may not
 * be so any more. The Machine says by which hook it rests instead.
 */
export function withRestTold(phase: Phase): Phase {
  return async (pass) => {
    const answer = await phase(pass);
    const { status: is, reason: before } = conditionOf(pass.status.conditions, 'Drained') ?? {};
    const type = 'Drained';
    if (answer.outcome === 'wait') {
      const message = restOf(pass);
      if (is === 'False') pass.setCondition({ type, status: is, reason: 'HookPresent', message });
    } else if (before === 'HookPresent') {
      const message = 'no hook holds the drain any more: it goes on';
      pass.setCondition({ type, status: 'False', reason: 'Draining', message });
    }
    return answer;
  };
}

/** The same for its Node: that stays closed meanwhile, whoever opens it, and tells that its drain rests. It costs a step only where that is news. */
export function withNodeClosed(phase: Phase): Phase {
  return async (pass) => {
    const answer = await phase(pass);
    return answer.outcome === 'wait' && isToStayClosed(pass) ? keepClosed(pass, answer) : answer;
  };
}

/** A Node that was emptied for what is over by now waits for the deletion: it says so. */
function isToStayClosed({ seen: { node, machine } }: Pass): boolean {
  if (node?.isHeldForDeletion === true) return true;
  return node?.isHeld === true && machine.maintenance !== true && machine.rebootWish === undefined;
}

async function keepClosed(pass: Pass, answer: Extract<Answer, { outcome: 'wait' }>): Promise<Answer> {
  const { nowMs: now, seen } = pass;
  const isOpen = seen.node?.isCordoned !== true;
  const isResting = conditionOf(pass.status.conditions, 'Drainable') !== undefined;
  const rests = isResting && restTold(pass) !== restOf(pass) ? restOf(pass) : undefined;
  if (!isOpen && rests === undefined) return answer;
  const kept = await local.keepClosed({ ...nodeTarget(pass), now, ...given({ rests }) });
  if (kept.outcome === 'failed') {
    const { until = Infinity } = answer.wait;
    return { ...answer, wait: { ...answer.wait, until: Math.min(until, now + AGAIN_MS) } };
  }
  if (isOpen) noteClosedAgain(pass);
  if (rests !== undefined) noteRestTold(pass, rests);
  return answer;
}

function restOf({ status }: Pass): string {
  return `the drain rests: it ${conditionOf(status.conditions, 'Drainable')?.message ?? 'waits for hooks'}`;
}
