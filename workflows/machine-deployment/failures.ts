import { given } from '../../providers/given.ts';
import type { FailedMachine } from './new-machines.ts';

/** Machines of one template that failed or were too late. Kept, since who replaces one takes it out of sight. */
export interface RolloutFailures {
  /** Of the template. */
  readonly hash: string;
  readonly failed: readonly FailedMachine[];
  /** The rollout stands still for them: who has it go on does so in spite of them. */
  readonly isStopped: boolean;
  /** Why it was not rolled back when it stopped; absent: it was not to be. */
  readonly barred?: string;
}

/** What a survey tells of failures. */
export interface FailureSight {
  readonly hash: string;
  readonly failed: readonly FailedMachine[];
  readonly isHeld: boolean;
  /** All are of the template, and available. */
  readonly isComplete: boolean;
  /** Absent: it never stops. */
  readonly failureThreshold?: number;
}

/** What is known of failures after one more look; another template starts anew, and what of its Machines had failed before counts not. */
export function failuresAfter(known: RolloutFailures | undefined, sight: FailureSight): RolloutFailures {
  const { hash, isHeld, isComplete, failureThreshold = Infinity } = sight;
  if (known !== undefined && known.hash !== hash) return { hash, failed: sight.failed.map(forgive), isStopped: false };
  const had = known?.failed ?? [];
  // Somebody had it go on, or all came up after all: what had failed by then counts no more, but is remembered.
  const isOver = isComplete || (known?.isStopped === true && !isHeld);
  const forgiven = isOver ? had.map(forgive) : had;
  const fresh = sight.failed.filter(({ uid }) => !forgiven.some((each) => each.uid === uid));
  const failed = keep([...forgiven, ...fresh], sight);
  const isStopped = isHeld && countFailures({ failed }) >= failureThreshold;
  return { hash, failed, isStopped, ...(isStopped ? given({ barred: known?.barred }) : {}) };
}

/** How many count. */
export function countFailures({ failed }: Pick<RolloutFailures, 'failed'>): number {
  return failed.filter(({ why }) => why !== FORGIVEN).length;
}

/** Whether the rollout is to stop now. */
export function isToStop(failures: RolloutFailures, { isHeld, failureThreshold = Infinity }: FailureSight): boolean {
  return !isHeld && countFailures(failures) >= failureThreshold;
}

/** Which Machine failed first of those that count, in words, and how many more did; undefined: none counts. */
export function describeFailures({ failed }: Pick<RolloutFailures, 'failed'>): string | undefined {
  const counted = failed.filter(({ why }) => why !== FORGIVEN);
  const [first] = counted;
  if (first === undefined) return undefined;
  const more = counted.length === 1 ? '' : ` (and ${counted.length - 1} more)`;
  return `Machine ${first.name}: ${first.why}${more}`;
}

/** Which machines failed, and that it does not go back for them. */
export function describeStop({ why, barred }: { readonly why: string; readonly barred?: string }): string {
  return barred === undefined ? why : `${why}. It is not rolled back: ${barred}`;
}

const FORGIVEN = '';
/** Where nothing stops it, machines may fail and be replaced without end. */
const MOST_KEPT = 100;

/** Those that are there: one that was forgotten would be taken for one that has just failed. Of the others the newest, and as many as stop it. */
function keep(all: readonly FailedMachine[], { failed, failureThreshold = 0 }: FailureSight): FailedMachine[] {
  const inSight = new Set(failed.map(({ uid }) => uid));
  const first = all.length - Math.max(MOST_KEPT, failureThreshold);
  return all.filter(({ uid }, at) => at >= first || inSight.has(uid));
}

function forgive(machine: FailedMachine): FailedMachine {
  return { ...machine, why: FORGIVEN };
}
