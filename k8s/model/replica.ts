import { conditionOf } from './condition.ts';
import type { Machine, MachineStatus } from './machine.ts';
import type { DeletionStage, Replica } from './machine-set.ts';
import type { MachineReading } from './reading.ts';
import { readRolloutMark, ROLLOUT_ANNOTATION } from './rollout-mark.ts';
import { SETTINGS_ANNOTATION } from './template-settings.ts';
import { describeGates } from './usable-node.ts';
import { given } from '../../providers/given.ts';

/** A Machine as its MachineSet sees it. */
export function replicaOf({ machine, meta, markedForDeletion, markedAt }: MachineReading): Replica {
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
    ...given({
      readySince: ready?.status === 'True' ? ready.lastTransitionTime || meta.createdAt : undefined,
      unusable: unusableBecause(machine),
    }),
    markedForDeletion,
    ...given({
      markedAt,
      going: deleting ? stageOf(status) : undefined,
      settings: meta.annotations[SETTINGS_ANNOTATION],
      rollout: readRolloutMark(meta.annotations[ROLLOUT_ANNOTATION]),
    }),
  };
}

/** A gate that is open counts at once, whatever the machine's workflow has said of it by now. */
function unusableBecause({ status, openGates }: Machine): string | undefined {
  const usable = conditionOf(status.conditions, 'Usable');
  if (usable?.status === 'False' && usable.reason !== 'ReadinessGates') return usable.message;
  return openGates && describeGates(openGates);
}

/** Undefined: nothing of it may run. */
function stageOf({ launch, instance, deletion = {} }: MachineStatus): DeletionStage | undefined {
  if ((launch === undefined && instance === undefined) || instance?.state === 'terminated') return undefined;
  if (instance?.state === 'shutting-down') return 'ending';
  // Without a drain its pods leave no earlier than with its instance, also while a hook holds that.
  if (deletion.drainStartTime === undefined) return 'begun';
  return deletion.preTerminateHookStartTime === undefined ? 'draining' : 'drained';
}
