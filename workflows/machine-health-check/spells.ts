import { awayMs, type Away } from './away.ts';
import type { Spell } from './health-memory.ts';

/** Most spells that are kept of a cause; those that lie closest are told as one. */
const MOST_SPELLS = 8;
/** What is bad for more than half of so many time-outs has lasted, for all that it was good in between. */
export const FLAPPING_TIMEOUTS = 3;

/** One that is over. Times are in milliseconds since the epoch. */
interface LastSpell {
  readonly from: number;
  readonly to: number;
  readonly timeoutMs: number;
  /** When somebody looked last while it was bad. */
  readonly seenAt: number;
}

/**
 * The spells with one more. One that was seen to last for the whole time-out is not kept: it was unhealthy by itself, and recovered. Else what
 * was away for an hour would be unhealthy once more by its next hiccup.
 */
export function withSpell(
  spells: readonly Spell[],
  { from, to, timeoutMs, seenAt }: LastSpell,
  away: readonly Away[],
): readonly Spell[] {
  // A clock that went back must not have a time counted twice.
  const start = Math.max(from, spells.at(-1)?.to ?? from);
  const lasted = (until: number): number => until - start - awayMs(away, start, until);
  const badMs = Math.min(lasted(to), timeoutMs);
  return badMs <= 0 || lasted(seenAt) >= timeoutMs ? spells : compact([...spells, { from: start, to, badMs }]);
}

/** Those that may still count. */
export function recentSpells(spells: readonly Spell[], timeoutMs: number, now: number): Spell[] {
  return spells.filter(({ to }) => to > now - FLAPPING_TIMEOUTS * timeoutMs);
}

/**
 * When what is bad now will have been bad for more than half of the last three time-outs if it stays so.
 *
 * @param since when the spell that lasts began
 * @param latest when it is due anyway
 */
export function flapsTooLongAt(
  spells: readonly Spell[],
  { since, timeoutMs, latest }: { readonly since: number; readonly timeoutMs: number; readonly latest: number },
  away: readonly Away[],
  now: number,
): number {
  const windowMs = FLAPPING_TIMEOUTS * timeoutMs;
  const isTooLong = (at: number): boolean => {
    const from = at - windowMs;
    const start = Math.max(since, from);
    const lasting = Math.max(0, at - start - awayMs(away, start, at));
    return spells.reduce((sum, spell) => sum + badAfter(spell, from), lasting) > windowMs / 2;
  };
  // While it is bad, and the API server answers, what counts only grows.
  let [good, bad] = isTooLong(now) ? [since - 1, now] : [now, latest];
  if (!Number.isFinite(bad)) return latest;
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (isTooLong(middle)) bad = middle;
    else good = middle;
  }
  return Math.min(bad, latest);
}

function badAfter({ from, to, badMs }: Spell, start: number): number {
  return (badMs * Math.max(0, to - Math.max(from, start))) / (to - from);
}

function compact(spells: readonly Spell[]): readonly Spell[] {
  if (spells.length <= MOST_SPELLS) return spells;
  const gaps = spells.slice(1).map((spell, at) => spell.from - (spells[at]?.to ?? 0));
  const at = gaps.indexOf(Math.min(...gaps));
  const closest = spells.slice(at, at + 2);
  const both: Spell = {
    from: Math.min(...closest.map(({ from }) => from)),
    to: Math.max(...closest.map(({ to }) => to)),
    badMs: closest.reduce((sum, { badMs }) => sum + badMs, 0),
  };
  return spells.toSpliced(at, 2, both);
}
