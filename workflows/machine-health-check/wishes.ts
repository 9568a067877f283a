import type { RemediationStep } from '../../k8s/model/machine-health-check.ts';
import { hasLastedAt } from '../spans.ts';
import type { Begin } from './decision.ts';
import { REQUEST_MARK, type FoundCheck } from './health-activities.ts';
import type { HealthMemory, Slot } from './health-memory.ts';
import { whyNotReplaced } from './left-alone.ts';
import { isWished, type Patient } from './patients.ts';
import { recordFor } from './reboots.ts';
import type { StepInput } from './slot-steps.ts';

/** A step that another program is to take. */
export type ForAnother = Extract<RemediationStep, { action: 'Annotate' | 'Template' }>;

export function isForAnother(step: RemediationStep | undefined): step is ForAnother {
  return step?.action === 'Annotate' || step?.action === 'Template';
}

/** How long another program has at least where nobody says how long a machine may take, in milliseconds. */
const PROGRAM_MS = 600_000;

/** Machines that a person wanted remediated, of which nothing else is bad, and that were rebooted, or are done with by another program. */
export function fulfilledWishes(
  patients: readonly Patient[],
  slots: HealthMemory['slots'],
  { seen, away, now }: StepInput,
): readonly Begin['machine'][] {
  return patients
    .filter((patient) => {
      const slot = slots[patient.suspect.uid];
      const step = slot && seen.remediation.steps[slot.step];
      if (slot === undefined || !isWished(patient) || !isOnlyWished(patient)) return false;
      if (slot.action === 'Reboot') return recordFor(patient.suspect, slot.reboot)?.isDone === true;
      if (!isForAnother(step)) return false;
      return (
        isMarkTaken(patient, slot, step) ||
        (slot.asked.outcome === 'done' && now >= overAt(patient, slot, step, { seen, away }))
      );
    })
    .map(({ suspect: { name, uid } }) => ({ name, uid }));
}

/** Nothing is bad of it but that a person wants it remediated. */
export function isOnlyWished({ illnesses }: Patient): boolean {
  return illnesses.every(({ cause }) => cause.kind === 'wished');
}

/** What tells such a step from another one of its kind; absent: there is one only. */
export function keyOf(step: RemediationStep): string | undefined {
  if (step.action === 'Annotate') return step.key;
  if (step.action !== 'Template') return undefined;
  const { apiVersion, kind, name } = step.template;
  return [apiVersion, kind, name].join(' ');
}

/** The program took off that it was asked, by an annotation or by an object: it has done what it does. */
export function isMarkTaken(
  { suspect: { marks = [] } }: Patient,
  { asked, key }: Pick<Slot, 'asked' | 'key'>,
  step: ForAnother,
): boolean {
  // The check was edited since: what it asks for by now was not asked for yet.
  if (key !== keyOf(step)) return false;
  return asked.outcome === 'done' && !marks.includes(step.action === 'Annotate' ? step.key : REQUEST_MARK);
}

/** How long the program has. Undefined: for ever. In milliseconds. */
export function timeoutOf(step: ForAnother): number | undefined {
  return step.action === 'Annotate' ? step.timeoutMs : undefined;
}

/** How long another program has where its step does not say: as long as a machine may take to come up. In milliseconds. */
export function programMs({ limits }: Pick<FoundCheck, 'limits'>): number {
  return limits.nodeStartupTimeoutMs > 0 ? limits.nodeStartupTimeoutMs : PROGRAM_MS;
}

/** When a program that never takes its annotation off has had its time. Infinity: another step comes then. */
function overAt(
  { suspect }: Patient,
  { asked, step }: Slot,
  what: ForAnother,
  { seen, away }: Pick<StepInput, 'seen' | 'away'>,
): number {
  const timeoutMs = timeoutOf(what);
  if (timeoutMs === undefined) return hasLastedAt(asked.at, programMs(seen), away);
  const next = seen.remediation.steps[step + 1];
  const isLast = next === undefined || whyNotReplaced(suspect, next) !== undefined;
  return isLast ? hasLastedAt(asked.at, timeoutMs, away) : Infinity;
}
