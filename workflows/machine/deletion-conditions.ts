import { becauseOf } from '../../k8s/model/cause.ts';
import { conditionOf, type Condition, type NewCondition } from '../../k8s/model/condition.ts';
import type { Machine } from '../../k8s/model/machine.ts';

const IS_FINAL = 'the Machine has a deletionTimestamp, which nobody can take back';

/** `spec.delete` was changed after that. */
export const ABORT_TOO_LATE = {
  type: 'Warning',
  reason: 'AbortTooLate',
  message: `${IS_FINAL}: spec.delete was changed too late`,
} as const;

/** That a machine is to go, and whether that can still be aborted. */
export function deletingCondition(machine: Machine): NewCondition {
  const [reason, what] =
    machine.deletedAt === undefined
      ? ([
          'PreparingDeletion',
          'spec.delete is true: the machine is prepared for its end, and then deleted; until then false aborts that',
        ] as const)
      : (['DeletionUnderWay', IS_FINAL] as const);
  return { type: 'Deleting', status: 'True', reason, message: `${what}${becauseOf(machine)}` };
}

/** A call to launch may have made an instance, and none is on record. */
export function unansweredCondition(message: string): NewCondition {
  return { type: 'InstanceExists', status: 'Unknown', reason: 'LaunchOutcomeUnknown', message };
}

/** That was told, and it is known by now that no instance came of it. Undefined: it was not. */
export function nothingCameCondition(conditions: readonly Condition[]): NewCondition | undefined {
  const told = conditionOf(conditions, 'InstanceExists');
  if (told?.reason !== 'LaunchOutcomeUnknown') return undefined;
  const message = 'no instance came of its launch';
  return { type: 'InstanceExists', status: 'False', reason: 'InstanceNotCreated', message };
}
