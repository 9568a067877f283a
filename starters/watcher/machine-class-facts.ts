import type { MachineClassKind, StoredObject } from '../../k8s/dialects/kind.ts';
import { digest } from './fingerprint.ts';
import { ownFacts, type OwnFacts } from './own-facts.ts';

/** What the watcher keeps of a MachineClass. */
export interface MachineClassFacts extends OwnFacts<'machineClass'> {
  readonly hasFinalizer: boolean;
  /** Changes with what it says, and not with its status, unless that cannot be read. */
  readonly wanted: string;
  /** Changes with what its Nodes are to have. */
  readonly nodes: string;
}

export function machineClassFacts(object: StoredObject, kind: MachineClassKind): MachineClassFacts {
  const read = kind.read(object);
  const { hasFinalizer, nodeTemplate } = read.machineClass;
  return { ...ownFacts(read, kind), hasFinalizer, wanted: digest(read.wanted), nodes: digest(nodeTemplate ?? {}) };
}
