import { given } from '../../../../providers/given.ts';
import { messageOf } from '../../../../providers/message-of.ts';
import { oneLine } from '../../../../providers/one-line.ts';

/** `unknown`: it could not be looked at, with these credentials or because something else is away. */
export type FindingStatus = 'ok' | 'failed' | 'unknown';

/** What was checked, what came back, and what to do about it. */
export interface Finding {
  readonly check: string;
  readonly status: FindingStatus;
  readonly found: string;
  /** Absent: nothing is to be done. */
  readonly advice?: string;
}

export function reportOk(check: string, found: string): Finding {
  return { check, status: 'ok', found };
}

export function reportFailed(check: string, found: string, advice: string): Finding {
  return { check, status: 'failed', found, advice };
}

export function reportUnknown(check: string, found: string, advice?: string): Finding {
  return { check, status: 'unknown', found, ...given({ advice }) };
}

/** In one line. */
export function wordsOf(error: unknown): string {
  return oneLine(messageOf(error));
}
