import type { EventReason } from '../k8s/model/reasons/reasons.ts';
import { failureMessage, isObjectChanged } from './activity-failures.ts';
import type { ObjectTarget } from './object-target.ts';
import { isDue, missingAfter, type Retry } from './retry.ts';
import type { BackoffSettings } from './settings.ts';
import { fixTime, reportEvent } from './short-steps.ts';

/** What came of it. `changed`: the object is not what it was, so look again. A Retry: it was refused, and when it is tried again. */
export type Outcome = 'done' | 'changed' | Retry;

/** Something that the API server may refuse. */
export interface Attempt {
  readonly target: ObjectTarget;
  /** What it was refused before. */
  readonly known: Retry | undefined;
  readonly settings: BackoffSettings;
  /** Undefined: there is nothing to do. */
  readonly act: (() => Promise<void>) | undefined;
  /** Of the event that tells of a refusal: its reason, and how its message begins. */
  readonly reason: EventReason;
  readonly words: string;
}

/** Where it is refused, an event says so, once, and it is tried again when its time has come. */
export async function attempt({ target, known, settings, act, reason, words }: Attempt): Promise<Outcome> {
  if (act === undefined) return 'done';
  if (known !== undefined && !isDue(known, Date.now())) return known;
  try {
    await act();
    return 'done';
  } catch (error) {
    if (isObjectChanged(error)) return 'changed';
    await fixTime();
    const retry = missingAfter(failureMessage(error), known, settings, Date.now());
    if (retry.failures > 1) return retry;
    await reportEvent({ ...target, event: { type: 'Warning', reason, message: `${words}: ${retry.message}` } });
    return retry;
  }
}

/** Writes a status, as {@link attempt} does. */
export function tellStatus({ act: write, ...asked }: Omit<Attempt, 'reason' | 'words'>): Promise<Outcome> {
  const words = 'the status cannot be written, and is not what it says';
  return attempt({ ...asked, act: write, reason: 'FailedStatusWrite', words });
}

/**
 * The same, for an object that has to remember nothing but what was refused of its status.
 *
 * @returns `changed`: the object is not what it was, look again; `done`: it is written, or tried again at the time that `memory` has
 */
export async function keepStatus(
  memory: { refused?: Retry },
  asked: Pick<Attempt, 'target' | 'settings' | 'act'>,
): Promise<'done' | 'changed'> {
  const told = await tellStatus({ ...asked, known: memory.refused });
  if (told === 'changed') return told;
  delete memory.refused;
  if (told !== 'done') memory.refused = told;
  return 'done';
}
