import { hasLastedAt } from '../spans.ts';
import type { Away } from './away.ts';
import { failedReplacements, type FailedReplacement } from './failed-replacements.ts';
import type { FoundCheck } from './health-activities.ts';
import type { HealthMemory, Slot } from './health-memory.ts';
import { noteWhole, renewGone, type Held } from './gone-slots.ts';
import { whyAnothers, whyNotOurs, whyNotReplaced } from './left-alone.ts';
import { hasFailed, worstOf, type Patient } from './patients.ts';
import { given } from '../../providers/given.ts';
import { GOOD_MS, goodSince, isUncalled, lostMsOf, rebootOverAt, recordFor, withHelped } from './reboots.ts';
import { ASK_AGAIN_MS, nextStep, rebootStepOf, type StepInput } from './slot-steps.ts';
import { isForAnother, isOnlyWished, timeoutOf } from './wishes.ts';

export interface RenewedSlots {
  /** Those that are held still. */
  readonly slots: HealthMemory['slots'];
  /** Those that came to a good end. */
  readonly succeeded: readonly Slot[];
  /** Those of them that ended with a set that is whole again. */
  readonly replaced: readonly Slot[];
  readonly failedReplacements: readonly FailedReplacement[];
  /** Those that are held for what their sets make. */
  readonly gone: readonly Held[];
  /** Those that are over, as their sets make none now. */
  readonly letGo: readonly Slot[];
  /** Whose steps were refused too often, with those of before. */
  readonly setAside: HealthMemory['setAside'];
  /** The reboots that have helped, with those of before. */
  readonly helped: HealthMemory['helped'];
}

type Verdict = 'held' | 'leaving' | 'succeeded' | 'over' | 'setAside' | 'spent';

/** So often a step is refused in a row until its slot goes to another. */
const MOST_REFUSALS = 5;
/** So long others come first then, in milliseconds. */
const SET_ASIDE_MS = 300_000;

export interface RenewOptions {
  /** Of the check. */
  readonly uid: string;
  readonly now: number;
  readonly away: readonly Away[];
  /** A brake that tells proof from suspicion holds what has not begun for this machine. */
  readonly isDoubted: (patient: Patient) => boolean;
}

/** Which remediations are under way still, and what became of the others. */
export function renewSlots(
  seen: FoundCheck,
  memory: HealthMemory,
  patients: readonly Patient[],
  { uid: checkUid, now, away, isDoubted }: RenewOptions,
): RenewedSlots {
  const byUid = new Map(patients.map((patient) => [patient.suspect.uid, patient]));
  const { lookedAt = now } = memory;
  const deselected = new Set(seen.claimed.map(({ uid }) => uid));
  const well = new Set(seen.well);
  const whereIs = (uid: string): Whereabouts => (deselected.has(uid) ? 'deselected' : well.has(uid) ? 'well' : 'gone');
  const all = Object.entries(memory.slots).map(([uid, slot]) => {
    const patient = byUid.get(uid);
    const followed = patient === undefined ? slot : followReboot(slot, patient, { lookedAt, away, now });
    const verdict =
      patient === undefined
        ? verdictOnAbsent(slot, whereIs(uid), now)
        : verdictOn(followed, patient, checkUid, { seen, away, now, isDoubted, isPaused: seen.paused });
    return { uid, slot: followed, verdict, isThere: patient !== undefined || seen.leaving.includes(uid) };
  });
  const leaving = all
    .filter(({ verdict }) => verdict === 'leaving')
    .map(({ uid, slot, isThere }) => ({ uid, slot: leavingOf(slot), isThere }));
  const there = noteWhole(
    leaving.filter(({ isThere }) => isThere),
    seen.sets,
    memory.slots,
    now,
  );
  const goneNow = leaving.filter(({ isThere }) => !isThere);
  const madeWhole = goneNow.filter(({ slot }) => slot.wholeAt !== undefined);
  const waiting = goneNow.filter(({ slot }) => slot.wholeAt === undefined);
  const ended = all.filter(({ verdict }) => verdict === 'over' || verdict === 'setAside' || verdict === 'spent');
  const known = slotsWithout(memory.slots, ended);
  // A failed replacement that stays gives back the place that it had: its set misses a machine still.
  const isWell = ({ verdict, isThere, slot }: (typeof all)[number]): boolean =>
    verdict === 'leaving' && !isThere && slot.asked.outcome === 'refused';
  const givenBack = [...ended, ...all.filter(isWell)].flatMap(({ slot }) => slot.inPlaceOf ?? []);
  const gone = renewGone([...waiting, ...givenBack], { seen, away, now }, known);
  const settled = [...madeWhole, ...gone.succeeded];
  const staying = all
    .filter(({ verdict }) => verdict === 'held')
    .map(({ uid, slot }) => ({ uid, slot: staysOf(slot) }));
  const held = [...staying, ...there, ...gone.held];
  // Of a deletion that was refused, and has not been seen: it was well again, or is not selected any more.
  const replaced = settled
    .filter(({ uid, slot }) => slot.asked.outcome !== 'refused' || wasLeaving(memory, uid))
    .map(({ slot }) => slot);
  const succeeded = all.filter(({ verdict }) => verdict === 'succeeded');
  return {
    slots: Object.fromEntries(held.map(({ uid, slot }) => [uid, slot])),
    succeeded: [...succeeded.map(({ slot }) => slot), ...replaced],
    replaced,
    setAside: setAsideOf(memory, byUid, all, { generation: seen.generation, now }),
    helped: withHelped(memory.helped, [...succeeded, ...settled], now),
    failedReplacements: failedReplacements(gone.held, patients, known, seen),
    gone: gone.held,
    letGo: gone.letGo.map(({ slot }) => slot),
  };
}

