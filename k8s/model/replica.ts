import { conditionOf } from './condition.ts';
import type { MachineStatus } from './machine.ts';
import type { DeletionStage, Replica } from './machine-set.ts';
import type { MachineReading } from './reading.ts';
import { given } from '../../providers/given.ts';

/** A Machine as its MachineSet sees it. */
export function replicaOf({ machine, meta, markedForDeletion }: MachineReading): Replica {
  const { ref, status, deletedAt } = machine;
  const { phase, nodeRef } = status;
  const ready = conditionOf(status.conditions, 'NodeReady');
  const deleting = deletedAt !== undefined;
  return {
    name: ref.name,
    uid: ref.uid,
    resourceVersion: meta.resourceVersion,
    labels: meta.labels,
    ...given({ controller: meta.controller?.uid }),
    createdAt: meta.createdAt,
    deleting,
    ...given({ phase }),
    hasNode: nodeRef !== undefined,
    ...(ready?.status === 'True' ? { readySince: ready.lastTransitionTime || meta.createdAt } : {}),
    markedForDeletion,
    ...(deleting ? given({ going: stageOf(status) }) : {}),
  };
}

/** Undefined: nothing of it may run. */
function stageOf({ launch, instance, deletion = {} }: MachineStatus): DeletionStage | undefined {
  if ((launch === undefined && instance === undefined) || instance?.state === 'terminated') return undefined;
  if (instance?.state === 'shutting-down') return 'ending';
  // Without a drain its pods leave no earlier than with its instance, also while a hook holds that.
  if (deletion.drainStartTime === undefined) return 'begun';
  return deletion.preTerminateHookStartTime === undefined ? 'draining' : 'drained';
}
