import { countOf } from '../../k8s/model/count.ts';
import { describeDuration } from '../../k8s/model/duration.ts';
import type { Brake } from './decision.ts';
import type { FoundCheck, LostZone, SeenCause, Suspect } from './health-activities.ts';
import { isNewer } from './gone-slots.ts';
import type { HealthMemory, Storm } from './health-memory.ts';
import { unjoinedBefore, type Patient } from './patients.ts';
import { describeShare, shareOf } from './shares.ts';
import { given } from '../../providers/given.ts';
import type { Illness } from './sightings.ts';

/** So many at once may always be a coincidence. */
const MOST_COINCIDENCES = 2;

/** A storm that holds machines now. */
export interface LatchedStorm extends Brake {
  readonly reason: 'ManyAtOnce' | 'ZoneLost';
  readonly storm: Storm;
  /** When it lets go if no more machines turn bad, in milliseconds since the epoch. Absent: it holds too many. */
  readonly until?: number;
}

export interface Storms {
  readonly latched: readonly LatchedStorm[];
  /** One that was there is over. */
  readonly hasLetGo: boolean;
}

/** A machine that is bad by a cause that nobody proved. */
interface Struck {
  readonly suspect: Suspect;
  readonly illness: Illness;
}

/**
 * Which causes hold so many machines that the network or the control plane is likelier to be at fault. A storm latches when many
 * turned bad close together, those counted in that were replaced lately. It lets go when few are bad, or when a person says so.
 */
export function watchStorms(
  seen: FoundCheck,
  memory: Pick<HealthMemory, 'storms' | 'slots' | 'replaced'>,
  patients: readonly Patient[],
  now: number,
): Storms {
  const proceededAt = whenToldToProceed(seen, now);
  const byCause = struckByCause(patients, memory.slots);
  const lasting = memory.storms.flatMap((storm) =>
    proceededAt > storm.latchedAt ? [] : lastingOf(storm, seen, byCause, now),
  );
  // What a person has seen is no news: only what turned bad afterwards makes another storm.
  const isFresh = (since: number): boolean => !(since <= proceededAt);
  const begun = [...manyAtOnce(seen, memory, byCause, isFresh, now), ...zonesLost(seen, byCause, isFresh, now)]
    .filter((storm) => !lasting.some((known) => isSame(known, storm)))
    .flatMap((storm) => lastingOf(storm, seen, byCause, now));
  const latched = [...lasting, ...begun].map((storm) => ({
    storm,
    ...given({ until: storm.fewer && storm.fewer.at + graceMs(seen) }),
    ...tell(storm, seen, byCause),
  }));
  return { latched, hasLetGo: lasting.length < memory.storms.length };
}

/** The clock of a person's computer may be ahead by so much, in milliseconds. */
const PEOPLES_SLACK_MS = 300_000;

/** In milliseconds since the epoch. NaN: nobody said so, or it is to be so later: that must not let go of storms that nobody has seen yet. */
function whenToldToProceed({ proceedAt = '' }: FoundCheck, now: number): number {
  const at = Date.parse(proceedAt);
  return at <= now + PEOPLES_SLACK_MS ? at : Number.NaN;
}

/** The storm that holds a machine back where it is bad by this cause; undefined: none does. */
export function stormOver({ latched }: Storms, suspect: Suspect, bad: SeenCause): LatchedStorm | undefined {
  if (suspect.isProved === true) return undefined;
  const shared = sharedOf(bad);
  return latched.find(
    ({ storm: { cause, zone } }) => cause === shared && (zone === undefined || zone === suspect.zone),
  );
}

/** What machines that are struck at once have in common: a {@link Storm.cause}. */
export function sharedOf({ condition, key }: SeenCause): string {
  return condition ?? key;
}

