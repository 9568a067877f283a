import type { Pass } from './pass.ts';

/** A deletion outranks a maintenance: what was drained for that is looked at anew. */
export function endMaintenance(pass: Pass): void {
  if (pass.memory.drained.purpose === 'maintenance') pass.memory.drained = {};
  pass.clearCondition('Maintenance');
  if (pass.status.maintenance === true) pass.set({ maintenance: false });
}
