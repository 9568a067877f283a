import type { RemediationStep, UnhealthyMachine } from '../../k8s/model/machine-health-check.ts';
import type { ObjectEvent } from '../event-activities.ts';
import type { HealthMemory } from './health-memory.ts';

/** What a check does after a look, and what it has to say. */
export interface Decision {
  /** What is to be known at the next look. It counts on what is to begin: it is kept before anything is asked for. */
  readonly memory: HealthMemory;
  /** Steps to take now, in this order. What comes of each is noted by `began`. */
  readonly begin: readonly Begin[];
  /** Machines whose remediation a person wished, and got: the wish is taken off them. */
  readonly fulfilled: readonly Begin['machine'][];
  /** What holds remediations up; empty: nothing does. */
  readonly brakes: readonly Brake[];
  /** Machines that are not healthy, those with the oldest trouble first. */
  readonly unhealthy: readonly UnhealthyMachine[];
  /** Why another program could not be asked by an object of the check's template. Absent: it could, or was not to be. */
  readonly requestProblem?: string;
  /** Something that no controller owns is unhealthy, and waits. @default false */
  readonly isLeftToPeople?: true;
  /** How many more may turn unhealthy before none is remediated. */
  readonly allowed: number;
  /** How many remediations are under way, those that begin now among them, and how many may be. */
  readonly inFlight: { readonly count: number; readonly limit: number };
  /** What is news. */
  readonly events: readonly ObjectEvent[];
  /** When the next look is due if nothing changes, in milliseconds since the epoch. Infinity: never. */
  readonly lookAt: number;
}

export interface Begin {
  readonly machine: { readonly name: string; readonly uid: string };
  readonly step: RemediationStep;
  /** Of a reboot: the id of the wish. */
  readonly reboot?: string;
  /** Why: a sentence. */
  readonly cause: string;
  /** Keys of what makes it unhealthy: one of them has to be so still when the step is taken. */
  readonly causes: readonly string[];
}

export interface Brake {
  readonly reason: BrakeReason;
  /** With the numbers: a sentence. */
  readonly message: string;
}

export type BrakeReason =
  | 'TooManyUnhealthy'
  | 'TooFewUnhealthy'
  | 'AtLimit'
  | 'ManyAtOnce'
  | 'ZoneLost'
  | 'RecentOutage';

export interface DecideOptions {
  /** Of the check: it tells its claims from those of others. */
  readonly uid: string;
}
