import { AGAIN, DONE, type Answer } from '../answer.ts';
import { lookAtInstance } from '../look-at-instance.ts';
import type { Pass } from '../pass.ts';

/**
 * A Machine that came with an instance, by its providerID or by the status of the controller before us, never launches: the
 * instance is looked at, proved to be the Machine's, and recorded, before anything else goes by it.
 */
export async function adopted(pass: Pass): Promise<Answer> {
  const { memory, status, instanceId: id } = pass;
  if (id === undefined || pass.sighting !== undefined) return DONE;
  const { instance, launch, nodeRef } = status;
  // A status may be a copy: what it names was launched by us, or was looked at and found to be the machine's by this workflow.
  if (instance !== undefined && (launch !== undefined || memory.instance?.id === id)) return DONE;
  if (nodeRef === undefined) pass.set({ phase: 'Provisioned' });
  const answer = await lookAtInstance(pass, memory.adopted, id);
  if (answer.outcome === 'wait') return { outcome: 'wait', wait: answer.wait };
  return answer.outcome === 'done' ? AGAIN : answer;
}
