import type { MachineSetStatus } from './machine-set.ts';
import type { ConditionReason } from './reasons/reasons.ts';

/** What the API server refuses a MachineSet. */
export interface SetFailure {
  readonly reason: Extract<ConditionReason, 'FailedCreate' | 'FailedDelete'>;
  readonly message: string;
}

/** A creation comes first: without it nothing comes up. Undefined: neither is refused. */
export function setFailureOf({ error, conditions = [] }: Partial<MachineSetStatus>): SetFailure | undefined {
  if (error !== undefined) return { reason: 'FailedCreate', message: error.message };
  const refused = conditions.find(({ type, status }) => type === 'MachinesDeleted' && status === 'False');
  return refused && { reason: 'FailedDelete', message: refused.message };
}
