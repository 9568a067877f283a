import type { Client } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';

export interface RecordedActivityOptions {
  /** Called when the activity asks whether Temporal waits for it still; fails where it does not. @default it always does */
  readonly onAsked?: () => Promise<void>;
}

/** What an activity runs in that Temporal has recorded: it may ask whether that still waits for it. */
export function recordedActivity({ onAsked = async () => {} }: RecordedActivityOptions = {}): MockActivityEnvironment {
  const client = {
    activity: { heartbeat: onAsked },
    withAbortSignal: <T>(_signal: AbortSignal, run: () => Promise<T>) => run(),
  } as unknown as Client;
  return new MockActivityEnvironment({ heartbeatTimeoutMs: 15_000 }, { client });
}
