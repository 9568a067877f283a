import { backoffMs, type BackoffSettings } from './settings.ts';

/** What the API server refused, while it is waited out. */
export interface Refusal {
  readonly message: string;
  /** Tries in a row that ended so, from 1. */
  readonly times: number;
  /** When it is tried again, in milliseconds since the epoch. */
  readonly waitUntil: number;
}

/** A refusal of all that was asked for, once more or for the first time. */
export function refusedAgain(
  known: Refusal | undefined,
  message: string,
  settings: BackoffSettings,
  now: number,
): Refusal {
  const times = (known?.times ?? 0) + 1;
  return { message, times, waitUntil: now + backoffMs(settings, 'missing', times, 0) };
}
