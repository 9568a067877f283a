import { asSummary } from '../summary.ts';
import { retryMs } from './await-turn.ts';
import { isGone } from './instance-facts.ts';
import { frozenParameters } from './instance.ts';
import type { CloudFailure } from './launch-record.ts';
import type { Life } from './life.ts';
import type { FindAnswer, SurplusAnswer } from './machine-activities.ts';
import { cloudCalls, local } from './ports.ts';

import { unanswered } from './unanswered.ts';

const CONDITION = 'InstancesUnique';
/** From the request to end a surplus instance to the look whether it ends, in milliseconds. */
const LOOK_AFTER_END_MS = 5000;

/**
 * Where something gave a reason to count the machine's living instances, and there is more than one: all are named, the one
 * on record stays, and those that this Machine launched are ended. Counts again until there is only one.
 */
export async function endSurplus(life: Life, keep: string): Promise<void> {
  const { memory } = life;
  if ((memory.recountAt ?? Infinity) <= life.nowMs) memory.recount = true;
  if (memory.recount !== true) return;
  delete memory.recountAt;
  memory.recount = false;
  const found = await findOwn(life);
  if (found.outcome === 'failed') {
    // Nothing is concluded: what was said of it before still stands.
    memory.recountAt = life.nowMs + retryMs(life.settings, found.failure, 'denied', 1, Math.random());
    return;
  }
  const surplus = found.instances.filter(({ id, state }) => id !== keep && !isGone(state));
  if (surplus.length === 0) {
    life.clearCondition(CONDITION);
    return;
  }
  const ends: string[] = [];
  let isLeft = false;
  for (const { id } of surplus) {
    const answer = await end(life, id, keep);
    ends.push(`${id} ${inWords(answer)}`);
    isLeft ||= answer.outcome !== 'ended';
  }
  const message = `the machine has more than one living instance: ${keep} is on record and stays; ${ends.join('; ')}`;
  const known = life.status.conditions.find(({ type }) => type === CONDITION)?.message;
  if (known !== message) life.event = { type: 'Warning', reason: 'MultipleInstances', message };
  life.setCondition({ type: CONDITION, status: 'False', reason: 'MultipleInstances', message });
  memory.recountAt = life.nowMs + (isLeft ? life.settings.goneWindowSeconds * 1000 : LOOK_AFTER_END_MS);
}

export type OthersEnd =
  | { readonly outcome: 'ended' }
  | { readonly outcome: 'waits'; readonly message: string }
  | { readonly outcome: 'failed'; readonly failure: CloudFailure };

/**
 * Before a Machine goes: ends what else was launched for it, where a call may have made an instance that nobody saw. One
 * clean launch, called once and answered with its instance, needs no look.
 */
export async function endOthers(life: Life): Promise<OthersEnd> {
  const { memory, instanceId } = life;
  if (memory.othersEnded === true || !mayHaveOthers(life)) return { outcome: 'ended' };
  const found = await findOwn(life);
  if (found.outcome === 'failed') return found;
  const others = found.instances.filter(({ id, state }) => id !== instanceId && state !== 'terminated');
  const ending: string[] = [];
  const left: string[] = [];
  for (const { id, state } of others) {
    const answer = isGone(state) ? { outcome: 'ended' as const } : await end(life, id, instanceId);
    if (answer.outcome === 'failed') return answer;
    if (answer.outcome === 'ended') ending.push(id);
    else left.push(`${id} ${inWords(answer)}`);
  }
  if (ending.length > 0) {
    return {
      outcome: 'waits',
      message: `more than one instance was launched for the machine: ${ending.join(', ')} ends`,
    };
  }
  if (left.length > 0) life.event = { type: 'Warning', reason: 'MultipleInstances', message: left.join('; ') };
  memory.othersEnded = true;
  return { outcome: 'ended' };
}

function mayHaveOthers({ memory, status, instanceId }: Life): boolean {
  if (memory.isLaunchedOnce === true) return false;
  // What was adopted or found may be one of several; so may what a workflow launched of which this one knows nothing.
  if (instanceId !== undefined) return true;
  return (memory.launch?.prepared.attempt ?? status.launch?.attempt ?? 0) > 1;
}

/** The instances that were launched for this Machine, in whatever state. */
function findOwn(life: Life): Promise<FindAnswer> {
  const { launch } = life.status;
  return local.findInstances({
    ...life.target,
    machineCluster: life.seen.machine.cluster,
    ...frozenParameters(life),
    ...(launch === undefined ? {} : { token: launch.token }),
    ownOnly: true,
  });
}

async function end(life: Life, id: string, keep?: string): Promise<SurplusAnswer> {
  const summary = asSummary(`end ${id}, one instance too many`);
  const request = { ...life.target, id, ...(keep === undefined ? {} : { keep }), ...frozenParameters(life) };
  try {
    return await cloudCalls(life.settings).endSurplusInstance.executeWithOptions({ summary }, [request]);
  } catch (error) {
    return { outcome: 'failed', failure: unanswered(error, `asking to terminate ${id}`) };
  }
}

function inWords(answer: SurplusAnswer): string {
  switch (answer.outcome) {
    case 'ended':
      return 'was launched by this Machine and is ended';
    case 'left':
      return `is left alone: ${answer.message}`;
    case 'failed':
      // When it is tried again differs each time, and is no news.
      return answer.failure.notSent === true
        ? 'is not ended yet: the cloud is not asked just now'
        : `could not be ended: ${answer.failure.message}`;
  }
}
