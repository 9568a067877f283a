import type { CloudFailure } from './launch-record.ts';
import type { MachineTarget } from './machine-activities.ts';

/** What a machine asks for where its health check wants its instance rebooted. */
export interface RebootActivities {
  /** A live look whether the reboot is wanted, and may be now. */
  lookAtReboot(request: MachineTarget): Promise<RebootLook>;
  /** Boots the instance anew, with one call, if all is still as it was when the call was recorded. Never safe to repeat. */
  rebootInstance(request: RebootInstance): Promise<RebootAnswer>;
  /** Takes the wish off a Machine, where its health check does not stand behind it any more. Safe to repeat. */
  forgetReboot(request: MachineTarget): Promise<void>;
}

export type RebootLook =
  /** Nobody stands behind the wish any more: its check is gone, or has it rebooted no more. */
  | { readonly outcome: 'withdrawn'; readonly message: string }
  /** Not now: a sentence. */
  | { readonly outcome: 'held'; readonly message: string }
  | DueReboot
  /** The API server could not tell now. */
  | { readonly outcome: 'failed'; readonly message: string };

export interface DueReboot {
  readonly outcome: 'due';
  /** Why, as its check says. */
  readonly cause: string;
  /** The cloud can do it. */
  readonly isSupported: boolean;
  /** How often it may be rebooted within 24 hours. */
  readonly maxReboots: number;
  /** Its Node answers. */
  readonly isNodeReady: boolean;
  /** The boot that its Node tells of; absent: there is none. */
  readonly bootID?: string;
}

export interface RebootInstance extends MachineTarget {
  /** Of the wish. */
  readonly wish: string;
  /** RFC 3339: as the Machine's status has it, where this very call is recorded. */
  readonly sentAt: string;
  readonly instance: string;
  /** The workflow saw the launch answer with this id. @default a look tells whose it is */
  readonly isKnownOwn?: true;
  /** The Node was drained for it. @default it must not be Ready then */
  readonly isDrained?: true;
}

export type RebootAnswer =
  | { readonly outcome: 'sent' }
  /** The cloud was not called, or said no. `isFinal`: it will not say anything else. */
  | { readonly outcome: 'refused'; readonly failure: CloudFailure; readonly isFinal?: true }
  /** Nobody knows whether it is rebooted. */
  | { readonly outcome: 'unanswered'; readonly message: string };
