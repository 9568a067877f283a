import {
  onRecordFor,
  type MachineDeployment,
  type MachineDeploymentStatus,
  type PreflightStatus,
} from '../../k8s/model/machine-deployment.ts';
import { given } from '../../providers/given.ts';
import { isDue, type Retry } from '../retry.ts';
import type { PreflightAnswer } from './machine-deployment-activities.ts';

/** Nothing tells when something is mended in the cloud. Milliseconds. */
const AGAIN_MS = 300_000;

/** What is known of a launch of the template as it is now. */
export interface PreflightSight {
  /** Of this revision of it; absent: nothing yet. */
  readonly known?: PreflightStatus;
  /** There are Machines of it: a launch has worked. */
  readonly hasNew: boolean;
}

/**
 * @param revision of the template; absent: of whichever revision the status tells
 * @returns undefined: there are no Machines of an earlier template, so nothing is lost where a launch does not work
 */
export function seePreflight(
  { templateHash }: Pick<MachineDeployment, 'templateHash'>,
  { preflight }: Pick<Partial<MachineDeploymentStatus>, 'preflight'>,
  { hasOld, hasNew, revision }: { readonly hasOld: boolean; readonly hasNew: boolean; readonly revision?: number },
): PreflightSight | undefined {
  if (!hasOld) return undefined;
  return { hasNew, ...given({ known: onRecordFor(preflight, templateHash, revision) }) };
}

export function isPreflightPassed({ known, hasNew }: PreflightSight): boolean {
  return known?.passed ?? hasNew;
}

/** What a look at the deployment says of it when its sets have to be told. */
interface Asking {
  readonly sight: PreflightSight | undefined;
  readonly generation: number;
  /** How the last try went that the cloud had no answer to. */
  readonly retry: Retry | undefined;
}

/** What is known, with an answer of the cloud that is not on record yet. */
export function withAnswer(
  sight: PreflightSight,
  answer: PreflightStatus | undefined,
  { templateHash, revision }: Pick<PreflightStatus, 'templateHash' | 'revision'>,
): PreflightSight {
  const fresh = onRecordFor(answer, templateHash, revision);
  return fresh === undefined ? sight : { ...sight, known: fresh };
}

/** Whether the cloud is to be asked now. */
export function isPreflightDue({ sight, generation, retry }: Asking, now: number): boolean {
  if (sight === undefined || isPreflightPassed(sight) || !isDue(retry, now)) return false;
  return sight.known === undefined || sight.known.generation !== generation || askAgainAt(sight) <= now;
}

/** Whether only what holds up drains is to be looked for, once: a launch has worked, and of this revision nothing is on record. */
export function areBudgetsDue(sight: PreflightSight | undefined): boolean {
  return sight?.hasNew === true && sight.known === undefined;
}

/** When it is asked again, in milliseconds since the epoch; Infinity: not by itself. */
export function askAgainAt({ known }: PreflightSight): number {
  return known === undefined || known.passed ? Infinity : Date.parse(known.checkedAt) + AGAIN_MS;
}

/** What is to be on record of an answer. */
export function preflightStatus(
  answer: Exclude<PreflightAnswer, { outcome: 'later' }>,
  of: Pick<PreflightStatus, 'templateHash' | 'revision'> & { readonly generation: number },
  now: number,
): PreflightStatus {
  return {
    ...of,
    passed: answer.outcome === 'passed',
    ...given({ message: answer.message }),
    checkedAt: new Date(now).toISOString(),
  };
}
