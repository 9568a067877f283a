import { failureMessage, isObjectChanged } from './activity-failures.ts';
import type { CapacityActivities } from './capacity-activities.ts';
import type { ObjectTarget } from './object-target.ts';
import { isDue, missingAfter, type Retry } from './retry.ts';
import type { BackoffSettings } from './settings.ts';
import { fixTime, reportEvent, shortSteps } from './short-steps.ts';
import { given } from '../providers/given.ts';

const { tellCapacity } = shortSteps<CapacityActivities>('say what a Node of it will be like', { maximumAttempts: 5 });

/** What is remembered of it. */
export interface CapacityMemory {
  capacity?: {
    /** What it was told by. */
    readonly key: string;
    /** It is told anew when everything is looked at again. */
    readonly resyncAt?: number;
    /** Why it could not be. */
    readonly refused?: Retry;
  };
  readonly resyncAt?: number;
}

/**
 * Has a group of cluster-autoscaler's say what its Nodes will be like, when what that follows from has changed.
 *
 * @param key what it follows from, as text; undefined: it need not say so
 * @returns when it is to be tried again, in milliseconds since the epoch
 */
export async function keepCapacity(
  target: ObjectTarget,
  memory: CapacityMemory,
  key: string | undefined,
  settings: BackoffSettings,
): Promise<number> {
  if (key === undefined) {
    delete memory.capacity;
    return Infinity;
  }
  const { resyncAt, capacity: known } = memory;
  const isKnown = known?.key === key && known.resyncAt === resyncAt;
  if (isKnown && (known.refused === undefined || !isDue(known.refused, Date.now())))
    return known.refused?.until ?? Infinity;
  const untold = await tell(target);
  const at = given({ resyncAt });
  if (untold === undefined) {
    memory.capacity = { key, ...at };
    return Infinity;
  }
  await fixTime();
  const { message } = untold;
  const refused = missingAfter(message, isKnown ? known.refused : undefined, settings, Date.now());
  memory.capacity = { key, ...at, refused };
  if (!untold.isChanged && known?.refused?.message !== message) {
    const words = `cluster-autoscaler cannot scale it from zero: ${message}`;
    await reportEvent({ ...target, event: { type: 'Warning', reason: 'CapacityUnknown', message: words } });
  }
  return refused.until;
}

interface Untold {
  readonly message: string;
  /** Somebody wrote the object meanwhile: that is no trouble, and passes. */
  readonly isChanged: boolean;
}

/** Undefined: it is told. */
async function tell(target: ObjectTarget): Promise<Untold | undefined> {
  try {
    const answer = await tellCapacity(target);
    return answer.outcome === 'told' ? undefined : { message: answer.message, isChanged: false };
  } catch (error) {
    return { message: failureMessage(error), isChanged: isObjectChanged(error) };
  }
}