/** A machine that somebody deletes goes down, which is no sign; one that this check deletes was bad before. */
function struckByCause(patients: readonly Patient[], slots: HealthMemory['slots']): Map<string, Struck[]> {
  const all = new Map<string, Struck[]>();
  for (const { suspect, illnesses } of patients) {
    const isMeant = suspect.isDeleting === true && slots[suspect.uid] === undefined;
    if (suspect.isProved === true || isMeant) continue;
    // A machine that comes up has no Node yet: that is no trouble before its time is over.
    const telling = illnesses.filter((illness) => {
      const { cause, isUnhealthy } = illness;
      if (cause.kind === 'wished' || (cause.kind === 'neverJoined' && !isUnhealthy)) return false;
      return unjoinedBefore(illness, illnesses) === undefined;
    });
    for (const [cause, some] of Map.groupBy(telling, (illness) => sharedOf(illness.cause))) {
      // By several rules on one condition it is bad since it is so by the first.
      const [illness] = some.toSorted((a, b) => a.since - b.since);
      if (illness !== undefined) all.set(cause, [...(all.get(cause) ?? []), { suspect, illness }]);
    }
  }
  return all;
}

/**
 * The storm as it lasts; nothing: it is over. When few enough are bad the others are likely to come back as well, and get some time for
 * that, counted from when the last one did.
 */
function lastingOf(
  { fewer, ...storm }: Storm,
  seen: FoundCheck,
  byCause: ReadonlyMap<string, readonly Struck[]>,
  now: number,
): readonly Storm[] {
  if (holdsTooMany(storm, seen, byCause)) return [storm];
  const all = byCause.get(storm.cause) ?? [];
  const { length: count } = storm.zone === undefined ? all : struckIn(storm.zone, all);
  if (count === 0) return [];
  if (fewer === undefined || count < fewer.count) return [{ ...storm, fewer: { count, at: now } }];
  return now < fewer.at + graceMs(seen) ? [{ ...storm, fewer }] : [];
}

function graceMs({ settings }: FoundCheck): number {
  return settings.nodeMonitorGraceSeconds * 1000;
}

function holdsTooMany(storm: Storm, seen: FoundCheck, byCause: ReadonlyMap<string, readonly Struck[]>): boolean {
  if (storm.zone !== undefined) return lostZone(seen, storm) !== undefined;
  return (byCause.get(storm.cause)?.length ?? 0) > thresholdOf(seen);
}

/** More than so many are no coincidence. */
export function mostCoincidences({ remediation, expected }: Pick<FoundCheck, 'remediation' | 'expected'>): number {
  return Math.max(MOST_COINCIDENCES, shareOf(remediation.stormThreshold, expected));
}

/** The same; of so many that not each is told of, those that are have to do. */
function thresholdOf(seen: FoundCheck): number {
  const most = mostCoincidences(seen);
  return seen.untold === undefined || most >= seen.expected ? most : Math.min(most, seen.suspects.length / 2);
}

function manyAtOnce(
  seen: FoundCheck,
  { replaced }: Pick<HealthMemory, 'replaced'>,
  byCause: ReadonlyMap<string, readonly Struck[]>,
  isFresh: (since: number) => boolean,
  now: number,
): Storm[] {
  // A set that makes none in their place, or has not yet, has fewer machines by as many: they count among the others as well.
  const missing = Object.values(seen.sets).reduce((sum, set) => sum + set.missing, 0);
  return [...byCause].flatMap(([cause, struck]) => {
    const gone = goneOf(cause, struck, replaced).filter(isFresh);
    const times = [...struck.map(({ illness }) => illness.since).filter(isFresh), ...gone];
    const most = mostWithin(times, seen.remediation.stormWindowMs);
    const expected = seen.expected + Math.min(gone.length, missing);
    return most > thresholdOf({ ...seen, expected }) ? [{ cause, latchedAt: now }] : [];
  });
}

/** Since when those were bad that are gone. One that was made since they were replaced stands for the oldest of them: it may be in its place. */
function goneOf(cause: string, struck: readonly Struck[], replaced: HealthMemory['replaced']): number[] {
  const uids = new Set(struck.map(({ suspect }) => suspect.uid));
  const gone = replaced.filter(({ uid, since }) => since[cause] !== undefined && !uids.has(uid));
  const made = struck.filter(({ suspect }) => gone.some(({ at }) => isNewer(suspect.createdAt, at)));
  return gone.slice(made.length).flatMap(({ since }) => since[cause] ?? []);
}

/** The greatest number of times that lie within so long of each other. */
function mostWithin(times: readonly number[], windowMs: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  let first = 0;
  let most = 0;
  sorted.forEach((time, at) => {
    while (time - (sorted[first] ?? time) > windowMs) first += 1;
    most = Math.max(most, at - first + 1);
  });
  return most;
}

