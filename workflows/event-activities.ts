import type { MachineEvent, MachineTarget } from './machine/machine-activities.ts';

/** The port through which any workflow says what its object's status cannot. */
export interface EventActivities {
  /** An event beside an object whose status cannot say it. */
  reportEvent(request: MachineTarget & { readonly event: MachineEvent }): Promise<void>;
}
