import type { ConditionType } from './reasons/conditions.ts';
import type { MachineSetStatus } from './machine-set.ts';
import type { ConditionReason } from './reasons/reasons.ts';

/** What the API server refuses a MachineSet. */
export interface SetFailure {
  readonly reason: Extract<ConditionReason, 'FailedCreate' | 'FailedDelete' | 'FailedSettings'>;
  readonly message: string;
}

/** A creation comes first, since without it nothing comes up; then a deletion. Undefined: nothing is refused. */
export function setFailureOf({ error, conditions = [] }: Partial<MachineSetStatus>): SetFailure | undefined {
  if (error !== undefined) return { reason: 'FailedCreate', message: error.message };
  const refusedOf = (of: ConditionType) => conditions.find(({ type, status }) => type === of && status === 'False');
  const deletion = refusedOf('MachinesDeleted');
  if (deletion !== undefined) return { reason: 'FailedDelete', message: deletion.message };
  const settings = refusedOf('MachinesUpdated');
  return settings && { reason: 'FailedSettings', message: settings.message };
}
