import type { Away } from './away.ts';
import type { FoundCheck } from './health-activities.ts';
import type { HealthMemory, Slot } from './health-memory.ts';
import { whyAnothers, whyNotOurs } from './left-alone.ts';
import { worstOf, type Patient } from './patients.ts';
import { given } from '../../providers/given.ts';
import { GOOD_MS, goodSince, rebootOverAt, recordFor } from './reboots.ts';
import { ASK_AGAIN_MS, nextStep, rebootStepOf, type StepInput } from './slot-steps.ts';

/** A Machine that was made so much before a slot began may be its replacement, as no two clocks are the same. */
const CLOCK_SLACK_MS = 5000;

/** A replacement that is unhealthy itself, and the slot in which it is replaced in turn. */
export interface FailedReplacement {
  /** The uid of the Machine for which the slot was taken. */
  readonly uid: string;
  readonly slot: Slot;
  readonly patient: Patient;
}

export interface SettledSlots {
  /** Those that are held still. */
  readonly slots: HealthMemory['slots'];
  /** Those that came to a good end. */
  readonly succeeded: readonly Slot[];
  readonly failedReplacements: readonly FailedReplacement[];
  /** Whose steps were refused too often, with those of before. */
  readonly setAside: HealthMemory['setAside'];
}

/** One remediation, by the uid of its Machine. */
interface Held {
  readonly uid: string;
  readonly slot: Slot;
}

type Verdict = 'held' | 'leaving' | 'succeeded' | 'over' | 'setAside' | 'spent';

/** So often a step is refused in a row until its slot goes to another. */
const MOST_REFUSALS = 5;
/** So long others come first then, in milliseconds. */
const SET_ASIDE_MS = 300_000;

export interface SettleOptions {
  /** Of the check. */
  readonly uid: string;
  readonly now: number;
  readonly away: readonly Away[];
}

/** Which remediations are under way still, and what became of the others. */
export function settleSlots(
  seen: FoundCheck,
  memory: HealthMemory,
  patients: readonly Patient[],
  { uid: checkUid, now, away }: SettleOptions,
): SettledSlots {
  const byUid = new Map(patients.map((patient) => [patient.suspect.uid, patient]));
  const all = Object.entries(memory.slots).map(([uid, slot]) => {
    const patient = byUid.get(uid);
    const followed = patient === undefined ? slot : followReboot(slot, patient, now);
    const verdict =
      patient === undefined ? verdictOnAbsent(slot) : verdictOn(followed, patient, checkUid, { seen, away, now });
    return { uid, slot: followed, verdict, isThere: patient !== undefined };
  });
  const leaving = all
    .filter(({ verdict }) => verdict === 'leaving')
    .map(({ uid, slot, isThere }) => ({ uid, slot: leavingOf(slot), isThere }));
  const there = leaving.filter(({ isThere }) => isThere);
  const ended = all.filter(({ verdict }) => verdict === 'over' || verdict === 'setAside' || verdict === 'spent');
  const known = slotsWithout(memory.slots, ended);
  // A failed replacement that stays gives back the place that it had: its set misses a machine still.
  const givenBack = ended.flatMap(({ slot }) => slot.inPlaceOf ?? []);
  const gone = settleGone([...leaving.filter(({ isThere }) => !isThere), ...givenBack], seen, known);
  const staying = all
    .filter(({ verdict }) => verdict === 'held')
    .map(({ uid, slot }) => ({ uid, slot: staysOf(slot) }));
  const held = [...staying, ...there, ...gone.held];
  // Of a deletion that was refused, and has not been seen: it was well again, or is not selected any more.
  const replaced = gone.succeeded.filter(
    ({ uid, slot }) => slot.asked.outcome !== 'refused' || wasLeaving(memory, uid),
  );
  return {
    slots: Object.fromEntries(held.map(({ uid, slot }) => [uid, slot])),
    succeeded: [...all.filter(({ verdict }) => verdict === 'succeeded'), ...replaced].map(({ slot }) => slot),
    setAside: setAsideOf(memory, byUid, all, now),
    failedReplacements: failedReplacements(gone.held, patients, known, seen),
  };
}

