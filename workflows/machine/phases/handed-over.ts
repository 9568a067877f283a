import { AGAIN, waitFor, type Answer } from '../answer.ts';
import { waitForKubernetes } from '../deletion-waits.ts';
import type { Pass } from '../pass.ts';
import { local } from '../ports.ts';
import { notDue } from '../step-retry.ts';
import { writeStatus } from '../write-pass.ts';

const STEP = 'DeleteMachine';

/** Everything that comes before its end is done: the Machine is deleted, and there is no way back. */
export async function handedOver(pass: Pass): Promise<Answer> {
  const { handedOver: slot, refused } = pass.memory;
  const wait = notDue(slot.retry, pass.nowMs);
  // Said before: a Machine that was never launched has nothing that keeps it afterwards. While the API server refuses it that is said.
  if (refused === undefined) await sayCompleted(pass, wait === undefined);
  if (wait !== undefined) return waitFor(wait);
  const answer = await local.deleteMachine(pass.target);
  pass.set({ preparation: 'completed' });
  if (answer.outcome === 'failed') return waitForKubernetes(pass, STEP, slot, answer.message);
  pass.wait(undefined);
  return AGAIN;
}

async function sayCompleted(pass: Pass, isDue: boolean): Promise<void> {
  pass.set({ preparation: 'completed' });
  if (!isDue) return;
  pass.wait(undefined);
  if (pass.isUnwritten) await writeStatus(pass);
}
