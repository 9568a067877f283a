import { asClause } from './as-clause.ts';
import { conditionOf } from './condition.ts';
import { isFailedForGood, isWithoutRoom } from './failure.ts';
import type { MachineStatus } from './machine.ts';
import type { Replica } from './machine-set.ts';
import type { MachineReading } from './reading.ts';
import type { Readiness } from './readiness.ts';
import type { ConditionReason, WaitReason } from './reasons/reasons.ts';
import { replicaOf } from './replica.ts';
import { given } from '../../providers/given.ts';

/**
 * A Machine as its deployment sees it. The watcher compares all of it, and wakes the deployment when any of it changes: what a
 * deployment goes by has to be here.
 */
export interface RolloutMachine
  extends Readiness, Pick<Replica, 'name' | 'uid' | 'labels' | 'controller' | 'hasNode' | 'markedForDeletion'> {
  readonly isFailed: boolean;
  /** When its launch made an instance, in milliseconds since the epoch; absent: it did not yet. */
  readonly launchedAt?: number;
  /** Since when its Node is not Ready, or cannot be used; absent: it has none, or it can. */
  readonly downSince?: number;
  /** Why it failed for good, where its template may be to blame. */
  readonly failure?: string;
  /** The cloud had no room for it, or took its instance back: its template is not to blame, however long it takes. */
  readonly isBlameless?: true;
  /** Name of the health check that has it deleted by its rules; absent: none does. */
  readonly remediatedBy?: string;
  /** What the cloud has no room for, or no time. */
  readonly lacksCapacity?: string;
  /** What became of an instance that the cloud took back: nobody tries that Machine again. */
  readonly lost?: string;
  /** Its deletion waits for this, and may do so for long; absent: it goes on, or the Machine stays. */
  readonly heldBy?: HeldDeletion;
  /** Its launch is refused, until something is mended; absent: it is not. */
  readonly refused?: RefusedLaunch;
}

export interface RefusedLaunch {
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** What came back. */
  readonly why: string;
}

/** What a launch waits for that a person has to mend, apart from what a cloud refuses. */
const TO_MEND: ReadonlySet<string> = new Set<WaitReason>([
  'SecretMissing',
  'MachineClassMissing',
  'MachineClassInvalid',
  'MachineClassDeleting',
  'InvalidConfiguration',
]);

/** What a deletion waits for that does not come by itself, or that nobody knows when it comes. */
const HOLDS_DELETIONS = [
  'LaunchOutcomeUnknown',
  'HookPresent',
  'ControlPlaneInTheWay',
  'PodsBlocked',
  'MisconfiguredBudget',
  'EvictionRefused',
  'PodsNotEnding',
  'PodsNotToBeDisrupted',
  'HeldByFinalizers',
  'Paused',
  'MalformedObject',
  'KubernetesRefused',
] as const satisfies readonly WaitReason[];

export type HeldDeletion = (typeof HOLDS_DELETIONS)[number];

export function rolloutMachineOf(reading: MachineReading): RolloutMachine {
  const { name, uid, labels, controller, deleting, hasNode, readySince, unusable, markedForDeletion } =
    replicaOf(reading);
  const { status } = reading.machine;
  return {
    name,
    uid,
    labels,
    deleting,
    hasNode,
    markedForDeletion,
    isFailed: status.phase === 'Failed',
    ...given({
      controller,
      readySince,
      unusable,
      launchedAt: launchedAt(status),
      failure: failureOf(status),
      isBlameless: isBlameless(status) ? true : undefined,
      remediatedBy: remediatedBy(reading),
      lacksCapacity: lacksCapacity(status),
      lost: lostOf(status),
      refused: refusedOf(status),
      downSince: downSince(status),
      heldBy: deleting ? HOLDS_DELETIONS.find((reason) => reason === status.waiting?.reason) : undefined,
    }),
  };
}

/** That somebody wanted it replaced says nothing of its template. */
function remediatedBy({ meta, health: { claim, remediate } }: MachineReading): string | undefined {
  return meta.deletedAt === undefined || remediate !== undefined ? undefined : claim?.name;
}

function launchedAt({ conditions }: MachineStatus): number | undefined {
  const made = conditions.find(({ type, status }) => type === 'MachineCreation' && status === 'True');
  const at = Date.parse(made?.lastTransitionTime ?? '');
  return Number.isNaN(at) ? undefined : at;
}

/** By what is said of its Node last; undefined: it has none, or nothing is wrong with it. */
function downSince({ conditions }: MachineStatus): number | undefined {
  const ready = conditions.find(({ type }) => type === 'NodeReady');
  const usable = conditions.find(({ type }) => type === 'Usable');
  const bad = [ready, usable].filter((condition) => condition !== undefined && condition.status !== 'True');
  const since = bad
    .map((condition) => Date.parse(condition?.lastTransitionTime ?? ''))
    .filter((at) => !Number.isNaN(at));
  return since.length === 0 ? undefined : Math.min(...since);
}

function failureOf(status: MachineStatus): string | undefined {
  const { phase, error } = status;
  if (phase !== 'Failed' || error === undefined || isBlameless(status)) return undefined;
  return `it failed: ${asClause(error.message)}`;
}

/** The cloud had no room, or took the instance back. Also while it is deleted for that. */
function isBlameless({ error, conditions }: MachineStatus): boolean {
  return error !== undefined && (error.reason === 'InsufficientResources' || wasTakenBack(conditions));
}

function wasTakenBack(conditions: MachineStatus['conditions']): boolean {
  return conditionOf(conditions, 'InstanceExists')?.reason === ('InstanceTakenBack' satisfies ConditionReason);
}

/** Also of one that is Failed for that, so that cluster-autoscaler turns elsewhere: it is tried on. */
function lacksCapacity(status: MachineStatus): string | undefined {
  const { error, waiting } = status;
  if (isWithoutRoom(status)) return error?.message;
  const isFull = waiting?.retryClass === 'exhausted' || waiting?.retryClass === 'throttled';
  return waiting?.step === 'Launch' && isFull ? waiting.message : undefined;
}

function lostOf(status: MachineStatus): string | undefined {
  return isFailedForGood(status) && isBlameless(status) ? status.error?.message : undefined;
}

function refusedOf({ waiting }: MachineStatus): RefusedLaunch | undefined {
  if (waiting?.step !== 'Launch') return undefined;
  const isToMend = waiting.retryClass === 'invalid' || waiting.retryClass === 'denied' || TO_MEND.has(waiting.reason);
  const since = Date.parse(waiting.since);
  return isToMend && !Number.isNaN(since) ? { since, why: waiting.message } : undefined;
}
