import type { MachineClassStatus } from '../../k8s/model/machine-class.ts';
import type { ObjectEvent } from '../event-activities.ts';
import type { ObjectTarget } from '../object-target.ts';
import type { SeenStatus } from '../seen-status.ts';
import type { EntitySettings } from '../settings.ts';

/** The port between a MachineClass's workflow and the outside. */
export interface MachineClassActivities {
  /** A live look at the class, and at who refers to it. */
  lookAtMachineClass(target: ObjectTarget): Promise<ClassSighting>;
  /** Has the class stay while it is used: puts our finalizer on it. */
  holdMachineClass(target: ObjectTarget): Promise<void>;
  /** Takes our finalizer off, so that a class that is being deleted goes. Safe to repeat. */
  releaseMachineClass(target: ObjectTarget): Promise<void>;
  writeMachineClassStatus(request: WriteMachineClassStatus): Promise<void>;
}

export type ClassSighting = { readonly found: false } | FoundClass;

export interface FoundClass {
  readonly found: true;
  readonly generation: number;
  readonly isDeleting: boolean;
  /** Carries our finalizer. */
  readonly isHeld: boolean;
  /** Why no machine can be launched from it, whoever refers to it. */
  readonly problem?: string;
  readonly machines: Users;
  /** Sets whose templates refer to it. */
  readonly machineSets: Users;
  /** As stored. */
  readonly status: Partial<MachineClassStatus>;
  /** That status, for the write of the next one. */
  readonly seen?: SeenStatus;
  readonly settings: EntitySettings;
}

/** Who refers to a class. */
export interface Users {
  /** What they are called, one of them; empty: the class's API has no such kind. */
  readonly kind: string;
  readonly count: number;
  /** The first of them, sorted. */
  readonly names: readonly string[];
}

export interface WriteMachineClassStatus extends ObjectTarget {
  readonly status: MachineClassStatus;
  /** The look that it follows from. */
  readonly seen?: SeenStatus;
  /** What is worth an event, because it was not so before. */
  readonly events: readonly ObjectEvent[];
}
