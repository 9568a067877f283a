import { isObjectChanged } from '../../activity-failures.ts';
import { AGAIN, waitFor, type Answer } from '../answer.ts';
import { waitForKubernetes } from '../deletion-waits.ts';
import { hasTermination } from '../hooks.ts';
import type { KubernetesAnswer } from '../machine-activities.ts';
import type { Pass } from '../pass.ts';
import { local } from '../ports.ts';
import { notDue } from '../step-retry.ts';
import { writeStatus } from '../write-pass.ts';
import { given } from '../../../providers/given.ts';

const STEP = 'DeleteMachine';

/** Everything that comes before its end is done: the Machine is deleted, and there is no way back. */
export async function handedOver(pass: Pass): Promise<Answer> {
  const { handedOver: slot, refused } = pass.memory;
  const wait = notDue(slot.retry, pass.nowMs);
  // Said before: a Machine that was never launched has nothing that keeps it afterwards. While the API server refuses it that is said.
  if (refused === undefined) await sayCompleted(pass, wait === undefined);
  if (wait !== undefined) return waitFor(wait);
  const answer = await deleteAsSeen(pass);
  pass.set({ preparation: 'completed' });
  if (answer.outcome === 'failed') return waitForKubernetes(pass, STEP, slot, answer.message);
  pass.memory.isHandedOver = true;
  pass.wait(undefined);
  return AGAIN;
}

/** A Machine that changed meanwhile is looked at again at once; where that happens several times in a row, ever more seldom. */
async function deleteAsSeen(pass: Pass): Promise<KubernetesAnswer> {
  const { handedOver: slot } = pass.memory;
  const hasNoTermination = !hasTermination(pass) || undefined;
  try {
    const answer = await local.deleteMachine({ ...pass.target, ...given({ hasNoTermination }) });
    delete slot.hasChanged;
    return answer;
  } catch (error) {
    if (!isObjectChanged(error)) throw error;
    const isFirst = slot.hasChanged !== true;
    slot.hasChanged = true;
    if (isFirst) throw error;
    const why = error.cause?.message ?? error.message;
    return { outcome: 'failed', message: `the Machine changed each time that it was to be deleted: ${why}` };
  }
}

async function sayCompleted(pass: Pass, isDue: boolean): Promise<void> {
  pass.set({ preparation: 'completed' });
  if (!isDue) return;
  pass.wait(undefined);
  if (pass.isUnwritten) await writeStatus(pass);
}
