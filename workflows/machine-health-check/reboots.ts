import { describeDuration } from '../../k8s/model/duration.ts';
import type { RemediationStep } from '../../k8s/model/machine-health-check.ts';
import { recentReboots, REBOOTS_COUNTED_MS } from '../../k8s/model/reboot.ts';
import { hasLastedAt } from '../spans.ts';
import { awayMs, type Away } from './away.ts';
import type { FoundCheck, SeenReboot, Suspect } from './health-activities.ts';
import type { HealthMemory, Slot, SlotReboot } from './health-memory.ts';
import { hasFailed, type Patient } from './patients.ts';

/** So long nothing may be bad of a machine that has booted anew until that has helped, in milliseconds. */
export const GOOD_MS = 60_000;
/** How long a reboot has to help where the check does not limit how long a Node may take to come, in milliseconds. */
const VERDICT_MS = 600_000;

/** While a reboot is under way its check looks once a minute. Longer than so between two looks nobody was there who could have made it. Milliseconds. */
const LATE_LOOK_MS = 120_000;

/** Of more reboots that have helped the oldest are forgotten. */
const MOST_HELPED = 1000;

type RebootStep = Extract<RemediationStep, { action: 'Reboot' }>;

/** What a reboot goes by. */
export interface RebootTimes {
  readonly seen: Pick<FoundCheck, 'limits'>;
  readonly away: readonly Away[];
  readonly now: number;
}

/** A reboot helps nobody whose instance does not run, or that has failed for good. */
export function isPastReboots(patient: Patient): boolean {
  return hasFailed(patient) || patient.suspect.isProved === true;
}

/** When it may be rebooted again, in milliseconds since the epoch; undefined: now. */
export function spentUntil({ reboot }: Suspect, { maxReboots }: RebootStep, now: number): number | undefined {
  const times = recentReboots(reboot ?? { times: [] }, now);
  const first = times.at(-maxReboots);
  return first === undefined ? undefined : first + REBOOTS_COUNTED_MS;
}

/**
 * The reboot that a step asks for: one that was sent for the machine, and may help yet, or a new one.
 *
 * @param helped the machine's last reboot that has helped
 */
export function rebootFor({ reboot }: Suspect, helped: string | undefined, times: RebootTimes): SlotReboot {
  const { told = '', state, sentAt } = reboot ?? {};
  const isUnderWay = state === 'Sent' && told !== helped && verdictAt(sentAt, times) > times.now;
  return { id: isUnderWay ? told : new Date(times.now).toISOString() };
}

/** What the machine's status tells of this reboot; undefined: nothing yet. */
export function recordFor({ reboot: seen }: Suspect, reboot: SlotReboot | undefined): SeenReboot | undefined {
  return reboot !== undefined && seen?.told === reboot.id ? seen : undefined;
}

/** The cloud was not called for it, as far as the machine's status tells. */
export function isUncalled(suspect: Suspect, { reboot }: Slot): boolean {
  const { state = 'Preparing' } = recordFor(suspect, reboot) ?? {};
  return state === 'Preparing';
}

/**
 * It has booted anew, and nothing of it is bad: since when. Undefined: it is not so. What was good for long enough before anything was bad
 * once more has helped, whoever looked meanwhile.
 */
export function goodSince({ suspect, illnesses }: Patient, { reboot }: Slot, now: number): number | undefined {
  const { goodSince: known } = reboot ?? {};
  if (illnesses.length > 0) {
    const badFrom = Math.min(...illnesses.map(({ since }) => since));
    return known !== undefined && badFrom - known >= GOOD_MS ? known : undefined;
  }
  return recordFor(suspect, reboot)?.isDone === true ? Math.min(known ?? now, now) : undefined;
}

/** When a reboot has helped that has begun to, if nothing is bad until then, in milliseconds since the epoch. Infinity: it has not begun to. */
export function helpedAt({ reboot }: Slot): number {
  return (reboot?.goodSince ?? Infinity) + GOOD_MS;
}

