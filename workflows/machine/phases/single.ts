import { conditionOf } from '../../../k8s/model/condition.ts';
import { DONE, type Answer } from '../answer.ts';
import { hasEnded, isGone } from '../instance-facts.ts';
import type { Pass } from '../pass.ts';
import { isProvedOwn } from '../proved-instance.ts';
import type { SurplusAnswer } from '../instance-activities.ts';
import { retryAfter } from '../../retry.ts';
import { endSurplusInstance, findOwn, inWords } from '../surplus.ts';

const CONDITION = 'InstancesUnique';
/** From the request to end a surplus instance to the look whether it ends, in milliseconds. */
const LOOK_AFTER_END_MS = 5000;

/**
 * Where something gave a reason to count the machine's living instances, and there is more than one: all are named, the one
 * on record stays, and those that this Machine launched are ended. Counts again until there is only one.
 */
export async function single(pass: Pass): Promise<Answer> {
  const { memory } = pass;
  const { single: slot } = memory;
  const keep = pass.status.instance?.id;
  if ((slot.recountAt ?? Infinity) <= pass.nowMs) memory.recount = true;
  // What else the machine launched, a cloud may not show as soon as the instance that was found.
  if (memory.recount === true && keep !== undefined && !pass.isInstanceNew) {
    delete memory.recount;
    delete slot.recountAt;
    await count(pass, keep);
  }
  return slot.recountAt === undefined
    ? DONE
    : { outcome: 'done', until: slot.recountAt, why: "another count of the machine's instances" };
}

async function count(pass: Pass, keep: string): Promise<void> {
  const { single: slot } = pass.memory;
  const found = await findOwn(pass);
  if (found.outcome === 'failed') {
    // Nothing is concluded: what was said of it before still stands.
    slot.retry = retryAfter(found.failure, slot.retry, pass.settings, pass.nowMs, Math.random());
    slot.recountAt = slot.retry.until;
    return;
  }
  delete slot.retry;
  const surplus = found.instances.filter(({ id, state }) => id !== keep && !isGone(state));
  if (surplus.length === 0) {
    pass.clearCondition(CONDITION);
    return;
  }
  const ends: string[] = [];
  let isLeft = false;
  for (const { id } of surplus) {
    const answer = isProvedOwn(pass.memory, keep) ? await endSurplusInstance(pass, id, keep) : UNPROVED;
    ends.push(`${id} ${inWords(answer)}`);
    isLeft ||= answer.outcome !== 'ended';
  }
  const message = `${describeKept(pass, keep)}; ${ends.join('; ')}`;
  const known = conditionOf(pass.status.conditions, CONDITION)?.message;
  if (known !== message) pass.tell({ type: 'Warning', reason: 'MultipleInstances', message });
  pass.setCondition({ type: CONDITION, status: 'False', reason: 'MultipleInstances', message });
  slot.recountAt = pass.nowMs + (isLeft ? pass.settings.goneWindowSeconds * 1000 : LOOK_AFTER_END_MS);
}

/** Nobody looked at the instance on record since this workflow began, as the machine has failed: the other one may be the right one. */
const UNPROVED: SurplusAnswer = {
  outcome: 'left',
  message: "whether the one on record is the machine's is looked at no more, since the machine has failed",
};

function describeKept({ status }: Pass, keep: string): string {
  return hasEnded(status)
    ? `the machine has a living instance besides ${keep}, which is on record and is gone`
    : `the machine has more than one living instance: ${keep} is on record and stays`;
}
