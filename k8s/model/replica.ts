import type { Replica } from './machine-set.ts';
import type { MachineReading } from './reading.ts';
import { given } from '../../providers/given.ts';

/** A Machine as its MachineSet sees it. */
export function replicaOf({ machine, meta, markedForDeletion }: MachineReading): Replica {
  const { ref, status, deletedAt } = machine;
  const { phase, nodeRef, launch, instance, deletion } = status;
  const ready = status.conditions.find(({ type }) => type === 'NodeReady');
  const deleting = deletedAt !== undefined;
  const mayRun =
    (launch !== undefined || instance !== undefined) &&
    instance?.state !== 'shutting-down' &&
    instance?.state !== 'terminated';
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
    holdsPlace: deleting && mayRun && deletion?.drainStartTime === undefined,
  };
}
