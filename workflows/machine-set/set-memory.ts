import type { CapacityMemory } from '../keep-capacity.ts';
import type { MarksMemory } from './marks.ts';
import type { Asked, Refusal } from './refusals.ts';

/** What the set's workflow must not forget between two looks. */
export interface MachineSetMemory extends CapacityMemory, MarksMemory {
  /** Names given out, and not yet known to exist. Recorded before anything is created. */
  issued: readonly string[];
  /** Creations whose answer nobody heard may take effect until then, in milliseconds since the epoch. */
  createsUntil?: number;
  /** What the API server refused, until it does it or it is wanted no more. */
  refusals: Partial<Record<Asked, Refusal>>;
  /** How many Machines are left that may not go yet, as others of their deployment are not available. */
  heldBack?: number;
  /** Since when there are such, in milliseconds since the epoch. */
  heldBackSince?: number;
  /** How many Machines it was asked for at the last look. Absent: nobody looked, or its deployment tells. */
  replicas?: number;
  /** When everything is looked at again, in milliseconds since the epoch. */
  resyncAt?: number;
  /** What is wrong with the object, once it was said. */
  malformed?: string;
}

/** Keeps what is known of a refusal, or forgets it. */
export function rememberRefusal(memory: MachineSetMemory, asked: Asked, refusal: Refusal | undefined): void {
  if (refusal === undefined) delete memory.refusals[asked];
  else memory.refusals[asked] = refusal;
}
