import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { MachineClassReading } from '../../k8s/model/reading.ts';
import { digest } from './fingerprint.ts';

/** What the watcher keeps of a MachineClass. */
export interface MachineClassFacts {
  readonly ref: ObjectRef;
  /** Changes with what it says, and not with its status, unless that cannot be read. */
  readonly fingerprint: string;
  /** Being deleted, and held by our finalizer alone or among others: it goes when nothing refers to it any more. */
  readonly isLeaving: boolean;
}

export function machineClassFacts({ machineClass, wanted }: MachineClassReading): MachineClassFacts {
  const { ref, deletedAt, hasFinalizer } = machineClass;
  return { ref, fingerprint: digest(wanted), isLeaving: deletedAt !== undefined && hasFinalizer };
}
