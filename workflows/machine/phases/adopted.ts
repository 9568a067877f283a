import { AGAIN, DONE, type Answer } from '../answer.ts';
import { lookAtInstance } from '../look-at-instance.ts';
import type { Pass } from '../pass.ts';
import { isProvedOwn } from '../proved-instance.ts';

/**
 * A Machine that came with an instance, by its providerID or by its status, never launches: the instance is looked at, proved to be the
 * Machine's, and recorded, before anything else goes by it. That is so beside a launch on record, too: others may write a status.
 */
export async function adopted(pass: Pass): Promise<Answer> {
  const { memory, status, instanceId: id } = pass;
  if (id === undefined || pass.sighting !== undefined) return DONE;
  const { instance, launch, nodeRef } = status;
  if (instance !== undefined && isProvedOwn(memory, id)) return DONE;
  if (nodeRef === undefined && launch === undefined) pass.set({ phase: 'Provisioned' });
  const answer = await lookAtInstance(pass, memory.adopted, id);
  if (answer.outcome === 'wait') return { outcome: 'wait', wait: answer.wait };
  return answer.outcome === 'done' ? AGAIN : answer;
}