function setAsideOf(
  memory: HealthMemory,
  patients: ReadonlyMap<string, Patient>,
  slots: readonly { readonly uid: string; readonly slot: Slot; readonly verdict: Verdict }[],
  { generation, now }: { readonly generation: number; readonly now: number },
): HealthMemory['setAside'] {
  // Also of those whose time is over: they come last.
  const before = Object.entries(memory.setAside).filter(
    ([uid, one]) => patients.has(uid) && one.generation === generation,
  );
  const putOff = slots.filter(({ verdict }) => verdict === 'setAside' || verdict === 'spent');
  const added = putOff.map(({ uid, slot, verdict }) => {
    const message = verdict === 'spent' ? whySpent(slot, patients.get(uid)) : (slot.asked.message ?? '');
    return [uid, { until: now + SET_ASIDE_MS, generation, message }] as const;
  });
  return Object.fromEntries([...before, ...added]);
}

function whySpent({ action, reboot }: Slot, patient: Patient | undefined): string {
  const { state, message } = (patient && recordFor(patient.suspect, reboot)) ?? {};
  const isGivenUp = state === 'Unsupported' || state === 'Spent' || state === 'Refused';
  const rebooted = isGivenUp ? `it was not rebooted (${message ?? state})` : 'its reboot did not help';
  const what = action === 'Reboot' ? rebooted : 'the program that was to remedy it did not in its time';
  const isOrphan = patient !== undefined && patient.suspect.set === undefined;
  return `${what}, and no step is left${isOrphan ? '; no controller owns it, so that it is not replaced' : ''}`;
}

function slotsWithout(slots: HealthMemory['slots'], ended: readonly Held[]): HealthMemory['slots'] {
  const uids = new Set(ended.map(({ uid }) => uid));
  return Object.fromEntries(Object.entries(slots).filter(([uid]) => !uids.has(uid)));
}

function leavingOf({ inPlaceOf: _inPlaceOf, ...slot }: Slot): Slot {
  return { ...slot, isLeaving: true };
}

function staysOf({ isLeaving: _isLeaving, ...slot }: Slot): Slot {
  return slot;
}

function wasLeaving({ slots }: HealthMemory, uid: string): boolean {
  return slots[uid]?.isLeaving === true;
}

/** Of a Machine that is not among the suspects. */
type Whereabouts = 'well' | 'deselected' | 'gone';

function verdictOnAbsent(slot: Slot, where: Whereabouts, now: number): Verdict {
  const { action, isLeaving } = slot;
  if (isLeaving === true || where === 'gone') return 'leaving';
  // Its deletion may be under way still.
  if (action === 'Replace') return isUnsure(slot, now) ? 'held' : 'over';
  return where === 'well' ? 'succeeded' : 'over';
}

/** What was asked for in this moment may take effect yet. */
function isUnsure({ asked }: Slot, now: number): boolean {
  return asked.outcome !== 'refused' && now - asked.at < ASK_AGAIN_MS.first;
}

