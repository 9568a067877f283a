import type { RemediationStep, UnhealthyMachine } from '../../k8s/model/machine-health-check.ts';
import { describeDuration } from '../../k8s/model/duration.ts';
import { requestKindOf } from '../../k8s/model/remediation-template.ts';
import { given } from '../../providers/given.ts';
import type { BegunSteps } from './begin-steps.ts';
import type { Suspect } from './health-activities.ts';
import type { Slot } from './health-memory.ts';
import type { Hold } from './left-alone.ts';
import { describeReboot, isInTheWay } from './reboots.ts';
import { describeProof, failureOf, firstDue, worstOf, type Patient } from './patients.ts';
import type { Illness } from './sightings.ts';
import { FLAPPING_TIMEOUTS } from './spells.ts';

/** Of the check. */
interface Told {
  readonly uid: string;
  readonly steps: readonly RemediationStep[];
}

/** Every machine that is not plainly healthy, those with the oldest trouble first; those that only count come last. */
export function unhealthyRows(
  patients: readonly Patient[],
  begun: BegunSteps,
  { uid, steps }: Told,
): UnhealthyMachine[] {
  const rows = patients.map((patient) => ({ patient, row: rowOf(patient, begun, { uid, steps }) }));
  const isIll = ({ patient }: (typeof rows)[number]): number => (patient.illnesses.length > 0 ? 0 : 1);
  return rows
    .sort(
      (a, b) =>
        isIll(a) - isIll(b) || Date.parse(a.row.since) - Date.parse(b.row.since) || (a.row.name < b.row.name ? -1 : 1),
    )
    .map(({ row }) => row);
}

function rowOf(patient: Patient, begun: BegunSteps, { uid: checkUid, steps }: Told): UnhealthyMachine {
  const { suspect, illnesses } = patient;
  const { name, uid, createdAt } = suspect;
  const illness = worstOf(patient) ?? firstDue(illnesses);
  const slot = begun.slots[uid];
  const wait = begun.waits.get(uid);
  const next =
    slot === undefined || suspect.isDeleting === true
      ? nextOf(suspect, illness, slot, (wait ?? begun.later.get(uid))?.words)
      : nextInSlot(suspect, slot, steps, wait?.words);
  if (illness === undefined && slot !== undefined) {
    return { name, cause: `it was unhealthy: ${slot.cause}`, since: timeOf(slot.startedAt), next };
  }
  if (illness === undefined) return { name, cause: whyItCounts(suspect, checkUid), since: createdAt, next };
  if (slot?.action === 'Reboot' && isInTheWay(suspect, slot))
    return { name, cause: illness.cause.words, since: timeOf(illness.since), next: describeReboot(suspect, slot) };
  // That it failed hides no longer trouble: its time does not begin anew.
  const first = Math.min(illness.dueAt, failureOf(patient)?.dueAt ?? Infinity);
  const due = slot === undefined && !illness.isUnhealthy ? dueLater(illness, begun.later.get(uid)) : dueOf(first, wait);
  const dueAt = Number.isFinite(due) ? timeOf(due) : undefined;
  const { cause, since } = troubleOf(illness, illnesses);
  return { name, cause: `${cause}${describeProof(patient)}`, since, next, ...given({ dueAt }) };
}

/**
 * What is wrong, and since when. That it failed for good comes before all else; that a person wants it remediated does not hide what makes it
 * unhealthy besides.
 */
function troubleOf(first: Illness, illnesses: readonly Illness[]): Pick<UnhealthyMachine, 'cause' | 'since'> {
  const failure = failureOf({ illnesses });
  if (failure !== undefined && first.cause.kind !== 'wished') {
    return { cause: failure.cause.words, since: timeOf(Math.min(first.since, failure.since)) };
  }
  const besides =
    first.cause.kind === 'wished' ? (failure ?? firstDue(illnesses.filter((one) => one !== first))) : undefined;
  if (besides === undefined) return { cause: first.cause.words, since: timeOf(first.since) };
  return { cause: `${besides.cause.words}; besides, ${first.cause.words}`, since: timeOf(besides.since) };
}

function dueOf(dueAt: number, wait: Hold | undefined): number {
  return Math.max(dueAt, wait?.dueAt ?? wait?.until ?? -Infinity);
}

/** What it waits for then may have no end. */
function dueLater(illness: Illness, hold: Hold | undefined): number {
  return hold === undefined ? illness.dueAt : Math.max(illness.dueAt, hold.dueAt ?? hold.until ?? Infinity);
}

/** Of a machine that has nothing bad. */
function whyItCounts({ isDeleting, node, isExternal, claim }: Suspect, checkUid: string): string {
  if (isDeleting === true) return 'it is being deleted';
  if (isExternal === true) return 'another program remedies it';
  if (node === undefined) return 'it has no Node yet';
  return claim?.uid === checkUid
    ? 'it is healthy, and its claim by this check is to be taken off'
    : 'it is not healthy yet';
}

function nextOf(
  { isDeleting }: Suspect,
  illness: Illness | undefined,
  slot: Slot | undefined,
  words: string | undefined,
): string {
  if (isDeleting === true) {
    return slot === undefined ? 'it is being deleted' : 'it is being deleted, as this check asked for it';
  }
  if (illness === undefined) return 'nothing: it only counts as not healthy';
  if (illness.isUnhealthy) return words === undefined ? 'nothing: no step is left' : `waits ${words}`;
  if (!Number.isFinite(illness.dueAt)) return 'its time stands still while the API server is away';
  const { timeoutMs } = illness.cause;
  const when =
    illness.dueAt < illness.since + timeoutMs
      ? `it was bad for more than half of the last ${describeDuration(FLAPPING_TIMEOUTS * timeoutMs)}, as it comes and goes`
      : `that has lasted for ${describeDuration(timeoutMs)}`;
  return words === undefined ? `is remediated when ${when}` : `when ${when}, it waits ${words}`;
}

function nextInSlot(
  suspect: Suspect,
  slot: Slot,
  steps: readonly RemediationStep[],
  words: string | undefined,
): string {
  const { action, asked } = slot;
  const refused = asked.outcome === 'refused' ? `, and was refused (${asked.message ?? 'nothing was said'})` : '';
  const then = words === undefined ? '' : `; it waits ${words}`;
  if (action === 'Replace') return `its deletion was asked for${refused}${then}`;
  if (action === 'Reboot') {
    return refused === ''
      ? `${describeReboot(suspect, slot)}${then}`
      : `its reboot was to be asked for${refused}${then}`;
  }
  const step = steps[slot.step];
  if (action === 'Template') {
    const kind = step?.action === 'Template' ? requestKindOf(step.template) : 'object';
    return refused === ''
      ? `waits for the program that its ${kind} ${slot.name} tells of${then}`
      : `its ${kind} ${slot.name} was to be made${refused}${then}`;
  }
  const key = slot.key === undefined ? '' : ` (${slot.key})`;
  return refused === ''
    ? `waits for the program that its annotation${key} tells of${then}`
    : `its annotation${key} was to be set${refused}${then}`;
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
