import type { Begin } from './decision.ts';
import type { HealthMemory, ReplacedLately } from './health-memory.ts';
import type { Patient } from './patients.ts';
import { sharedOf, type Storms } from './storms.ts';

/** Of more than these the oldest are forgotten. */
const MOST = 1000;

/**
 * Machines that are replaced, or were within a storm's window: they turned bad as those did that are there. A replacement that is replaced
 * in turn is none: it is one trouble, however often it is tried. What has made a storm by now is counted for no other.
 */
export function replacedLately(
  known: HealthMemory['replaced'],
  { begin, slots }: { readonly begin: readonly Begin[]; readonly slots: HealthMemory['slots'] },
  patients: readonly Patient[],
  { latched }: Storms,
  { now, windowMs }: { readonly now: number; readonly windowMs: number },
): HealthMemory['replaced'] {
  const isFirst = ({ step, machine: { uid } }: Begin): boolean =>
    step.action === 'Replace' && slots[uid]?.replacements === undefined;
  const begun = new Set(begin.filter(isFirst).map(({ machine }) => machine.uid));
  const fresh = patients
    .filter(({ suspect }) => begun.has(suspect.uid) && suspect.isProved !== true)
    .map((patient) => ({ uid: patient.suspect.uid, at: now, since: sinceOf(patient) }));
  const isOver = (cause: string): boolean =>
    latched.some(({ storm }) => storm.zone === undefined && storm.cause === cause);
  return [...known.filter(({ uid }) => !begun.has(uid)), ...fresh]
    .filter(({ at }) => at > now - windowMs)
    .map((one) => ({
      ...one,
      since: Object.fromEntries(Object.entries(one.since).filter(([cause]) => !isOver(cause))),
    }))
    .filter(({ since }) => Object.keys(since).length > 0)
    .slice(-MOST);
}

function sinceOf({ illnesses }: Patient): ReplacedLately['since'] {
  const counting = illnesses.filter(({ cause, isUnhealthy }) => isUnhealthy && cause.kind !== 'wished');
  const byCause = Map.groupBy(counting, ({ cause }) => sharedOf(cause));
  return Object.fromEntries([...byCause].map(([cause, some]) => [cause, Math.min(...some.map(({ since }) => since))]));
}