function zonesLost(
  seen: FoundCheck,
  byCause: ReadonlyMap<string, readonly Struck[]>,
  isFresh: (since: number) => boolean,
  now: number,
): Storm[] {
  return seen.lostZones.flatMap(({ zone, cause, isAlone }) => {
    const struck = struckIn(zone, byCause.get(cause));
    const newest = Math.max(...struck.map(({ illness }) => illness.since));
    const { stormWindowMs } = seen.remediation;
    // One that was unhealthy long before, and is being replaced or left alone, makes what came over the others no less sudden.
    const isOld = ({ since, dueAt }: Illness): boolean => dueAt <= newest && since < newest - stormWindowMs;
    const others = struck.filter(({ illness }) => isFresh(illness.since) && !isOld(illness));
    const times = others.map(({ illness }) => illness.since);
    const isTogether = mostWithin(times, stormWindowMs) === others.length;
    const isSudden = isTogether && others.length > (others.length === struck.length ? 0 : MOST_COINCIDENCES);
    return isAlone && isSudden ? [{ cause, zone, latchedAt: now }] : [];
  });
}

function struckIn(zone: string, struck: readonly Struck[] = []): Struck[] {
  return struck.filter(({ suspect }) => suspect.zone === zone);
}

/** Undefined: it is a storm of no zone, or a Node of the zone is well. */
function lostZone({ lostZones }: FoundCheck, { cause, zone }: Storm): LostZone | undefined {
  return lostZones.find((lost) => lost.zone === zone && lost.cause === cause);
}

function isSame(a: Storm, b: Storm): boolean {
  return a.cause === b.cause && a.zone === b.zone;
}

/** Undefined: none of them is told of. */
function describeLikelier(kind: SeenCause['kind'] | undefined): string {
  const common = kind === 'failed' ? 'The cloud, or what they are made of,' : 'The network or the control plane';
  return `${common} is likelier at fault`;
}

function tell(
  storm: Storm,
  seen: FoundCheck,
  byCause: ReadonlyMap<string, readonly Struck[]>,
): Pick<LatchedStorm, 'reason' | 'message'> {
  const { cause, zone, fewer } = storm;
  const lost = lostZone(seen, storm);
  const all = byCause.get(cause) ?? [];
  const struck = lost === undefined ? all : struckIn(lost.zone, all);
  const [first] = struck;
  const words = first === undefined ? cause : `of Machine ${first.suspect.name}: ${first.illness.cause.words}`;
  const likelier = describeLikelier(first?.illness.cause.kind);
  const proceed = 'or somebody says `millwright healthcheck proceed NAME`';
  if (fewer !== undefined) {
    const where = zone === undefined ? '' : ` of zone ${zone}`;
    const left = zone === undefined ? all : struckIn(zone, all);
    const message = `${countOf(left.length, `machine${where} is`, `machines${where} are`)} bad still by what struck many at once (${words}), with time to come back until ${new Date(fewer.at + graceMs(seen)).toISOString()}; this holds none from then on, or from when somebody says \`millwright healthcheck proceed NAME\``;
    return { reason: zone === undefined ? 'ManyAtOnce' : 'ZoneLost', message };
  }
  if (lost !== undefined) {
    const message = `all ${lost.nodes} Nodes of zone ${lost.zone} are bad by one cause (${words}), and another zone is healthy. ${likelier}: ${countOf(struck.length, 'machine is', 'machines are')} not remediated for that until a Node of the zone is well, ${proceed}`;
    return { reason: 'ZoneLost', message };
  }
  const { stormThreshold, stormWindowMs } = seen.remediation;
  const most = Math.floor(thresholdOf(seen));
  const message = `${struck.length} of ${countOf(seen.expected, 'machine is', 'machines are')} bad by one cause (${words}), more than ${most}, within ${describeDuration(stormWindowMs)}, with those that were replaced meanwhile (spec.remediation.stormThreshold is ${describeShare(stormThreshold)}). ${likelier}: none is remediated for that until at most ${most} are bad, ${proceed}`;
  return { reason: 'ManyAtOnce', message };
}

/** To be remembered. */
export function stormsToRemember({ latched }: Storms): Storm[] {
  return latched.map(({ storm }) => storm);
}
