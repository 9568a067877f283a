import type { Machine, MachineStatus } from '../../../k8s/model/machine.ts';
import { adviceOn, lastTroubleOf, type Standing } from '../../../k8s/model/trouble.ts';
import type { RetryClass } from '../../../providers/provider.ts';
import { given } from '../../../providers/given.ts';

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

export function explain(machine: Machine): Explanation {
  const { ref, status } = machine;
  const { phase, instance, nodeRef } = status;
  const stands = standing(machine);
  const seen = seenOf(machine, stands);
  const lastError = lastTroubleOf(seen);
  return {
    namespace: ref.namespace,
    name: ref.name,
    phase: phase ?? 'New',
    ...stands,
    ...given({ lastError: lastError && `${lastError.reason}: ${lastError.message}` }),
    toDo:
      stands.step === 'New' ? 'Run a watcher and a worker; `millwright doctor` tells what is missing.' : adviceOn(seen),
    ...given({ instance: instance && `${instance.id} (${instance.state})`, node: nodeRef?.name }),
  };
}

type Stands = Pick<Explanation, 'step' | 'reason' | 'retryClass' | 'since' | 'waitsFor' | 'nextTry'>;

function standing({ status, deletedAt, createdAt, providerID = '', malformed }: Machine): Stands {
  const { waiting, phase } = status;
  if (malformed?.isStatusReadable === false) {
    return {
      step: 'ReadObject',
      reason: 'MalformedObject',
      waitsFor: malformed.message,
      nextTry: 'when something changes',
    };
  }
  if (phase === 'Failed' && deletedAt === undefined) {
    return { step: 'Failed', waitsFor: 'it is final: only a deletion of the Machine acts on it', nextTry: 'none' };
  }
  if (waiting !== undefined) {
    const { step, reason, retryClass, since, message, nextTry } = waiting;
    const told = { since, waitsFor: message, nextTry: nextTry ?? 'when something changes' };
    return { step, reason, ...given({ retryClass }), ...told };
  }
  if (deletedAt !== undefined) {
    return {
      step: 'Delete',
      since: deletedAt,
      waitsFor: 'a worker to take the next step of its deletion',
      nextTry: 'at once',
    };
  }
  if (phase === undefined) {
    const waitsFor = 'a worker to look at it: its status was never written';
    return { step: 'New', since: createdAt, waitsFor, nextTry: 'as soon as watcher and worker run' };
  }
  if (phase === 'Running') {
    return { step: 'Running', ...sinceOf(status, 'NodeReady'), waitsFor: 'nothing', nextTry: 'when something changes' };
  }
  if (phase === 'Provisioned') {
    const waitsFor = `instance ${status.instance?.id ?? ''} was created; its Node ${providerID} has not joined yet`;
    const since = sinceOf(status, 'MachineCreation');
    return { step: 'JoinCluster', reason: 'NodeNotJoined', ...since, waitsFor, nextTry: 'when its Node registers' };
  }
  return { step: phase, waitsFor: 'a worker to take the next step', nextTry: 'at once' };
}

function sinceOf({ conditions }: MachineStatus, type: string): { since?: string } {
  return given({ since: conditions.find((condition) => condition.type === type)?.lastTransitionTime });
}

/** What its trouble is told by, and what to do. */
function seenOf({ deletedAt, status }: Machine, { reason, retryClass, waitsFor }: Stands): Standing {
  const { phase, error, conditions } = status;
  return {
    phase: deletedAt === undefined ? phase : 'Deleting',
    error,
    waiting: reason === undefined ? undefined : { reason, retryClass, message: waitsFor },
    conditions,
  };
}
