import { given, unlessEmpty } from '../../providers/given.ts';
import { hasLastedAt } from '../spans.ts';
import { awayMs, type Away } from './away.ts';
import type { FoundCheck, SeenCause, Suspect } from './health-activities.ts';
import type { HealthMemory, Sighting, Sightings, Spell } from './health-memory.ts';
import { flapsTooLongAt, recentSpells, withSpell } from './spells.ts';

/** Kubernetes writes times in whole seconds, and no two clocks are the same: so much before a good look is after it. */
export const CLOCK_SLACK_MS = 2000;

/** Something bad of a Machine, with what we know of it. Times are in milliseconds since the epoch. */
export interface Illness {
  readonly cause: SeenCause;
  /** Since when it is bad; nobody can reset that. */
  readonly since: number;
  /** When it has lasted for too long. Infinity: not while an outage lasts. */
  readonly dueAt: number;
  /** It has lasted for too long. */
  readonly isUnhealthy: boolean;
  /** It makes it unhealthy because it comes and goes. */
  readonly isFlapping: boolean;
  /** That it makes it unhealthy was told. */
  readonly isTold: boolean;
}

/** When a look is, and when the one before it was. */
interface Look {
  readonly now: number;
  /** When the last look was that would have seen it. Absent: there was none, or other rules were looked for. */
  readonly goodAt?: number;
  readonly lookedAt: number;
  readonly away: readonly Away[];
}

export interface SeenIllnesses {
  readonly sightings: HealthMemory['sightings'];
  /** By the uid of a Machine; one that is not here has nothing bad. */
  readonly illnesses: ReadonlyMap<string, readonly Illness[]>;
}

/** Since when each thing is bad, and by when it has lasted for too long; and what is to be remembered of that. */
export function seeIllnesses(
  memory: Pick<HealthMemory, 'sightings' | 'lookedAt' | 'rules'>,
  seen: Pick<FoundCheck, 'suspects' | 'generation' | 'clusterRules' | 'turnedGood'>,
  away: readonly Away[],
  now: number,
): SeenIllnesses {
  const lookedAt = memory.lookedAt ?? now;
  const { suspects, turnedGood = {} } = seen;
  const hasSameRules = memory.rules === rulesKeyOf(seen);
  const look: Look = { now, lookedAt, away, ...given({ goodAt: hasSameRules ? memory.lookedAt : undefined }) };
  const sightings: Record<string, Sightings> = {};
  const illnesses = new Map<string, readonly Illness[]>();
  const bad = new Set(suspects.map(({ uid }) => uid));
  const before = underNewTimeouts(memory.sightings, suspects);
  for (const [uid, known] of Object.entries(before)) {
    const good = turnedGood[uid] ?? {};
    const kept = Object.entries(known).map(([key, sighting]) => [key, recover(sighting, look, good[key])] as const);
    keep(sightings, uid, kept);
  }
  forgetSome(sightings, bad);
  for (const suspect of suspects) {
    const known = before[suspect.uid];
    const seen = suspect.causes.map((cause) => [cause, sight(cause, known?.[cause.key], suspect, look)] as const);
    keep(sightings, suspect.uid, [
      ...Object.entries(sightings[suspect.uid] ?? {}),
      ...seen.map(([{ key }, sighting]) => [key, sighting] as const),
    ]);
    illnesses.set(
      suspect.uid,
      seen.map(([cause, sighting]) => illnessOf(cause, sighting, look)),
    );
  }
  return { sightings, illnesses };
}

/**
 * What is bad stays so since when it is: a rule of which the time-out alone was edited goes on with since when it is bad. How often it was
 * bad before is counted anew, and that it is unhealthy is told anew.
 */
