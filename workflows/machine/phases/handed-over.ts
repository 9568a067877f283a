import { AGAIN, waitFor, type Answer } from '../answer.ts';
import { waitForKubernetes } from '../deletion-waits.ts';
import type { Pass } from '../pass.ts';
import { local } from '../ports.ts';
import { notDue } from '../step-retry.ts';
import { writeStatus } from '../write-pass.ts';

const STEP = 'DeleteMachine';

/** Everything that comes before its end is done: the Machine is deleted, and there is no way back. */
export async function handedOver(pass: Pass): Promise<Answer> {
  const { handedOver: slot } = pass.memory;
  // Said before: a Machine that was never launched has nothing that keeps it afterwards.
  pass.set({ preparation: 'completed' });
  const wait = notDue(slot.retry, pass.nowMs);
  if (wait !== undefined) return waitFor(wait);
  pass.wait(undefined);
  if (pass.isUnwritten) await writeStatus(pass);
  const answer = await local.deleteMachine(pass.target);
  if (answer.outcome === 'done') return AGAIN;
  return waitForKubernetes(pass, STEP, slot, answer.message);
}
