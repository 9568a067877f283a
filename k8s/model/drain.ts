import type { ConditionType } from './reasons/conditions.ts';
import type { MachineStatus } from './machine.ts';

/** What a Node is emptied for: its machine is to go, only to be worked on, or to be rebooted. */
export type DrainPurpose = 'deletion' | 'maintenance' | 'reboot';

/** What the Node of a Machine is to be empty for now; undefined: it is not. */
export function purposeOf({
  deletedAt,
  delete: isToGo,
  maintenance,
  rebootWish,
}: DrainWishes): DrainPurpose | undefined {
  if (deletedAt !== undefined || isToGo === true) return 'deletion';
  if (maintenance === true) return 'maintenance';
  return rebootWish === undefined ? undefined : 'reboot';
}

/** A deletion by `spec.delete` was begun, and neither came to its end nor was taken back to its beginning. */
export function isPrepared({ preparation }: Pick<MachineStatus, 'preparation'>): boolean {
  return preparation !== undefined && preparation !== 'aborted';
}

/** A maintenance is under way, reached, or not over yet. */
export function isMaintained({ maintenance, conditions }: Pick<MachineStatus, 'maintenance' | 'conditions'>): boolean {
  // status.maintenance is false also while the Node is drained for it; the condition goes with the cordon.
  return maintenance === true || conditions.some(({ type }) => type === 'Maintenance');
}

interface DrainWishes {
  readonly deletedAt?: string;
  readonly delete?: boolean;
  readonly maintenance?: true;
  readonly rebootWish?: unknown;
}

/** How a Node is emptied. */
export interface DrainOptions {
  /** From the beginning of the drain until `onTimeout` applies. @default no limit */
  readonly timeoutMs?: number;
  /** What becomes of pods that are still there then. */
  readonly onTimeout: 'Wait' | 'Force';
  /** How long to wait until volumes are detached. */
  readonly volumeDetachTimeoutMs: number;
  /** Before a machine ends, the pods of DaemonSets leave after all others. @default they stay */
  readonly evictsDaemonSets?: true;
}

/** So long pods have to end where somebody asks late that their drain be over, in milliseconds. */
export const SHORT_NOTICE_MS = 60_000;

/** The condition that tells how far the drain for a purpose is. */
export const DRAIN_CONDITIONS = {
  deletion: 'Drained',
  maintenance: 'Maintenance',
  reboot: 'Rebooted',
} as const satisfies Record<DrainPurpose, ConditionType>;

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
