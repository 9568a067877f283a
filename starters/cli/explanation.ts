import type { MachineObject } from '../../k8s/api/machine.ts';
import { adviceOn, lastTroubleOf, type Standing } from '../../k8s/model/trouble.ts';
import type { RetryClass } from '../../providers/provider.ts';

/** Where a machine stands, read from its object alone. */
export interface Explanation {
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  readonly step: string;
  /** CamelCase, for programs; absent where it waits for nothing that its status names. */
  readonly reason?: string;
  /** Of the cloud's failure after which it waits. */
  readonly retryClass?: RetryClass;
  /** RFC 3339: since when it is in this step for this reason. */
  readonly since?: string;
  /** A sentence. */
  readonly waitsFor: string;
  /** A sentence; absent where nothing went wrong, or it was overcome. */
  readonly lastError?: string;
  /** What a person can do: a sentence or two. */
  readonly toDo: string;
  /** RFC 3339, or a sentence. */
  readonly nextTry: string;
  readonly instance?: string;
  readonly node?: string;
}

type Status = NonNullable<MachineObject['status']>;

export function explain({ metadata, spec, status = {} }: MachineObject): Explanation {
  const stands = standing(metadata, spec, status);
  const seen = seenOf(status, stands, metadata.deletionTimestamp !== undefined);
  const lastError = lastTroubleOf(seen);
  const { instanceId, instanceState } = status.providerStatus ?? {};
  const node = status.nodeRef?.name;
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    phase: status.phase ?? 'New',
    ...stands,
    ...(lastError === undefined ? {} : { lastError: `${lastError.reason}: ${lastError.message}` }),
    toDo:
      stands.step === 'New' ? 'Run a watcher and a worker; `millwright doctor` tells what is missing.' : adviceOn(seen),
    ...(instanceId === undefined ? {} : { instance: `${instanceId} (${instanceState ?? 'state unknown'})` }),
    ...(node === undefined ? {} : { node }),
  };
}

type Stands = Pick<Explanation, 'step' | 'reason' | 'retryClass' | 'since' | 'waitsFor' | 'nextTry'>;

function standing(
  metadata: MachineObject['metadata'],
  spec: MachineObject['spec'] | undefined,
  status: Status,
): Stands {
  const { waiting, phase } = status;
  if (phase === 'Failed' && metadata.deletionTimestamp === undefined) {
    return { step: 'Failed', waitsFor: 'it is final: only a deletion of the Machine acts on it', nextTry: 'none' };
  }
  if (waiting !== undefined) {
    const { step, reason, retryClass, since, message, nextTry } = waiting;
    const ofClass = retryClass === undefined ? {} : { retryClass };
    return { step, reason, ...ofClass, since, waitsFor: message, nextTry: nextTry ?? 'when something changes' };
  }
  if (metadata.deletionTimestamp !== undefined) {
    const since = metadata.deletionTimestamp;
    return { step: 'Delete', since, waitsFor: 'a worker to take the next step of its deletion', nextTry: 'at once' };
  }
  if (phase === undefined) {
    const since = metadata.creationTimestamp;
    const waitsFor = 'a worker to look at it: its status was never written';
    return { step: 'New', since, waitsFor, nextTry: 'as soon as watcher and worker run' };
  }
  if (phase === 'Running') {
    return { step: 'Running', ...sinceOf(status, 'NodeReady'), waitsFor: 'nothing', nextTry: 'when something changes' };
  }
  if (phase === 'Provisioned') {
    const waitsFor = `instance ${status.providerStatus?.instanceId ?? ''} was created; its Node ${spec?.providerID ?? ''} has not joined yet`;
    const since = sinceOf(status, 'MachineCreation');
    return { step: 'JoinCluster', reason: 'NodeNotJoined', ...since, waitsFor, nextTry: 'when its Node registers' };
  }
  return { step: phase, waitsFor: 'a worker to take the next step', nextTry: 'at once' };
}

function sinceOf({ conditions = [] }: Status, type: string): { since?: string } {
  const since = conditions.find((condition) => condition.type === type)?.lastTransitionTime;
  return since === undefined ? {} : { since };
}

/** What its trouble is told by, and what to do. */
function seenOf(
  { phase, errorReason, errorMessage, conditions = [] }: Status,
  { reason, retryClass, waitsFor }: Stands,
  isDeleting: boolean,
): Standing {
  const isFailed = errorReason !== undefined || errorMessage !== undefined;
  return {
    phase: isDeleting ? 'Deleting' : phase,
    error: isFailed ? { reason: errorReason ?? 'Failed', message: errorMessage ?? '' } : undefined,
    waiting: reason === undefined ? undefined : { reason, retryClass, message: waitsFor },
    conditions,
  };
}
