import { isFailedForGood } from '../../../k8s/model/failure.ts';
import type { Machine, MachineStatus } from '../../../k8s/model/machine.ts';
import type { MachineReading } from '../../../k8s/model/reading.ts';
import { NOTHING_TO_DO } from '../../../k8s/model/reasons/reasons.ts';
import { WAITS } from '../../../k8s/model/reasons/waits.ts';
import { adviceOn, lastTroubleOf, type Standing } from '../../../k8s/model/trouble.ts';
import type { RetryClass } from '../../../providers/provider-error.ts';
import { given } from '../../../providers/given.ts';
import type { HealthOfMachine } from './health-of-machine.ts';

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
  /** What health checks have to do with it: a sentence; absent: nothing now. */
  readonly health?: string;
  /** A health check finds it not healthy. @default false */
  readonly isUnhealthy?: boolean;
}

export function explain({ machine }: Pick<MachineReading, 'machine'>): Explanation {
  const { ref, status } = machine;
  const { instance, nodeRef } = status;
  const kept = standingOfKept(machine);
  const stands = kept ?? standing(machine);
  // Where ours went within one step, no status says that the Machine was being deleted.
  const phase = kept === undefined ? status.phase : 'Deleting';
  const seen = seenOf(machine, stands);
  const lastError = lastTroubleOf(seen);
  return {
    namespace: ref.namespace,
    name: ref.name,
    phase: phase ?? 'New',
    ...stands,
    ...given({ lastError: lastError && `${lastError.reason}: ${lastError.message}` }),
    toDo: ADVICE[stands.step] ?? adviceOn(seen),
    ...given({ instance: instance && `${instance.id} (${instance.state})`, node: nodeRef?.name }),
  };
}

/** The same of a Machine with which health checks have to do: where nothing else is to be done, they tell what is. */
export function withHealth(explanation: Explanation, health: HealthOfMachine | undefined): Explanation {
  if (health === undefined) return explanation;
  const { words, isUnhealthy } = health;
  if (!isUnhealthy) return { ...explanation, health: words };
  const { toDo } = explanation;
  const see = 'See what its health check says of it: `millwright healthcheck explain NAME` tells what it waits for.';
  return { ...explanation, health: words, isUnhealthy, toDo: toDo === NOTHING_TO_DO ? see : toDo };
}

/** What to do, by step, where no reason tells it. */
const ADVICE: Readonly<Record<string, string>> = {
  New: 'Run a watcher and a worker; `millwright doctor` tells what is missing.',
  Finalizers: WAITS.HeldByFinalizers.toDo,
  Maintenance: 'End it when the work on the Node is done: `millwright machine maintenance off`.',
};

type Stands = Pick<Explanation, 'step' | 'reason' | 'retryClass' | 'since' | 'waitsFor' | 'nextTry'>;

function standing(machine: Machine): Stands {
  const { status, deletedAt, createdAt, providerID = '', malformed } = machine;
  const { waiting, phase } = status;
  if (malformed?.isStatusReadable === false) {
    return {
      step: 'ReadObject',
      reason: 'MalformedObject',
      waitsFor: malformed.message,
      nextTry: 'when something changes',
    };
  }
  if (isFailedForGood(status) && !isToGo(machine)) {
    return { step: 'Failed', waitsFor: 'it is final: only a deletion of the Machine acts on it', nextTry: 'none' };
  }
  if (waiting !== undefined) {
    const { step, reason, retryClass, since, message, nextTry } = waiting;
    const told = { since, waitsFor: message, nextTry: nextTry ?? 'when something changes' };
    return { step, reason, ...given({ retryClass }), ...told };
  }
  if (isToGo(machine)) {
    return {
      step: 'Delete',
      ...given({ since: deletedAt }),
      waitsFor: 'a worker to take the next step of its deletion',
      nextTry: 'at once',
    };
  }
  if (phase === undefined) {
    const waitsFor = 'a worker to look at it: its status was never written';
    return { step: 'New', since: createdAt, waitsFor, nextTry: 'as soon as watcher and worker run' };
  }
  if (phase === 'Running') return standingOfRunning(machine);
  if (phase === 'Provisioned') {
    const waitsFor = `instance ${status.instance?.id ?? ''} was created; its Node ${providerID} has not joined yet`;
    const since = sinceOf(status, 'MachineCreation');
    return { step: 'JoinCluster', reason: 'NodeNotJoined', ...since, waitsFor, nextTry: 'when its Node registers' };
  }
  return { step: phase, waitsFor: 'a worker to take the next step', nextTry: 'at once' };
}

/** Our part of its deletion is over, and others keep the object; undefined: nobody does, or it is not. */
function standingOfKept({ deletedAt, hasFinalizer, otherFinalizers }: Machine): Stands | undefined {
  if (deletedAt === undefined || hasFinalizer || otherFinalizers === undefined) return undefined;
  const waitsFor = `the owners of its finalizers to take them off: ${otherFinalizers.join(', ')}; nothing of Millwright keeps the Machine any more`;
  return { step: 'Finalizers', since: deletedAt, waitsFor, nextTry: 'none' };
}

function standingOfRunning({ maintenance, status }: Machine): Stands {
  const node = `Node ${status.nodeRef?.name ?? ''}`.trimEnd();
  const isWanted = maintenance === true;
  if (isWanted !== (status.maintenance === true)) {
    const [step, what] = isWanted ? ['Drain', 'drain'] : ['Uncordon', 'uncordon'];
    return { step, waitsFor: `a worker to ${what} ${node}`, nextTry: 'at once' };
  }
  const told = { nextTry: 'when something changes' };
  if (!isWanted) return { step: 'Running', ...sinceOf(status, 'NodeReady'), waitsFor: 'nothing', ...told };
  const waitsFor = `the end of its maintenance: ${node} is cordoned, and nothing that has to leave is on it`;
  return { step: 'Maintenance', ...sinceOf(status, 'Maintenance'), waitsFor, ...told };
}

function sinceOf({ conditions }: MachineStatus, type: string): { since?: string } {
  return given({ since: conditions.find((condition) => condition.type === type)?.lastTransitionTime });
}

/** For good, or so that it can still be aborted. */
function isToGo({ deletedAt, delete: isAskedFor }: Machine): boolean {
  return deletedAt !== undefined || isAskedFor === true;
}

/** What its trouble is told by, and what to do. */
function seenOf(machine: Machine, { reason, retryClass, waitsFor }: Stands): Standing {
  const { phase, error, conditions } = machine.status;
  return {
    phase: isToGo(machine) ? 'Deleting' : phase,
    error,
    waiting: reason === undefined ? undefined : { reason, retryClass, message: waitsFor },
    conditions,
  };
}
