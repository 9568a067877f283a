import { AGAIN, DONE, type Answer } from '../answer.ts';
import type { Pass } from '../pass.ts';
import { local } from '../ports.ts';
import { rebootLookAt } from '../reboot-look-at.ts';

/**
 * Of a machine that has failed nothing is rebooted; but where its check is gone nobody else takes the wish off, and its Node would stay
 * cordoned for it.
 */
export async function rebootWithdrawn(pass: Pass): Promise<Answer> {
  if (pass.seen.machine.rebootWish === undefined) return DONE;
  const look = await local.lookAtReboot(pass.target);
  if (look.outcome !== 'withdrawn') {
    return { outcome: 'done', until: rebootLookAt(pass), why: 'a look whether its reboot is wanted still' };
  }
  await local.forgetReboot(pass.target);
  return AGAIN;
}
