import type { Condition } from './condition.ts';
import type { LabelSelector } from './machine-set.ts';
import type { ObjectRef } from './object-ref.ts';
import type { RemediationTemplate } from './remediation-template.ts';

/** Which machines have to be healthy, what that means, and what becomes of those that are not. */
export interface MachineHealthCheck {
  /** What is wrong with the stored object; then nothing else of its spec counts. */
  readonly malformed?: string;
  readonly ref: ObjectRef;
  readonly generation: number;
  /** RFC 3339. */
  readonly deletedAt?: string;
  readonly paused: boolean;
  /** Of the Machines of its namespace, whatever API they are of. */
  readonly selector: LabelSelector;
  /** Absent: it has no rules of its own, and the cluster's apply. */
  readonly nodeRules?: readonly ConditionRule[];
  readonly machineRules: readonly ConditionRule[];
  readonly limits: HealthLimits;
  readonly remediation: RemediationPolicy;
  /** A person told it to go on in spite of a storm: when. RFC 3339. */
  readonly proceedAt?: string;
}

/** On a check: a person told it to go on in spite of what it takes for a storm. When, RFC 3339: one that comes later holds again. */
export const PROCEED_ANNOTATION = 'millwright.dev/proceed';

/** A condition that is bad for too long makes a machine unhealthy. */
export interface ConditionRule {
  /** Of the condition. One that is not there is not bad. */
  readonly type: string;
  /** Any of them is bad. Rules of the same type and time-out are one: a change among these is no change. */
  readonly statuses: readonly ('True' | 'False' | 'Unknown')[];
  readonly timeoutMs: number;
}

/** How many machines may be unhealthy for any of them to be remediated, and what else makes one unhealthy. */
export interface HealthLimits {
  /** A number, or a share of all that match, rounded down. @default 100% */
  readonly maxUnhealthy: Share;
  /** Both are included. It stands in place of maxUnhealthy. */
  readonly unhealthyRange?: { readonly from: number; readonly to: number };
  /** From the launch of its instance until its Node has to be there. 0: it may take any time. @default 10 min */
  readonly nodeStartupTimeoutMs: number;
}

/** A number, or a share in percent. */
export type Share = { readonly count: number } | { readonly percent: number };

/** What is done for an unhealthy machine, and how many at a time. */
export interface RemediationPolicy {
  /** In this order, each where the one before it did not help. @default Replace */
  readonly steps: readonly RemediationStep[];
  /** Rounded up, at least 1. @default 20% */
  readonly maxInFlight: Share;
  /** So many that turned unhealthy by one cause within {@link stormWindowMs}, and at least 3, are no coincidence. @default 50% */
  readonly stormThreshold: Share;
  /** @default 5 min */
  readonly stormWindowMs: number;
}

export type RemediationStep =
  /** The Machine is deleted; its set makes another one. */
  | {
      readonly action: 'Replace';
      /** From the beginning of its drain until {@link onTimeout} applies. @default 10 min */
      readonly drainTimeoutMs: number;
      /** `Force` applies to a Node that answers, too; to one that does not, it always does. @default Wait */
      readonly onTimeout: 'Wait' | 'Force';
    }
  /** Its instance is rebooted, after its Node was drained where that is Ready. */
  | {
      readonly action: 'Reboot';
      /** Until the cloud is called; then the next step comes in its stead. @default 10 min */
      readonly drainTimeoutMs: number;
      /** Of one machine within 24 hours. @default 2 */
      readonly maxReboots: number;
    }
  /** The Machine is annotated for another program, which is to remedy it. */
  | {
      readonly action: 'Annotate';
      readonly key: string;
      readonly value: string;
      /** How long that program has. @default for ever */
      readonly timeoutMs?: number;
    }
  /** An object is made of a template, for another program, which is to remedy it. */
  | { readonly action: 'Template'; readonly template: RemediationTemplate };

/** What a Machine says of its remediation. */
export interface HealthWishes {
  /** A person wants it remediated, for this reason. */
  readonly remediate?: string;
  /** A person wants it left alone: until when, RFC 3339; empty: for as long as that is said. */
  readonly skip?: string;
  /** Another program remediates it. */
  readonly external?: true;
  readonly claim?: HealthClaim;
  /** How its drain ends a check has said, and nobody else since. */
  readonly hasDrainOfCheck?: true;
}

/** Which check remediates a Machine. */
export interface HealthClaim {
  readonly name: string;
  readonly uid: string;
}

/** How many unhealthy Machines a status lists: of hundreds, nobody reads all. */
export const MOST_UNHEALTHY_TOLD = 100;

export interface MachineHealthCheckStatus {
  /** How many Machines it selects. */
  readonly expectedMachines: number;
  /** How many of them have a Node and nothing bad, and are not being deleted. */
  readonly currentHealthy: number;
  /** How many more may turn unhealthy before none is remediated. */
  readonly remediationsAllowed: number;
  /** How many remediations are under way, also of machines that are gone, until their set is whole again. */
  readonly remediationsInFlight: number;
  /** How many may be under way at a time now: as the check says; after a storm fewer, until some have succeeded. */
  readonly remediationsInFlightLimit: number;
  readonly observedGeneration: number;
  readonly conditions: readonly Condition[];
  /** Those that are not healthy, the longest first; of many, the first {@link MOST_UNHEALTHY_TOLD}. */
  readonly unhealthyMachines: readonly UnhealthyMachine[];
}

export interface UnhealthyMachine {
  readonly name: string;
  /** What is wrong with it, as a sentence. */
  readonly cause: string;
  /** RFC 3339: since when. */
  readonly since: string;
  /** What comes next, and what it waits for: a sentence. */
  readonly next: string;
  /** RFC 3339: when it will be remediated if it stays as it is and nothing holds that up. */
  readonly dueAt?: string;
}
