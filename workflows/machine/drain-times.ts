import { isRolledOut } from '../../k8s/model/cause.ts';
import { DEFAULT_DRAIN, SHORT_NOTICE_MS, type DrainPurpose } from '../../k8s/model/drain.ts';
import { given } from '../../providers/given.ts';
import type { DrainNode, ForceTimes } from './drain-activities.ts';
import { startOnRecord } from './drain-start.ts';
import type { DrainMemory } from './memory.ts';
import type { Pass } from './pass.ts';

/** A pass that comes later than it was due by more than this could not run before, in milliseconds. */
const LATE_MS = 5000;

/** By how much this pass comes later than it was due. No pass could run meanwhile, so the drain's deadline does not count that time. */
export function lateMs(pass: Pass, slot: DrainMemory): number {
  const { nowMs } = pass;
  // A workflow that takes a drain over does not know how its time was spent: all of it counts as lost.
  const since = slot.wait?.until ?? (slot.lostMs === undefined ? startOnRecord(pass, slot.purpose) : nowMs);
  // NaN, where no start is on record: that is not greater than anything.
  const ms = nowMs - since;
  return ms > LATE_MS ? ms : 0;
}

/** How much of the drain's time no pass could run in, that before this pass included, in milliseconds. */
export function lostBy(pass: Pass, slot: DrainMemory, purpose: DrainPurpose): number {
  const isBegun = slot.cordonedAt !== undefined || !Number.isNaN(startOnRecord(pass, purpose));
  // Until the API server takes the cordon, or while a hook that came meanwhile holds it, no pass can run.
  return isBegun ? (slot.lostMs ?? 0) + lateMs(pass, slot) : pass.nowMs - (slot.startedAt ?? pass.nowMs);
}

/** From when on pods may be deleted, and when the drain's time is over; undefined: it has no limit. */
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
): Pick<DrainNode, 'force' | 'spares' | 'hurry'> {
  // No pod is deleted for a reboot, whatever the Machine's own drain allows: its check goes on to another step.
  if (purpose === 'reboot') return {};
  const times = timesOf(pass, slot, lostMs);
  const force = hasForce(pass) && times !== undefined ? notAtOnce(times, slot, lostMs) : undefined;
  const spares = isVoluntary(pass, purpose) ? given({ until: times?.deadline }) : undefined;
  return given({ force, spares, hurry: hurryOf(slot, lostMs) });
}

function hasForce({ seen }: Pass): boolean {
  return seen.machine.drain?.onTimeout === 'Force';
}

/** A limit that was set for a drain that has lasted longer already gives its pods no less time to end than others have. */
function notAtOnce({ from, deadline }: ForceTimes, { limit }: DrainMemory, lostMs: number): ForceTimes {
  if (limit?.since === undefined) return { from, deadline };
  const since = limit.since + lostMs - limit.lostMs;
  return { from: Math.max(from, since), deadline: Math.max(deadline, since + SHORT_NOTICE_MS) };
}

/**
 * Notes, before a pass, whether its limit by Force was set or changed while it is under way.
 *
 * @param lostMs how much of its time was lost by now, that before this pass included
 */
export function followLimit(pass: Pass, slot: DrainMemory, lostMs: number): void {
  const ms = hasForce(pass) ? pass.seen.machine.drain?.timeoutMs : undefined;
  if (slot.limit !== undefined && slot.limit.ms === ms) return;
  const isChange = slot.limit !== undefined && slot.startedAt !== undefined;
  slot.limit = { lostMs, ...given({ ms, since: isChange ? pass.nowMs : undefined }) };
}

/** The Node need not be empty by any time: who asks not to be disrupted is waited for. */
function isVoluntary({ seen }: Pass, purpose: DrainPurpose): boolean {
  return purpose === 'maintenance' || isRolledOut(seen.machine);
}

function hurryOf({ hurry }: DrainMemory, lostMs: number): DrainNode['hurry'] {
  if (hurry === undefined) return undefined;
  const { at, until } = hurry;
  return until === undefined ? { at } : { at, until: until + lostMs - hurry.lostMs };
}

/**
 * True where it was asked for since the last pass that the drain be over soon.
 *
 * @param lostMs as for {@link followLimit}
 */
export function followHurry({ seen, nowMs }: Pass, purpose: DrainPurpose, slot: DrainMemory, lostMs: number): boolean {
  if (purpose !== 'deletion' || seen.machine.hurriesDrain !== true) {
    delete slot.hurry;
    return false;
  }
  if (slot.hurry !== undefined) return false;
  slot.hurry = { at: nowMs, lostMs };
  return true;
}

/** When the time for the drain is over of a drain that waits on then, in milliseconds since the epoch; undefined: that is told, or never is. */
export function timeoutToTellAt(pass: Pass, slot: DrainMemory): number | undefined {
  const at = waitsOnFrom(pass, slot);
  return at !== undefined && at > pass.nowMs ? at : undefined;
}

/** With Force the next pass ends it. */
function waitsOnFrom(pass: Pass, slot: DrainMemory): number | undefined {
  const { onTimeout } = pass.seen.machine.drain ?? DEFAULT_DRAIN;
  if (slot.purpose === 'reboot' || onTimeout === 'Force') return undefined;
  return timesOf(pass, slot, slot.lostMs ?? 0)?.deadline;
}

/** Says, once, that the time for the drain is over where the drain waits on. */
export function tellOfTimeout(pass: Pass, slot: DrainMemory): void {
  if (slot.purpose === 'reboot') return;
  const deadline = waitsOnFrom(pass, slot);
  if (deadline === undefined || pass.nowMs < deadline) slot.isTimeoutTold = false;
  else if (slot.isTimeoutTold !== true) {
    slot.isTimeoutTold = true;
    const spared = isVoluntary(pass, slot.purpose ?? 'deletion') ? ', but for pods that ask not to be disrupted' : '';
    const message = `the time for the drain is over, and it goes on, as onTimeout is Wait${spared}`;
    pass.tellOnce({ type: 'Warning', reason: 'DrainTimedOut', message });
  }
}
