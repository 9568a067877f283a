import { isMaintained, isPrepared } from '../../../../k8s/model/drain.ts';
import { isFailedForGood } from '../../../../k8s/model/failure.ts';
import type { Machine } from '../../../../k8s/model/machine.ts';
import type { MachineReading } from '../../../../k8s/model/reading.ts';

/** What an operation comes to. */
export interface Goal {
  /** What goes on when it is not waited for any more. */
  readonly operation: string;
  /** Of the machines that are left, before `after 600 s: …` or `yet: …`. */
  readonly unreached: string;
  /**
   * Undefined: it is still to come.
   *
   * @param now undefined: the Machine is gone
   * @param asked the Machine as it was when the wish was written
   */
  readonly outcomeOf: (now: MachineReading | undefined, asked: Machine) => Outcome | undefined;
}

export interface Outcome {
  /** False: it cannot come to it any more. */
  readonly isReached: boolean;
  /** After the name of the Machine. */
  readonly words: string;
}

const reached = (words: string): Outcome => ({ isReached: true, words });
const missed = (words: string): Outcome => ({ isReached: false, words });

export const GONE: Goal = {
  operation: 'the deletion',
  unreached: 'not gone',
  outcomeOf(now) {
    if (now === undefined) return reached('is gone');
    const { deletedAt, delete: isToGo } = now.machine;
    if (deletedAt !== undefined || isToGo === true) return undefined;
    return missed('is not to be deleted any more: somebody aborted that');
  },
};

export const ABORTED: Goal = {
  operation: 'the abort',
  unreached: 'its deletion is not aborted',
  outcomeOf(now, asked) {
    if (now === undefined) return missed('is gone: the abort came too late');
    const { deletedAt, delete: isToGo, status } = now.machine;
    if (deletedAt !== undefined) return missed(`was deleted at ${deletedAt}: the abort came too late`);
    if (isToGo === true) return missed('is to be deleted again: somebody asked for that meanwhile');
    if (isPrepared(status) || !isSeen(now.machine, asked)) return undefined;
    return reached('is not being deleted any more; pods that left do not come back by that');
  },
};

export const IN_MAINTENANCE: Goal = {
  operation: 'the maintenance',
  unreached: 'not in maintenance',
  outcomeOf(now, asked) {
    if (now === undefined) return missed('is gone');
    const { deletedAt, maintenance, status } = now.machine;
    if (deletedAt !== undefined) return missed('is being deleted: there is no maintenance of it any more');
    if (maintenance !== true) return missed('is not to be in maintenance any more: somebody took that back');
    if (isFailedForGood(status)) return missed('is Failed: nothing but a deletion acts on it');
    if (!isSeen(now.machine, asked)) return undefined;
    const node = status.nodeRef?.name;
    // When one joins nobody can tell, or whether one does.
    if (node === undefined) return missed('has no Node to empty: one that joins is cordoned and drained then');
    return status.maintenance === true
      ? reached(`is in maintenance: nothing that has to leave is on Node ${node}`)
      : undefined;
  },
};

export const OUT_OF_MAINTENANCE: Goal = {
  operation: 'the end of the maintenance',
  unreached: 'not out of maintenance',
  outcomeOf(now, asked) {
    if (now === undefined) return missed('is gone');
    const { deletedAt, maintenance, status } = now.machine;
    if (deletedAt !== undefined) return missed('is being deleted, which keeps its Node cordoned');
    if (maintenance === true) return missed('is to be in maintenance again: somebody asked for that meanwhile');
    if (isMaintained(status) || !isSeen(now.machine, asked)) return undefined;
    return reached('is out of maintenance');
  },
};

/** The status speaks of what was asked, and not of what was there before. */
export function isSeen({ status }: Machine, asked: Machine): boolean {
  return (status.observedGeneration ?? 0) >= asked.generation;
}