/** Notes since when a machine that was rebooted is well, and how long it could not be rebooted. */
function followReboot(slot: Slot, patient: Patient, look: Parameters<typeof lostMsOf>[2]): Slot {
  if (slot.reboot === undefined) return slot;
  const { id } = slot.reboot;
  const lostMs = lostMsOf(patient.suspect, slot, look);
  return { ...slot, reboot: { id, ...given({ goodSince: goodSince(patient, slot, look.now), lostMs }) } };
}

interface VerdictInput extends StepInput, Pick<RenewOptions, 'isDoubted'> {
  /** The check. */
  readonly isPaused: boolean;
}

function verdictOn(slot: Slot, patient: Patient, checkUid: string, input: VerdictInput): Verdict {
  const { action, asked } = slot;
  const { now } = input;
  if (patient.suspect.isDeleting === true) return isGoingByAnother(slot, patient, checkUid) ? 'over' : 'leaving';
  const isAnothers = action === 'Annotate' || action === 'Template';
  const left = whyNotOurs(patient, checkUid, now) ?? (isAnothers ? undefined : whyAnothers(patient, checkUid));
  if (left !== undefined) return 'over';
  if (isAnothers && isBeyondPrograms(patient, input)) return 'over';
  // Who cannot be touched must not keep the others waiting.
  if (asked.outcome === 'refused' && asked.times >= MOST_REFUSALS) return 'setAside';
  // It lost its controller since.
  if (action === 'Replace' && asked.outcome === 'refused' && patient.suspect.set === undefined) return 'over';
  if (isAnothers) return patient.illnesses.length === 0 ? 'succeeded' : verdictOnProgram(slot, patient, input);
  if (action === 'Reboot') return verdictOnReboot(slot, patient, input);
  // Where the check was edited meanwhile, there may be nothing left to ask for.
  const isWanted = worstOf(patient) !== undefined && nextStep(input, slot, patient) !== undefined;
  // It was well in between: it is not deleted any more, where it was not yet.
  return isWanted || isUnsure(slot, now) ? 'held' : 'over';
}

/** It failed for good, so that the check would replace it, and nobody would make another one. */
function isBeyondPrograms(patient: Patient, { seen }: VerdictInput): boolean {
  return (
    hasFailed(patient) && seen.remediation.steps.some((step) => whyNotReplaced(patient.suspect, step) !== undefined)
  );
}

/** What was asked for was refused, and somebody else deletes it. A refusal may be the answer to what took effect: then it bears our claim. */
function isGoingByAnother({ asked }: Slot, { suspect }: Patient, checkUid: string): boolean {
  return asked.outcome === 'refused' && suspect.claim?.uid !== checkUid;
}

/** What has no time-out is waited for. What did not help in its time, and no step follows, gives its place to another for a while. */
function verdictOnProgram(slot: Slot, patient: Patient, input: VerdictInput): Verdict {
  const { asked } = slot;
  const step = input.seen.remediation.steps[slot.step];
  if (isForAnother(step)) {
    // A wish is fulfilled then, and taken off.
    if (isOnlyWished(patient)) return 'held';
    if (hasLastedAt(asked.at, timeoutOf(step) ?? Infinity, input.away) > input.now) return 'held';
  }
  // Where the check was edited meanwhile, nobody waits for it any more.
  return nextStep(input, slot, patient) === undefined ? 'spent' : 'held';
}

/** What helped is over when that has lasted. What did not, and no step follows, gives its place to another for a while. */
function verdictOnReboot(slot: Slot, patient: Patient, input: VerdictInput): Verdict {
  const { seen, now } = input;
  const { reboot, asked } = slot;
  if (isUncalled(patient.suspect, slot) && (input.isPaused || input.isDoubted(patient))) return 'over';
  const since = reboot?.goodSince;
  if (since !== undefined) return now - since >= GOOD_MS ? 'succeeded' : 'held';
  const at = rebootStepOf(seen.remediation.steps, slot);
  const overAt = at === undefined ? asked.at : rebootOverAt(patient, slot, at.step, input);
  const isSent = recordFor(patient.suspect, reboot)?.state === 'Sent';
  if (patient.illnesses.length === 0) {
    // It is well without having been rebooted; what was asked for in this moment may be under way.
    return (isSent ? overAt > now : isUnsure(slot, now)) ? 'held' : 'over';
  }
  const hasNext = nextStep(input, slot, patient) !== undefined;
  return overAt <= now && !hasNext ? 'spent' : 'held';
}
