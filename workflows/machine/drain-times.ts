import { DEFAULT_DRAIN, type DrainPurpose } from '../../k8s/model/drain.ts';
import { given } from '../../providers/given.ts';
import type { DrainNode, ForceTimes } from './drain-activities.ts';
import { startOnRecord } from './drain-start.ts';
import type { DrainMemory } from './memory.ts';
import type { Pass } from './pass.ts';

/** A pass that comes so much later than it was due could not run before, in milliseconds. */
const LATE_MS = 5000;
/** A time that does not come, in milliseconds since the epoch: JSON knows no infinity. */
const NEVER = 8.64e15;

/** What was promised for some time, and comes later: no pass could run in between, which the deadline does not count. */
export function lateMs(pass: Pass, slot: DrainMemory): number {
  const { nowMs } = pass;
  // Who takes over a drain does not know what its time was spent with.
  const since = slot.wait?.until ?? (slot.lostMs === undefined ? startOnRecord(pass, slot.purpose) : nowMs);
  // Where nothing tells since when, it is NaN, which is not greater than anything.
  const ms = nowMs - since;
  return ms > LATE_MS ? ms : 0;
}

/** When what is left is dealt with; undefined: there is no limit. */
export function timesOf(pass: Pass, { startedAt = pass.nowMs }: DrainMemory, lostMs: number): ForceTimes | undefined {
  const { timeoutMs } = pass.seen.machine.drain ?? DEFAULT_DRAIN;
  if (timeoutMs === undefined) return undefined;
  const start = startedAt + lostMs;
  return { from: start + timeoutMs / 2, deadline: start + timeoutMs };
}

/** The times that a pass of the drain goes by. */
export function timesForPass(
  pass: Pass,
  purpose: DrainPurpose,
  slot: DrainMemory,
  lostMs: number,
): Pick<DrainNode, 'force' | 'sparedUntil' | 'hurry'> {
  const times = timesOf(pass, slot, lostMs);
  const force = pass.seen.machine.drain?.onTimeout === 'Force' ? times : undefined;
  const sparedUntil = purpose === 'maintenance' ? (times?.deadline ?? NEVER) : undefined;
  return given({ force, sparedUntil, hurry: hurryOf(slot, lostMs) });
}

function hurryOf({ hurry }: DrainMemory, lostMs: number): DrainNode['hurry'] {
  if (hurry === undefined) return undefined;
  const { at, until } = hurry;
  return until === undefined ? { at } : { at, until: until + lostMs - hurry.lostMs };
}

/** Whether the drain is to be over soon since just now. */
export function followHurry({ seen, nowMs }: Pass, purpose: DrainPurpose, slot: DrainMemory): boolean {
  if (purpose !== 'deletion' || seen.machine.hurriesDrain !== true) {
    delete slot.hurry;
    return false;
  }
  if (slot.hurry !== undefined) return false;
  slot.hurry = { at: nowMs, lostMs: slot.lostMs ?? 0 };
  return true;
}

/** Where it waits on all the same. */
export function tellOfTimeout(pass: Pass, slot: DrainMemory): void {
  const times = timesOf(pass, slot, slot.lostMs ?? 0);
  // With Force the next pass ends it.
  const { onTimeout } = pass.seen.machine.drain ?? DEFAULT_DRAIN;
  if (times === undefined || onTimeout === 'Force' || pass.nowMs < times.deadline) slot.isTimeoutTold = false;
  else if (slot.isTimeoutTold !== true) {
    slot.isTimeoutTold = true;
    const message = 'the time for the drain is over; it goes on, as onTimeout is Wait';
    pass.tell({ type: 'Warning', reason: 'DrainTimedOut', message });
  }
}
