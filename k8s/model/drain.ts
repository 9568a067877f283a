/** How a Node is emptied before its instance ends. */
export interface DrainOptions {
  /** From the beginning of the drain until `onTimeout` applies. @default no limit */
  readonly timeoutMs?: number;
  /** What becomes of pods that are still there then. */
  readonly onTimeout: 'Wait' | 'Force';
  /** How long to wait until volumes are detached. */
  readonly volumeDetachTimeoutMs: number;
}

export const DEFAULT_DRAIN: DrainOptions = { onTimeout: 'Wait', volumeDetachTimeoutMs: 120_000 };

/** How far a deletion has come. All are RFC 3339. */
export interface DeletionTimes {
  /** When it began to wait for preDrain hooks. */
  readonly preDrainHookStartTime?: string;
  readonly drainStartTime?: string;
  /** When it began to wait for volumes. */
  readonly volumeDetachStartTime?: string;
  /** When drain and volumes were done with. */
  readonly preTerminateHookStartTime?: string;
}
