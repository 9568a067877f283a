import type { RemediationStep } from '../../k8s/model/machine-health-check.ts';
import type { FoundCheck } from './health-activities.ts';
import type { Asked, Slot } from './health-memory.ts';
import { hasFailed, isIll, type Patient } from './patients.ts';
import { isForAnother, isMarkTaken, programMs, timeoutOf } from './wishes.ts';

/** What had no effect is asked for again after so long, each time twice as long, in milliseconds. */
export const ASK_AGAIN_MS = { first: 5000, most: 300_000 } as const;
/** A replacement that is no better is replaced in turn after so long since the last one, each time twice as long, in milliseconds. */
const REPLACE_AGAIN_MS = { first: 60_000, most: 3_600_000 } as const;

/** A step to ask for. */
export interface NextStep {
  readonly step: RemediationStep;
  /** Its place in `remediation.steps`. */
  readonly at: number;
  /** When, in milliseconds since the epoch. */
  readonly dueAt: number;
}

/** With which step a remediation begins: of a Machine that has failed, the one that replaces it. Undefined: there is none. */
export function firstStep(steps: readonly RemediationStep[], patient: Patient, now: number): NextStep | undefined {
  return (hasFailed(patient) ? replacing(steps, now) : undefined) ?? stepAt(steps, 0, now);
}

/** What is asked for next in a slot whose Machine is there and is not being deleted. Undefined: nothing, it is waited for. */
export function nextStep(
  seen: Pick<FoundCheck, 'remediation' | 'limits'>,
  slot: Slot,
  patient: Patient,
): NextStep | undefined {
  const { asked } = slot;
  const { steps } = seen.remediation;
  const current = steps[slot.step];
  if (slot.action === 'Replace') return replacing(steps, askAgainAt(asked));
  // The check was edited, or what an annotation could not mend has happened.
  if (!isForAnother(current)) return replacing(steps, asked.at);
  if (hasFailed(patient)) {
    const replace = replacing(steps, asked.at);
    if (replace !== undefined) return replace;
  }
  if (asked.outcome !== 'done') return stepAt(steps, slot.step, askAgainAt(asked));
  const timeoutMs = timeoutOf(current);
  if (timeoutMs !== undefined) return stepAt(steps, slot.step + 1, asked.at + timeoutMs);
  // The program thought that it was done, and the machine is unhealthy still.
  const isLeft = isMarkTaken(patient, slot, current) && isIll(patient);
  return isLeft ? stepAt(steps, slot.step, asked.at + programMs(seen)) : undefined;
}

/** How a replacement is replaced that is unhealthy itself. */
export function replaceAgain(steps: readonly RemediationStep[], slot: Slot): NextStep | undefined {
  const dueAt = slot.asked.at + backoff(REPLACE_AGAIN_MS, (slot.replacements ?? 0) + 1);
  return replacing(steps, dueAt) ?? stepAt(steps, 0, dueAt);
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
  return at + backoff(ASK_AGAIN_MS, times);
}

/** @param times from 1 */
function backoff({ first, most }: { readonly first: number; readonly most: number }, times: number): number {
  return Math.min(first * 2 ** Math.max(0, times - 1), most);
}