function underNewTimeouts(all: HealthMemory['sightings'], suspects: readonly Suspect[]): HealthMemory['sightings'] {
  const names = editedKeys(all, suspects);
  const renamed = suspects.flatMap(({ uid, causes }) => {
    const known = all[uid];
    if (known === undefined) return [];
    const keys = new Set(causes.map(({ key }) => key));
    const kept = Object.entries(known).map(([key, sighting]) => {
      const name = names.get(key);
      const isTaken =
        name === undefined || !keys.has(name) || known[name] !== undefined || sighting.since === undefined;
      if (isTaken) return [key, sighting] as const;
      const { timeoutMs, since, changedAt } = sighting;
      return [name, { timeoutMs, since, ...given({ changedAt }) }] as const;
    });
    return [[uid, Object.fromEntries(kept)] as const];
  });
  return { ...all, ...Object.fromEntries(renamed) };
}

/** Keys of conditions, by those that they had before the time-outs of their rules were edited. */
function editedKeys(all: HealthMemory['sightings'], suspects: readonly Suspect[]): ReadonlyMap<string, string> {
  const keys = new Set(suspects.flatMap(({ causes }) => causes.map(({ key }) => key)));
  const byRule = new Map(
    suspects.flatMap(({ causes }) =>
      causes.filter(({ kind }) => kind === 'condition').map(({ key }) => [withoutTimeout(key), key] as const),
    ),
  );
  const known = new Set(Object.values(all).flatMap((sightings) => Object.keys(sightings)));
  return new Map(
    [...known].flatMap((old) => {
      const key = keys.has(old) ? undefined : byRule.get(withoutTimeout(old));
      return key === undefined ? [] : [[old, key] as const];
    }),
  );
}

/** Of a {@link SeenCause.key}: the condition and what of it is bad. */
export function withoutTimeout(key: string): string {
  return key.replace(/ \d+$/, '');
}

/** Most Machines that are well of which it is remembered that they were not. */
const MOST_RECOVERED = 500;

/** Of hundreds that are well again those are forgotten that have been so the longest. */
function forgetSome(sightings: Record<string, Sightings>, bad: ReadonlySet<string>): void {
  const well = Object.entries(sightings).filter(([uid]) => !bad.has(uid));
  const lastBadAt = (known: Sightings): number =>
    Math.max(...Object.values(known).flatMap(({ spells = [] }) => spells.map(({ to }) => to)));
  const oldest = well.map(([uid, known]) => ({ uid, at: lastBadAt(known) })).sort((a, b) => a.at - b.at);
  for (const { uid } of oldest.slice(0, Math.max(0, well.length - MOST_RECOVERED))) delete sightings[uid];
}

/** Changes with what is looked for: by other rules nobody looked before. */
export function rulesKeyOf({ generation, clusterRules = [] }: Pick<FoundCheck, 'generation' | 'clusterRules'>): string {
  const rules = clusterRules.map(({ type, statuses, timeoutMs }) => `${type}=${statuses.join()} ${timeoutMs}`);
  return [generation, ...rules].join('; ');
}

function keep(
  all: Record<string, Sightings>,
  uid: string,
  some: readonly (readonly [string, Sighting | undefined])[],
): void {
  const known = some.filter((entry): entry is [string, Sighting] => entry[1] !== undefined);
  if (known.length > 0) all[uid] = Object.fromEntries(known);
}

/**
 * It is good now, as far as is seen so far. Undefined: nothing of it has to be remembered.
 *
 * @param turnedAt when it turned so, by its own word; absent: it says nothing of that
 */
function recover(sighting: Sighting, look: Look, turnedAt = look.now): Sighting | undefined {
  const { since, timeoutMs, spells = [], isTold } = sighting;
  const { now, lookedAt, away } = look;
  // It was bad at the look before, whatever it says.
  const to = isUnwatched(timeoutMs, look) ? lookedAt : Math.min(Math.max(lookedAt, turnedAt), now);
  const all = since === undefined ? spells : withSpell(spells, { from: since, to, timeoutMs, seenAt: lookedAt }, away);
  const recent = recentSpells(all, timeoutMs, now);
  return recent.length === 0 ? undefined : { timeoutMs, spells: recent, ...given({ isTold }) };
}

