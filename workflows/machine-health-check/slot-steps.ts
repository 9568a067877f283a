import type { RemediationStep } from '../../k8s/model/machine-health-check.ts';
import { hasLastedAt } from '../spans.ts';
import type { FoundCheck } from './health-activities.ts';
import type { Asked, Slot } from './health-memory.ts';
import { whyNotReplaced } from './left-alone.ts';
import { hasFailed, isIll, unhealthySince, type Patient } from './patients.ts';
import { isForAnother, isMarkTaken, keyOf, programMs, timeoutOf } from './wishes.ts';
import { isPastReboots, rebootOverAt, spentUntil, type RebootTimes } from './reboots.ts';
import { doubled } from '../../providers/doubling.ts';

/** What had no effect is asked for again after so long, each time twice as long, in milliseconds. */
export const ASK_AGAIN_MS = { first: 5000, most: 300_000 } as const;
/** A replacement that is no better is replaced in turn after so long since it was unhealthy, each time twice as long, in milliseconds. */
const REPLACE_AGAIN_MS = { first: 60_000, most: 3_600_000 } as const;

/** A step to ask for. */
export interface NextStep {
  readonly step: RemediationStep;
  /** Its place in `remediation.steps`. */
  readonly at: number;
  /** When, in milliseconds since the epoch. */
  readonly dueAt: number;
  /** The Machine is a replacement that is no better than what it replaced. @default false */
  readonly isAgain?: boolean;
}

/** What the choice of a step goes by. */
export interface StepInput extends RebootTimes {
  readonly seen: Pick<FoundCheck, 'limits' | 'remediation'>;
}

/** With which step a remediation begins: of a Machine that has failed, the one that replaces it. Undefined: there is none. */
export function firstStep(input: StepInput, patient: Patient): NextStep | undefined {
  const { seen, now } = input;
  const { steps } = seen.remediation;
  return (hasFailed(patient) ? replacing(steps, now) : undefined) ?? usableStep(input, patient, 0, now);
}

/**
 * What is asked for next in a slot whose Machine is there and is not being deleted. Undefined: nothing, it is waited for, or no step is
 * left. A Machine that nobody would replace is not deleted.
 */
export function nextStep(input: StepInput, slot: Slot, patient: Patient): NextStep | undefined {
  const next = stepAfter(input, slot, patient);
  return next === undefined || whyNotReplaced(patient.suspect, next.step) === undefined ? next : undefined;
}

function stepAfter(input: StepInput, slot: Slot, patient: Patient): NextStep | undefined {
  const { steps } = input.seen.remediation;
  const { asked } = slot;
  if (slot.action === 'Replace') {
    const againAt = askAgainAt(asked);
    // Where the check was edited, it may replace none any more.
    return replacing(steps, againAt) ?? usableStep(input, patient, 0, againAt);
  }
  if (slot.action === 'Reboot') return afterReboot(input, slot, patient);
  const current = steps[slot.step];
  // The check was edited: by now another program is to be asked, or none.
  if (!isForAnother(current) || current.action !== slot.action) return usableStep(input, patient, 0, asked.at);
  if (slot.key !== keyOf(current)) return stepAt(steps, slot.step, asked.at);
  if (hasFailed(patient)) {
    const replace = replacing(steps, asked.at);
    if (replace !== undefined) return replace;
  }
  if (asked.outcome !== 'done') return stepAt(steps, slot.step, askAgainAt(asked));
  const timeoutMs = timeoutOf(current);
  if (timeoutMs !== undefined) {
    const overAt = hasLastedAt(asked.at, timeoutMs, input.away);
    return overAt === Infinity ? undefined : usableStep(input, patient, slot.step + 1, overAt);
  }
  // The program thought that it was done, and the machine is unhealthy still.
  const againAt = hasLastedAt(asked.at, programMs(input.seen), input.away);
  const isLeft = isMarkTaken(patient, slot, current) && isIll(patient) && againAt < Infinity;
  return isLeft ? stepAt(steps, slot.step, againAt) : undefined;
}

