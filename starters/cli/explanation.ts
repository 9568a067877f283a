import type { MachineObject } from '../../k8s/api/machine.ts';
import { newestTrouble } from '../../k8s/model/trouble.ts';

/** Where a machine stands, read from its object alone. */
export interface Explanation {
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  readonly step: string;
  /** CamelCase, for programs; absent where it waits for nothing that its status names. */
  readonly reason?: string;
  /** RFC 3339: since when it is in this step for this reason. */
  readonly since?: string;
  /** A sentence. */
  readonly waitsFor: string;
  /** A sentence; absent where nothing went wrong, or it was overcome. */
  readonly lastError?: string;
  /** RFC 3339, or a sentence. */
  readonly nextTry: string;
  readonly instance?: string;
  readonly node?: string;
}

type Status = NonNullable<MachineObject['status']>;

export function explain({ metadata, spec, status = {} }: MachineObject): Explanation {
  const lastError = lastErrorOf(status);
  const { instanceId, instanceState } = status.providerStatus ?? {};
  const node = status.nodeRef?.name;
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    phase: status.phase ?? 'New',
    ...standing(metadata, spec, status),
    ...(lastError === undefined ? {} : { lastError }),
    ...(instanceId === undefined ? {} : { instance: `${instanceId} (${instanceState ?? 'state unknown'})` }),
    ...(node === undefined ? {} : { node }),
  };
}

function standing(
  metadata: MachineObject['metadata'],
  spec: MachineObject['spec'] | undefined,
  status: Status,
): Pick<Explanation, 'step' | 'reason' | 'since' | 'waitsFor' | 'nextTry'> {
  const { waiting, phase } = status;
  if (phase === 'Failed' && metadata.deletionTimestamp === undefined) {
    return { step: 'Failed', waitsFor: 'it is final: only a deletion of the Machine acts on it', nextTry: 'none' };
  }
  if (waiting !== undefined) {
    const { step, reason, since, message, nextTry } = waiting;
    return { step, reason, since, waitsFor: message, nextTry: nextTry ?? 'when something changes' };
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

function lastErrorOf(status: Status): string | undefined {
  const { errorReason, errorMessage, conditions = [] } = status;
  if (errorReason !== undefined || errorMessage !== undefined) {
    return [errorReason, errorMessage].filter((part) => part !== undefined).join(': ');
  }
  const newest = newestTrouble(conditions);
  return newest && `${newest.reason ?? newest.type}: ${newest.message ?? ''}`;
}
