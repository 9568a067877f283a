import type { MachineClassKind } from '../../k8s/dialects/kind.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { MachineClassReading } from '../../k8s/model/reading.ts';
import { digest, fingerprintOf } from './fingerprint.ts';

/** What the watcher keeps of a MachineClass. */
export interface MachineClassFacts {
  readonly role: 'machineClass';
  readonly ref: ObjectRef;
  /** It belongs to none. */
  readonly cluster: '';
  /** Changes with what concerns its own workflow. */
  readonly fingerprint: string;
  readonly hasFinalizer: boolean;
  /** Changes with what it says, and not with its status, unless that cannot be read. */
  readonly wanted: string;
}

export function machineClassFacts(read: MachineClassReading, kind: MachineClassKind): MachineClassFacts {
  const { machineClass, wanted } = read;
  const { ref, hasFinalizer } = machineClass;
  const fingerprint = fingerprintOf(read, kind);
  return { role: 'machineClass', ref, cluster: '', fingerprint, hasFinalizer, wanted: digest(wanted) };
}