function setAsideOf(
  memory: HealthMemory,
  patients: ReadonlyMap<string, Patient>,
  slots: readonly { readonly uid: string; readonly slot: Slot; readonly verdict: Verdict }[],
  now: number,
): HealthMemory['setAside'] {
  const before = Object.entries(memory.setAside).filter(([uid, { until }]) => until > now && patients.has(uid));
  const putOff = slots.filter(({ verdict }) => verdict === 'setAside' || verdict === 'spent');
  const added = putOff.map(({ uid, slot, verdict }) => {
    const message = verdict === 'spent' ? 'its reboot did not help, and no step is left' : (slot.asked.message ?? '');
    return [uid, { until: now + SET_ASIDE_MS, message }] as const;
  });
  return Object.fromEntries([...before, ...added]);
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

/** The Machine is not among the suspects: it is healthy, gone, or no longer selected. */
function verdictOnAbsent({ action, isLeaving }: Slot): Verdict {
  if (isLeaving === true) return 'leaving';
  if (action === 'Annotate' || action === 'Template') return 'succeeded';
  // Also where the answer was a refusal: one that was given up may have had its effect. What misses nothing is over at once.
  return 'leaving';
}

/** Notes since when a machine that was rebooted is well. */
function followReboot(slot: Slot, patient: Patient, now: number): Slot {
  if (slot.reboot === undefined) return slot;
  const { id } = slot.reboot;
  return { ...slot, reboot: { id, ...given({ goodSince: goodSince(patient, slot, now) }) } };
}

function verdictOn(slot: Slot, patient: Patient, checkUid: string, input: StepInput): Verdict {
  const { action, asked } = slot;
  const { now } = input;
  if (patient.suspect.isDeleting === true) return 'leaving';
  const isAnothers = action === 'Annotate' || action === 'Template';
  const left = whyNotOurs(patient, checkUid, now) ?? (isAnothers ? undefined : whyAnothers(patient, checkUid));
  if (left !== undefined) return 'over';
  // Who cannot be touched must not keep the others waiting.
  if (asked.outcome === 'refused' && asked.times >= MOST_REFUSALS) return 'setAside';
  if (isAnothers) return patient.illnesses.length === 0 ? 'succeeded' : 'held';
  if (action === 'Reboot') return verdictOnReboot(slot, patient, input);
  if (worstOf(patient) !== undefined) return 'held';
  // It was well in between: it is not deleted any more, where it was not yet.
  const isUnsure = asked.outcome !== 'refused' && now - asked.at < ASK_AGAIN_MS.first;
  return isUnsure ? 'held' : 'over';
}

/** What helped is over when that has lasted. What did not, and no step follows, gives its place to another for a while. */
function verdictOnReboot(slot: Slot, patient: Patient, input: StepInput): Verdict {
  const { seen, now } = input;
  const { reboot, asked } = slot;
  const since = reboot?.goodSince;
  if (since !== undefined) return now - since >= GOOD_MS ? 'succeeded' : 'held';
  const at = rebootStepOf(seen.remediation.steps, slot);
  const overAt = at === undefined ? asked.at : rebootOverAt(patient, slot, at.step, input);
  const isSent = recordFor(patient.suspect, reboot)?.state === 'Sent';
  if (patient.illnesses.length === 0) {
    // It is well without having been rebooted; what was asked for in this moment may be under way.
    const isUnsure = isSent ? overAt > now : asked.outcome !== 'refused' && now - asked.at < ASK_AGAIN_MS.first;
    return isUnsure ? 'held' : 'over';
  }
  const hasNext = nextStep(input, slot, patient) !== undefined;
  return overAt <= now && asked.outcome === 'done' && !hasNext ? 'spent' : 'held';
}

/** Slots whose Machine is gone are held as long as their set has not what it wants: as many of them as it misses machines. */
function settleGone(
  gone: readonly Held[],
  { sets }: FoundCheck,
  slots: HealthMemory['slots'],
): { readonly held: readonly Held[]; readonly succeeded: readonly Held[] } {
  const held: Held[] = [];
  const succeeded: Held[] = [];
  for (const [setUid, members] of bySet(gone)) {
    const set = sets[setUid];
    if (set === undefined) continue;
    const since = Math.min(...members.map(({ slot }) => slot.startedAt));
    const joining = set.unready.filter((one) => isNewer(one.createdAt, since) && slots[one.uid] === undefined);
    const missing = Math.max(0, set.replicas - set.living);
    // Which machine comes for which slot is not known. The oldest slots stay: what joins is newer than they are, also at the next look.
    const order = [...members].sort(
      (a, b) => a.slot.startedAt - b.slot.startedAt || (b.slot.replacements ?? 0) - (a.slot.replacements ?? 0),
    );
    // A set that is held makes none. What it has made before may join still.
    held.push(...order.slice(0, joining.length + (set.isHeld === true ? 0 : missing)));
    succeeded.push(...order.slice(joining.length + missing));
  }
  return { held, succeeded };
}

function bySet(gone: readonly Held[]): Map<string, Held[]> {
  const all = new Map<string, Held[]>();
  for (const one of gone) {
    const key = one.slot.set?.uid;
    if (key !== undefined) all.set(key, [...(all.get(key) ?? []), one]);
  }
  return all;
}

/** A slot whose Machine is gone takes an unhealthy Machine of its set that was made since that slot began; but those that may join need one too. */
function failedReplacements(
  gone: readonly Held[],
  patients: readonly Patient[],
  slots: HealthMemory['slots'],
  { sets }: FoundCheck,
): FailedReplacement[] {
  return [...bySet(gone)].flatMap(([setUid, members]) => {
    const since = Math.min(...members.map(({ slot }) => slot.startedAt));
    const isOurs = (uid: string, createdAt: string): boolean => isNewer(createdAt, since) && slots[uid] === undefined;
    const failed = patients
      .filter(
        (one) =>
          one.suspect.set?.uid === setUid &&
          one.suspect.isDeleting !== true &&
          isOurs(one.suspect.uid, one.suspect.createdAt) &&
          worstOf(one) !== undefined,
      )
      .sort(byHope);
    const hopeful = (sets[setUid]?.unready ?? []).filter(
      ({ uid, createdAt }) => isOurs(uid, createdAt) && !failed.some(({ suspect }) => suspect.uid === uid),
    );
    const places = [...members].sort((a, b) => b.slot.startedAt - a.slot.startedAt);
    /** The newest place that was free when the machine was made. */
    const take = (createdAt: string): Held | undefined => {
      const at = places.findIndex(({ slot }) => isNewer(createdAt, slot.startedAt));
      return at < 0 ? undefined : places.splice(at, 1)[0];
    };
    // What may join still has its place first; the oldest machine has the fewest to choose from.
    for (const { createdAt } of [...hopeful].reverse()) take(createdAt);
    return failed.flatMap((patient) => {
      const place = take(patient.suspect.createdAt);
      return place === undefined ? [] : [{ ...place, patient }];
    });
  });
}

/** One that had a Node may be what another slot was over for: those that never came go first. */
function byHope({ suspect: a }: Patient, { suspect: b }: Patient): number {
  const isBorn = ({ node }: Patient['suspect']): number => (node === undefined ? 0 : 1);
  return isBorn(a) - isBorn(b) || Date.parse(b.createdAt) - Date.parse(a.createdAt);
}

/** Kubernetes tells in whole seconds, and by another clock, when something was made. */
function isNewer(createdAt: string, than: number): boolean {
  return Date.parse(createdAt) >= than - CLOCK_SLACK_MS;
}
