import { AGAIN, waitFor, type Answer } from '../answer.ts';
import { waitForKubernetes } from '../deletion-waits.ts';
import type { Pass } from '../pass.ts';
import { local } from '../ports.ts';
import { isProvedOwn, nodeTarget } from '../proved-instance.ts';
import { notDue } from '../step-retry.ts';

const STEP = 'Release';

/**
 * Nothing of it is left in the cloud: its Node goes, and then the object may. The worker may die right after that, and take
 * along what this task found out: so what tells that nothing was left is in the history first.
 */
export async function released(pass: Pass): Promise<Answer> {
  const { events, nowMs } = pass;
  const { memory } = pass;
  const { released: slot } = memory;
  if (!isEndKnown(pass)) {
    memory.provedGoneAt ??= pass.rests;
    return { outcome: 'idle', why: 'nothing of it is left: the object goes next', until: nowMs };
  }
  const wait = notDue(slot.retry, nowMs);
  if (wait !== undefined) return waitFor(wait);
  const isWished = pass.seen.machine.delete === true ? { isWished: true as const } : {};
  const answer = await local.letGo({ ...nodeTarget(pass), events, ...isWished });
  if (answer.outcome !== 'done') return waitForKubernetes(pass, STEP, slot, answer.message);
  if (pass.seen.machine.otherFinalizers === undefined) return { outcome: 'end' };
  // Others hold the object: that is told for as long as they do. The events have just been recorded.
  const { instance } = pass.status;
  // Also where it was proved by absence: its place in its set is free.
  if (instance !== undefined && isProvedOwn(memory, instance.id))
    pass.set({ instance: { id: instance.id, state: 'terminated' } });
  memory.provedGoneAt ??= pass.rests;
  pass.told();
  return AGAIN;
}

/**
 * Whether the history so far tells what to make of an object that is suddenly gone: that nothing was left, that there never was
 * an instance, or where to see that it has ended. What this task found out is not in there yet.
 */
function isEndKnown({ memory, status, instanceId, rests }: Pass): boolean {
  const isNoted = (at: number | undefined) => at !== undefined && at < rests;
  if (memory.provedGoneAt !== undefined) return isNoted(memory.provedGoneAt);
  if (memory.attempt !== undefined) return false;
  if (instanceId === undefined) return memory.instanceId === undefined;
  return status.instance?.state === 'terminated' && isNoted(memory.cloud?.notedAt);
}