/** Its reboot waits for others of its control plane: its time stands still. */
export function isInTheWay({ reboot: seen }: Suspect, { reboot }: Slot): boolean {
  return seen?.awaitsTurn === true && seen.wanted === reboot?.id;
}

/**
 * How much of its time a reboot could not be made, with what has passed since the last look: nobody was there, or others of its control plane
 * were in the way. In milliseconds.
 */
export function lostMsOf(
  suspect: Suspect,
  slot: Slot,
  { lookedAt, away, now }: Pick<RebootTimes, 'away' | 'now'> & { readonly lookedAt: number },
): number | undefined {
  const { lostMs } = slot.reboot ?? {};
  if (!isUncalled(suspect, slot)) return lostMs;
  const sinceMs = now - lookedAt - awayMs(away, lookedAt, now);
  const isLost = sinceMs > LATE_LOOK_MS || isInTheWay(suspect, slot);
  return isLost && sinceMs > 0 ? (lostMs ?? 0) + sinceMs : lostMs;
}

/** When the reboot has not helped, in milliseconds since the epoch; -Infinity: it is not to be. Infinity: while it may be seen to help. */
export function rebootOverAt(
  { suspect, illnesses }: Patient,
  slot: Slot,
  step: RebootStep,
  times: RebootTimes,
): number {
  const record = recordFor(suspect, slot.reboot);
  switch (record?.state) {
    case 'Refused':
    case 'Unsupported':
    case 'Spent':
      return -Infinity;
    case 'Sent':
      return record.isDone === true && illnesses.length === 0 ? Infinity : verdictAt(record.sentAt, times);
    case 'Preparing':
    case undefined:
      return hasLastedAt(
        Date.parse(slot.reboot?.id ?? '') || slot.asked.at,
        step.drainTimeoutMs + (slot.reboot?.lostMs ?? 0),
        times.away,
      );
  }
}

function verdictAt(sentAt: string | undefined, { seen, away, now }: RebootTimes): number {
  const at = Date.parse(sentAt ?? '');
  const ms = seen.limits.nodeStartupTimeoutMs === 0 ? VERDICT_MS : seen.limits.nodeStartupTimeoutMs;
  return hasLastedAt(Number.isNaN(at) ? now : Math.min(at, now), ms, away);
}

/** With the reboots that have helped by this look, for as long as they may be asked for again. */
export function withHelped(
  known: HealthMemory['helped'],
  succeeded: readonly { readonly uid: string; readonly slot: Slot }[],
  now: number,
): HealthMemory['helped'] {
  const fresh = succeeded.flatMap(({ uid, slot: { reboot } }) => (reboot === undefined ? [] : [[uid, reboot.id]]));
  const uids = new Set(fresh.map(([uid]) => uid));
  const kept = Object.entries(known).filter(([uid, id]) => !uids.has(uid) && Date.parse(id) > now - REBOOTS_COUNTED_MS);
  return Object.fromEntries([...kept, ...fresh].slice(-MOST_HELPED));
}

/** How it stands: a sentence. */
export function describeReboot(suspect: Suspect, slot: Slot): string {
  const record = recordFor(suspect, slot.reboot);
  const { state, sentAt = '', message = '' } = record ?? {};
  if (isInTheWay(suspect, slot))
    return 'its reboot waits for its turn in the control plane (ControlPlaneInTheWay: `millwright machine explain` says for which)';
  if (state === undefined || state === 'Preparing')
    return 'its reboot was asked for; its Node is drained first where that is Ready';
  if (state !== 'Sent') return `it is not rebooted: ${message}`;
  if (slot.reboot?.goodSince !== undefined) {
    return `it was rebooted at ${sentAt}; that has helped when nothing is bad for ${describeDuration(GOOD_MS)}`;
  }
  if (record?.isDone === true) return `it was rebooted at ${sentAt}; its Node tells of another boot, and is Ready`;
  const answer = message === '' ? '' : ` (${message})`;
  return `its reboot was asked for at ${sentAt}${answer}; its Node is not Ready, or has not told of another boot yet`;
}
