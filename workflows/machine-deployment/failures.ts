import { given } from '../../providers/given.ts';
import { andMore } from '../../k8s/model/some-names.ts';
import type { FailedMachine } from './new-machines.ts';
import { overAt, type Pause } from './pauses.ts';

/** Machines of one template that failed or were too late. Kept, since who replaces one takes it out of sight. */
export interface RolloutFailures {
  /** Of the template. */
  readonly hash: string;
  readonly failed: readonly FailedMachine[];
  /** The rollout stands still for them: who has it go on does so in spite of them. */
  readonly isStopped: boolean;
  /** Since when all that is new has failed and nothing else can come, in milliseconds since the epoch; absent: that is not so. */
  readonly standsSince?: number;
  /** It has been so for the deadline: no more will fail than have by now. Absent: it has not. */
  readonly isStuck?: true;
  /** When that began to be so as many had failed as stop it: it stands for that, and not for want of places. */
  readonly isByCount?: true;
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
  /** All new Machines that are not available have failed, and there is no place for others. */
  readonly isAtStandstill: boolean;
  /** Of a new Machine from its launch, in milliseconds: so long it may stand like that, too. */
  readonly deadlineMs: number;
  /** Of the deployment: none of that time passes then. */
  readonly pauses: readonly Pause[];
  /** Absent: it never stops. */
  readonly failureThreshold?: number;
}

/**
 * What is known of failures after one more look; another template starts anew, and what of its Machines had failed before counts not.
 *
 * @param now milliseconds since the epoch
 */
export function failuresAfter(known: RolloutFailures | undefined, sight: FailureSight, now: number): RolloutFailures {
  const { hash, isHeld, isComplete, failureThreshold = Infinity } = sight;
  if (known !== undefined && known.hash !== hash) return { hash, failed: sight.failed.map(forgive), isStopped: false };
  const had = known?.failed ?? [];
  // Somebody had it go on, or all came up after all: what had failed by then counts no more, but is remembered.
  const isOver = isComplete || (known?.isStopped === true && !isHeld);
  const forgiven = isOver ? had.map(forgive) : had;
  const fresh = sight.failed.filter(({ uid }) => !forgiven.some((each) => each.uid === uid));
  const all = [...forgiven, ...fresh];
  const standing = standstillAfter(known, sight, countFailures({ failed: all }) >= failureThreshold, now);
  // Nothing came of going on in spite of them: those that stand there count again.
  const counted = standing.isStuck === true && !isHeld ? all.map((one) => seenAnew(one, sight)) : all;
  const failed = keep(counted, sight).map((one) => withSight(one, sight));
  const isStopped = isHeld && isEnough({ failed, ...standing }, failureThreshold);
  return { hash, failed, isStopped, ...standing, ...given({ barred: isStopped ? known?.barred : undefined }) };
}

/** Where fewer places are left than machines may fail, it would stand for ever, and not be stopped. */
function standstillAfter(
  known: RolloutFailures | undefined,
  { isHeld, isAtStandstill, deadlineMs, pauses }: FailureSight,
  isEnough: boolean,
  now: number,
): Pick<RolloutFailures, 'standsSince' | 'isStuck' | 'isByCount'> {
  const before = given({ isStuck: known?.isStuck, isByCount: known?.isByCount });
  if (isHeld) return before;
  if (!isAtStandstill) return {};
  const { standsSince = now } = known ?? {};
  if (overAt(standsSince, deadlineMs, pauses) > now) return { standsSince };
  if (known?.isStuck === true) return { standsSince, ...before };
  return { standsSince, isStuck: true, ...given({ isByCount: isEnough || undefined }) };
}

/** When it is to be looked at for that, in milliseconds since the epoch; Infinity: not for that. */
export function stuckAt(
  { standsSince, isStuck }: RolloutFailures,
  { deadlineMs, pauses }: Pick<FailureSight, 'deadlineMs' | 'pauses'>,
): number {
  const isCounted = standsSince !== undefined && isStuck === undefined;
  return isCounted ? overAt(standsSince, deadlineMs, pauses) : Infinity;
}

function isEnough(failures: Pick<RolloutFailures, 'failed' | 'isStuck'>, threshold: number): boolean {
  return countFailures(failures) >= threshold || (failures.isStuck === true && Number.isFinite(threshold));
}

/** How many count. */
export function countFailures({ failed }: Pick<RolloutFailures, 'failed'>): number {
  return failed.filter(({ why }) => why !== FORGIVEN).length;
}

/** Whether the rollout is to stop now. */
export function isToStop(failures: RolloutFailures, { isHeld, failureThreshold = Infinity }: FailureSight): boolean {
  return !isHeld && isEnough(failures, failureThreshold);
}

/** Those of which an event has to tell, one for each: nothing stops the rollout for them, and it goes on. */
export function untoldOf(
  { failed }: Pick<RolloutFailures, 'failed'>,
  { isHeld, isComplete, failureThreshold }: Pick<FailureSight, 'isHeld' | 'isComplete' | 'failureThreshold'>,
): readonly FailedMachine[] {
  if (isHeld || isComplete || failureThreshold !== undefined) return [];
  return failed.filter(({ why, isTold }) => why !== FORGIVEN && isTold !== true);
}

/** What is known of failures when events have told of these machines. */
export function withTold(failures: RolloutFailures, told: readonly FailedMachine[]): RolloutFailures {
  const mark = (one: FailedMachine): FailedMachine => (told.includes(one) ? { ...one, isTold: true } : one);
  return { ...failures, failed: failures.failed.map(mark) };
}

/** Which Machine failed first of those that count and are there still, in words, and how many more did; undefined: none counts. */
export function describeFailures({
  failed,
  isStuck,
  isByCount,
}: Pick<RolloutFailures, 'failed' | 'isStuck' | 'isByCount'>): string | undefined {
  const counted = failed.filter(({ why }) => why !== FORGIVEN);
  const first = counted.find(({ isPast }) => isPast !== true) ?? counted[0];
  if (first === undefined) return undefined;
  const past = first.isPast === true ? ', which is gone or well by now' : '';
  const stuck =
    isStuck === true && isByCount !== true ? ', and there is no place for others to come up, or to fail' : '';
  return `Machine ${first.name}${past}: ${first.why}${andMore(counted.length - 1)}${stuck}`;
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

function seenAnew(machine: FailedMachine, { failed }: FailureSight): FailedMachine {
  const seen = failed.find(({ uid }) => uid === machine.uid) ?? machine;
  return { ...seen, ...given({ isTold: machine.isTold }) };
}

/** Whether it is among those that look failed now. */
function withSight(machine: FailedMachine, { failed }: FailureSight): FailedMachine {
  const isPast = !failed.some(({ uid }) => uid === machine.uid);
  const { isPast: wasPast = false, ...rest } = machine;
  if (isPast === wasPast) return machine;
  return isPast ? { ...rest, isPast: true } : rest;
}

function forgive(machine: FailedMachine): FailedMachine {
  return { ...machine, why: FORGIVEN };
}