/** It is bad now. */
function sight(cause: SeenCause, known: Sighting | undefined, suspect: Suspect, look: Look): Sighting {
  const { changedAt, timeoutMs } = cause;
  const { now, lookedAt, away } = look;
  const facts = { timeoutMs, ...given({ changedAt, isTold: known?.isTold }) };
  if (cause.since !== undefined) return { ...facts, since: cause.since };
  const recent = recentSpells(known?.spells ?? [], timeoutMs, now);
  if (known?.since === undefined) return { ...facts, ...told(recent), since: beginningOf(cause, suspect, look) };
  const moved = changedAt !== undefined && changedAt !== known.changedAt && changedAt > lookedAt;
  if (!moved || !isUnwatched(timeoutMs, look)) return { ...facts, ...told(recent), since: known.since };
  const before = withSpell(recent, { from: known.since, to: lookedAt, timeoutMs, seenAt: lookedAt }, away);
  return { ...facts, ...told(before), since: Math.min(changedAt, now) };
}

function told(spells: readonly Spell[]): Pick<Sighting, 'spells'> {
  return given({ spells: unlessEmpty(spells) });
}

/** Nobody looked for so long that it may have been good in between; while the API server was away nobody could tell that it was. */
function isUnwatched(timeoutMs: number, { now, lookedAt, away }: Look): boolean {
  return timeoutMs > 0 && now - lookedAt - awayMs(away, lookedAt, now) > timeoutMs / 2;
}

/** Our first sight of it, or what it says itself where that is later than all that speaks against it. */
function beginningOf({ changedAt, notBefore }: SeenCause, suspect: Suspect, { goodAt, now }: Look): number {
  if (changedAt === undefined) return now;
  const madeAt = notBefore ?? Date.parse(suspect.createdAt);
  const earliest = Math.max(goodAt ?? -Infinity, Number.isNaN(madeAt) ? -Infinity : madeAt);
  return changedAt < earliest - CLOCK_SLACK_MS ? now : Math.min(Math.max(changedAt, earliest), now);
}

function illnessOf(cause: SeenCause, sighting: Sighting, { now, away }: Look): Illness {
  const { timeoutMs } = cause;
  // A clock that went back.
  const since = Math.min(sighting.since ?? now, now);
  const latest = timeoutMs === 0 ? since : hasLastedAt(since, timeoutMs, away);
  const { spells = [] } = sighting;
  const dueAt = flapsTooLongAt(spells, { since, timeoutMs, latest }, away, now);
  const isUnhealthy = dueAt <= now;
  return {
    cause,
    since,
    dueAt,
    isUnhealthy,
    isFlapping: isUnhealthy && latest > now,
    isTold: sighting.isTold === true,
  };
}

/** The sightings, with it noted that what makes these Machines unhealthy was told. */
export function noteTold(
  sightings: HealthMemory['sightings'],
  told: readonly { readonly uid: string; readonly key: string }[],
): HealthMemory['sightings'] {
  const all: Record<string, Sightings> = { ...sightings };
  for (const { uid, key } of told) {
    const sighting = all[uid]?.[key];
    if (sighting !== undefined) all[uid] = { ...all[uid], [key]: { ...sighting, isTold: true } };
  }
  return all;
}

/** When what is bad has to be looked at again, so that it is known that it was bad all the time; and when it is due. */
export function sightingsLookAt(illnesses: Iterable<readonly Illness[]>, now: number): number {
  let at = Infinity;
  for (const illness of illnesses) {
    for (const { cause, dueAt } of illness) {
      if (cause.timeoutMs > 0) at = Math.min(at, now + Math.max(SHORTEST_LOOK_MS, cause.timeoutMs / LOOKS_A_TIMEOUT));
      if (dueAt > now) at = Math.min(at, dueAt);
    }
  }
  return at;
}

/** While anything is bad it is looked at so often within its time-out. */
const LOOKS_A_TIMEOUT = 3;
const SHORTEST_LOOK_MS = 3000;
