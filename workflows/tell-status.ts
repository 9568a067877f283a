import { failureMessage, isObjectChanged } from './activity-failures.ts';
import type { ObjectTarget } from './object-target.ts';
import { refusedAgain, type Refusal } from './refusal.ts';
import type { BackoffSettings } from './settings.ts';
import { reportEvent } from './short-steps.ts';

/** What came of it: `changed`: the object is not what it was, look again; a refusal is waited out. */
export type Told = 'told' | 'changed' | Refusal;

/**
 * Writes a status. Where that is refused, an event says so, once, and it is tried again when its time has come.
 *
 * @param known what it was refused before
 * @param write undefined: the status says so already
 */
export async function tellStatus(
  target: ObjectTarget,
  known: Refusal | undefined,
  settings: BackoffSettings,
  write: (() => Promise<void>) | undefined,
): Promise<Told> {
  if (known !== undefined && known.waitUntil > Date.now()) return known;
  try {
    await write?.();
    return 'told';
  } catch (error) {
    if (isObjectChanged(error)) return 'changed';
    const refusal = refusedAgain(known, failureMessage(error), settings, Date.now());
    if (refusal.times > 1) return refusal;
    const message = `the status cannot be written, and is not what it says: ${refusal.message}`;
    await reportEvent({ ...target, event: { type: 'Warning', reason: 'FailedStatusWrite', message } });
    return refusal;
  }
}
