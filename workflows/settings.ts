import { doubled, type Doubling } from '../providers/doubling.ts';

/**
 * The times that the workflow of any object goes by. A worker reads them from its options and hands them over with every look
 * at the object, so that a change reaches running workflows at their next pass.
 */
export interface EntitySettings extends BackoffSettings {
  /** A look at everything, whatever was or was not signalled. Seconds. @default 21600 */
  readonly resyncSeconds: number;
}

/** Of more settings those of any object's workflow. */
export function entitySettingsOf({ backoff, resyncSeconds }: EntitySettings): EntitySettings {
  return { backoff, resyncSeconds };
}

export interface BackoffSettings {
  /** Wait before the next try, by retry class; doubles from `first` up to `most`. Seconds. */
  readonly backoff: Readonly<Record<BackoffClass, Doubling>>;
}

export type BackoffClass = 'soon' | 'throttled' | 'exhausted' | 'denied' | 'missing';

/**
 * Milliseconds until the next try.
 *
 * @param failures how often it failed in a row, from 1
 * @param random in [0, 1): spreads throttled callers over half of the wait
 */
export function backoffMs(
  settings: BackoffSettings,
  retryClass: BackoffClass,
  failures: number,
  random: number,
): number {
  const wait = doubled(settings.backoff[retryClass], failures) * 1000;
  return retryClass === 'throttled' ? Math.round(wait * (0.75 + random / 2)) : wait;
}