/** Where the check was edited meanwhile, its first step Reboot counts. */
function afterReboot(input: StepInput, slot: Slot, patient: Patient): NextStep | undefined {
  const { steps } = input.seen.remediation;
  const { asked } = slot;
  const at = rebootStepOf(steps, slot);
  if (at === undefined) return usableStep(input, patient, 0, asked.at);
  const { place, step } = at;
  if (isPastReboots(patient)) return usableStep(input, patient, place + 1, asked.at);
  if (asked.outcome !== 'done') return stepAt(steps, place, askAgainAt(asked));
  const dueAt = rebootOverAt(patient, slot, step, input);
  return dueAt === Infinity ? undefined : usableStep(input, patient, place + 1, Math.max(dueAt, asked.at));
}

/** The step of a reboot under way; undefined: the check reboots no more. */
export function rebootStepOf(
  steps: readonly RemediationStep[],
  { step: place }: Pick<Slot, 'step'>,
): { readonly place: number; readonly step: Extract<RemediationStep, { action: 'Reboot' }> } | undefined {
  const own = steps[place];
  if (own?.action === 'Reboot') return { place, step: own };
  const first = steps.findIndex(({ action }) => action === 'Reboot');
  const step = steps[first];
  return step?.action === 'Reboot' ? { place: first, step } : undefined;
}

/** The first step from this place on that can help: a reboot cannot always. */
function usableStep({ seen, now }: StepInput, patient: Patient, from: number, dueAt: number): NextStep | undefined {
  const { steps } = seen.remediation;
  const isUsable = (step: RemediationStep, at: number): boolean =>
    at >= from &&
    (step.action !== 'Reboot' || (!isPastReboots(patient) && spentStepUntil(step, patient, now) === undefined));
  return stepAt(steps, steps.findIndex(isUsable), dueAt);
}

/** A remediation begins with this step, and not with a reboot before it, since the machine was rebooted as often as it may be. */
export function isPastSpentReboot({ seen, now }: StepInput, patient: Patient, { at }: NextStep): boolean {
  return seen.remediation.steps.slice(0, at).some((step) => spentStepUntil(step, patient, now) !== undefined);
}

/** Every step that could help is a reboot, and the machine was rebooted too often: until when. Undefined: it is not so. */
export function allSpentUntil({ seen, now }: StepInput, patient: Patient): number | undefined {
  const until = seen.remediation.steps.map((step) => spentStepUntil(step, patient, now));
  return until.every((at) => at !== undefined) ? Math.min(...until) : undefined;
}

/** The step is a reboot, which might help, and the machine was rebooted as often as it may be: until when. Undefined: it is not so. */
function spentStepUntil(step: RemediationStep, patient: Patient, now: number): number | undefined {
  return step.action === 'Reboot' && !isPastReboots(patient) ? spentUntil(patient.suspect, step, now) : undefined;
}

/** How a replacement is replaced that is unhealthy itself. */
export function replaceAgain(input: StepInput, slot: Slot, patient: Patient): NextStep | undefined {
  const dueAt = Math.max(slot.asked.at, unhealthySince(patient)) + replaceAgainMs(slot);
  const next = replacing(input.seen.remediation.steps, dueAt) ?? usableStep(input, patient, 0, dueAt);
  return next && { ...next, isAgain: true };
}

/** How long after it was unhealthy the next one is replaced. In milliseconds. */
export function replaceAgainMs({ replacements = 0 }: Pick<Slot, 'replacements'>): number {
  return doubled(REPLACE_AGAIN_MS, replacements + 1);
}

function replacing(steps: readonly RemediationStep[], dueAt: number): NextStep | undefined {
  return stepAt(
    steps,
    steps.findIndex(({ action }) => action === 'Replace'),
    dueAt,
  );
}

function stepAt(steps: readonly RemediationStep[], at: number, dueAt: number): NextStep | undefined {
  const step = steps[at];
  return step === undefined ? undefined : { step, at, dueAt };
}

function askAgainAt({ at, times }: Asked): number {
  return at + doubled(ASK_AGAIN_MS, times);
}
