import { given } from '../../providers/given.ts';
import { hasLastedAt } from '../spans.ts';
import type { FoundCheck, MadeMachine, SetSight } from './health-activities.ts';
import type { HealthMemory, Slot } from './health-memory.ts';
import type { RebootTimes } from './reboots.ts';
import { programMs } from './wishes.ts';

/** A Machine that was made so much before a slot began, or after it was over, may be its replacement: no two clocks are the same. */
const CLOCK_SLACK_MS = 5000;

/** One remediation, by the uid of its Machine. */
export interface Held {
  readonly uid: string;
  readonly slot: Slot;
}

/**
 * Slots whose Machine is gone are held as long as their set, or the sets of their deployment, have not what they want: as many of them as
 * are missing. As many as they want fewer than before are over, and no success: nothing came in their place. A set that wants fewer has its
 * machines for a moment still, and which of them it gives up is not known: the next places that are over count as those. Those of a set that
 * makes none now are let go: what it has made for them by then is no better for that.
 */
export function renewGone(
  gone: readonly Held[],
  { seen, away, now }: RebootTimes & { readonly seen: Pick<FoundCheck, 'sets'> },
  slots: HealthMemory['slots'],
): { readonly held: readonly Held[]; readonly succeeded: readonly Held[]; readonly letGo: readonly Held[] } {
  const { sets } = seen;
  const held: Held[] = [];
  const succeeded: Held[] = [];
  const letGo: Held[] = [];
  for (const { set, members } of byMaker(gone, sets)) {
    if (set === undefined) continue;
    const isNew = madeFor(members, slots);
    const joining = set.unready.filter(isNew);
    const hasTime = ({ slot }: Held): boolean => hasLastedAt(slot.asked.at, programMs(seen), away) > now;
    const { missing, awaited } = missingIn(set, members, isNew, hasTime);
    // Which machine comes for which slot is not known. The oldest slots stay: what joins is newer than they are, also at the next look.
    const order = [...members].sort(
      (a, b) => a.slot.startedAt - b.slot.startedAt || (b.slot.replacements ?? 0) - (a.slot.replacements ?? 0),
    );
    const ended = order.slice(joining.length + missing);
    const before = wantedBefore(members);
    const unwanted = Math.min(ended.length, Math.max(0, before - (set.wanted ?? before)));
    const stillWanted = set.wanted === undefined ? undefined : Math.max(set.wanted, before - unwanted);
    // A set that is held wants no replacement: none is waited for, also where it has made one before.
    const count = set.isHeld === true ? 0 : joining.length + awaited;
    held.push(...order.slice(0, count).map((one) => withWanted(stillWanted, one)));
    succeeded.push(...ended.slice(unwanted));
    if (set.isHeld === true) letGo.push(...order.slice(0, order.length - ended.length));
  }
  return { held, succeeded, letGo };
}

/**
 * Slots whose Machines go still. A set may make the new one before the old one is gone: where it is whole by then, nothing else that it makes
 * later comes for that slot.
 */
export function noteWhole(
  leaving: readonly Held[],
  sets: FoundCheck['sets'],
  slots: HealthMemory['slots'],
  now: number,
): Held[] {
  const whole = byMaker(leaving, sets)
    .filter(({ set, members }) => set !== undefined && isWhole(set, members, slots))
    .flatMap(({ members }) => members.map(({ uid }) => uid));
  const uids = new Set(whole);
  return leaving.map(({ uid, slot }) => (uids.has(uid) ? { uid, slot: { wholeAt: now, ...slot } } : { uid, slot }));
}

function isWhole(set: SetSight, members: readonly Held[], slots: HealthMemory['slots']): boolean {
  // Of whom nobody knows how many they want, and of a set that makes none or wants fewer, that nothing is missing tells nothing.
  if (set.living !== undefined || set.isHeld === true || (set.wanted ?? 0) < wantedBefore(members)) return false;
  return set.missing === 0 && !set.unready.some(madeFor(members, slots));
}

/** Whether a Machine was made since the first of these began, and is not in hand itself. */
function madeFor(members: readonly Held[], slots: HealthMemory['slots']): (machine: MadeMachine) => boolean {
  const since = Math.min(...members.map(({ slot }) => slot.startedAt));
  return ({ uid, createdAt }) => isNewer(createdAt, since) && slots[uid] === undefined;
}

function wantedBefore(members: readonly Held[]): number {
  return Math.max(...members.map(({ slot }) => slot.wanted ?? 0));
}

function withWanted(wanted: number | undefined, { uid, slot }: Held): Held {
  return { uid, slot: { ...slot, ...given({ wanted }) } };
}

/** How many of the Machines that are to come in place of these are not there, and how many of those are waited for. */
function missingIn(
  set: SetSight,
  members: readonly Held[],
  isNew: (machine: MadeMachine) => boolean,
  hasTime: (one: Held) => boolean,
): { readonly missing: number; readonly awaited: number } {
  if (set.living === undefined) return { missing: set.missing, awaited: set.missing };
  // Of whom nobody knows how many they want, one is expected for each that is gone, for as long as a machine may take to come up.
  const missing = Math.max(0, members.length - set.living.filter(isNew).length);
  return { missing, awaited: Math.min(missing, members.filter(hasTime).length) };
}

/** Slots for whose Machines the same set, or the same deployment, makes others. */
export interface MadeAnew {
  /** The uid of who makes them. */
  readonly maker: string;
  /** Undefined: the set is gone. */
  readonly set: SetSight | undefined;
  readonly members: readonly Held[];
}

/** Those of no set are not among them: nobody makes a replacement there. */
export function byMaker(gone: readonly Held[], sets: FoundCheck['sets']): MadeAnew[] {
  const all = Map.groupBy(gone, ({ slot }) => makerOf(slot, sets));
  return [...all].flatMap(([maker, members]) => {
    const set = members.map(({ slot }) => sets[slot.set?.uid ?? '']).find((one) => one !== undefined);
    return maker === undefined ? [] : [{ maker, set, members }];
  });
}

/** Who makes another Machine for one of this set; undefined: nobody does. */
export function makerOf({ set }: Pick<Slot, 'set'>, sets: FoundCheck['sets']): string | undefined {
  return set && (sets[set.uid]?.deployment ?? set.uid);
}

/** Kubernetes tells in whole seconds, and by another clock, when something was made. */
export function isNewer(createdAt: string, than: number): boolean {
  return Date.parse(createdAt) >= than - CLOCK_SLACK_MS;
}

/** The same of something that was made before a time. */
export function isOlder(createdAt: string, than: number): boolean {
  return Date.parse(createdAt) <= than + CLOCK_SLACK_MS;
}
