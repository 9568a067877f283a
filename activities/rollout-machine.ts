import type { MachineStatus } from '../k8s/model/machine.ts';
import type { MachineReading } from '../k8s/model/reading.ts';
import { replicaOf } from '../k8s/model/replica.ts';
import { given } from '../providers/given.ts';
import type { RolloutMachine } from '../workflows/machine-deployment/new-machines.ts';

/** A Machine as its deployment sees it. */
export function rolloutMachineOf(reading: MachineReading): RolloutMachine {
  const { status } = reading.machine;
  return {
    ...replicaOf(reading),
    ...given({
      launchedAt: launchedAt(status),
      failure: failureOf(status),
      lacksCapacity: lacksCapacity(status),
      downSince: downSince(status),
    }),
  };
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

/** Not where the cloud had no room, nor where an instance is gone that had joined: that is no fault of the template. */
function failureOf({ phase, error, nodeRef }: MachineStatus): string | undefined {
  if (phase !== 'Failed' || error === undefined) return undefined;
  const isNoFault =
    error.reason === 'InsufficientResources' || (error.reason === 'UpdateError' && nodeRef !== undefined);
  return isNoFault ? undefined : `it failed: ${error.message}`;
}

/** Also of one that is Failed for that, so that cluster-autoscaler turns elsewhere: it is tried on. Or the cloud took its instance back. */
function lacksCapacity({ phase, error, waiting }: MachineStatus): string | undefined {
  if (phase === 'Failed' && error?.reason === 'InsufficientResources') return error.message;
  const isFull = waiting?.retryClass === 'exhausted' || waiting?.retryClass === 'throttled';
  return waiting?.step === 'Launch' && isFull ? waiting.message : undefined;
}
