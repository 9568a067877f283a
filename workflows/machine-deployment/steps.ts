import { countOf } from '../../k8s/model/count.ts';
import {
  onRecordFor,
  stepToken,
  type MachineDeployment,
  type MachineDeploymentStatus,
  type RolloutStep,
  type StepStatus,
  type StepWord,
} from '../../k8s/model/machine-deployment.ts';
import { scaledValue } from '../../k8s/model/scaled-value.ts';
import { given } from '../../providers/given.ts';

/** Where a rollout by steps stands, and what it waits for there. */
export interface StepSight {
  /** As it is on record; absent: it is not yet, and nothing is passed. */
  readonly known?: StepStatus;
  /** The one that is under way. Absent: all are passed. */
  readonly step?: RolloutStep;
  /** Its number, from 1, and how many there are. */
  readonly number: number;
  readonly of: number;
  /** How many new Machines there may be; absent: any number, or it waits. */
  readonly mostNew?: number;
  /** Who said that it may go on; absent: nobody did. */
  readonly word?: StepWord;
  /** It is a pause of some time, which has passed. @default false */
  readonly isOver?: true;
}

/**
 * The step of a rollout. None where no Machine of an earlier template is left to be replaced, nor on the way back to the last template
 * that was rolled out whole: that one needs no trying.
 *
 * @param revision of the template; absent: of whichever revision the status tells
 * @param now milliseconds since the epoch
 */
export function seeStep(
  { strategy, replicas, templateHash, approvedStep, resumedStep }: MachineDeployment,
  status: Partial<MachineDeploymentStatus>,
  { hasOld, revision }: { readonly hasOld: boolean; readonly revision?: number },
  now: number,
): StepSight | undefined {
  const { steps } = strategy;
  if (steps.length === 0 || !hasOld || status.completeTemplateHash === templateHash) return undefined;
  const known = onRecordFor(status.step, templateHash, revision);
  const passed = Math.min(known?.passed ?? 0, steps.length);
  const step = steps[passed];
  const number = passed + 1;
  const said = step?.kind === 'approval' ? approvedStep : step?.kind === 'pause' ? resumedStep : undefined;
  const isSaid = known !== undefined && said?.token === stepToken(known, number);
  return {
    ...given({ known, step }),
    number,
    of: steps.length,
    ...given({
      mostNew: step?.kind === 'machines' ? countMachines(step.machines, replicas) : undefined,
      word: isSaid ? said : undefined,
      isOver: pauseEndOf(given({ known, step })) <= now || undefined,
    }),
  };
}

/** How many new Machines a step allows: a share is rounded up, so that it is one at least. */
export function countMachines(machines: number | string, replicas: number): number {
  return Math.min(replicas, scaledValue(machines, replicas, Math.ceil));
}

/** What is seen of the Machines while a step is under way. */
export interface StepMachines {
  readonly replicas: number;
  /** How many of the new template there are or are to be, without those that are being deleted, and how many of them are available. */
  readonly newWanted: number;
  readonly newAvailable: number;
  /** Those of earlier templates, with those that are being deleted. */
  readonly oldExisting: number;
}

/** @param now milliseconds since the epoch */
export function isStepPassed(
  { known, step, mostNew = 0, word }: StepSight,
  machines: StepMachines,
  now: number,
): boolean {
  if (known === undefined || step === undefined) return false;
  const { replicas, newWanted, newAvailable, oldExisting } = machines;
  switch (step.kind) {
    case 'machines':
      return newAvailable >= mostNew && oldExisting <= Math.max(0, replicas - mostNew);
    case 'approval':
      return word !== undefined;
    case 'pause':
      return word !== undefined || (pauseEnds(known, step) <= now && newAvailable >= newWanted);
  }
}

/** When a pause is over by itself, in milliseconds since the epoch; Infinity: it is not, or there is none. */
export function pauseEndOf({ known, step }: Pick<StepSight, 'known' | 'step'>): number {
  return known === undefined || step?.kind !== 'pause' ? Infinity : pauseEnds(known, step);
}

function pauseEnds({ since }: StepStatus, { forMs = Infinity }: Extract<RolloutStep, { kind: 'pause' }>): number {
  return Date.parse(since) + forMs;
}

/** A step in words, to complete "revision 3 is at step 2 of 4: …". */
export function describeStep(sight: StepSight): string {
  const { step, mostNew } = sight;
  switch (step?.kind) {
    case undefined:
      return 'all are passed';
    case 'machines':
      return `${countOf(mostNew ?? 0, 'new machine', 'new machines')}, and no more`;
    case 'approval':
      return 'it waits for approval';
    case 'pause': {
      if (sight.isOver === true) return 'a pause that is over; all new machines have to be available before it goes on';
      const end = pauseEndOf(sight);
      const isKnown = Number.isFinite(end);
      return isKnown ? `a pause until ${new Date(end).toISOString()}` : 'a pause until it is resumed';
    }
  }
}
