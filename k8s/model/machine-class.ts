import type { Condition } from './condition.ts';
import type { NodeTemplate } from './node-template.ts';
import type { ObjectRef } from './object-ref.ts';

/** What to launch, written once for many machines. */
export interface MachineClass {
  readonly ref: ObjectRef;
  readonly generation: number;
  /** RFC 3339; set while it is being deleted. */
  readonly deletedAt?: string;
  /** Carries our finalizer: a machine was launched from it. */
  readonly hasFinalizer: boolean;
  /** Name of the cloud's provider. */
  readonly provider: string;
  /** In the words of the cloud; its kind may be missing. */
  readonly providerSpec: Readonly<Record<string, unknown>>;
  /** Secret with the user-data. */
  readonly userDataSecret?: SecretRef;
  /** Secret with the credentials. */
  readonly credentialsSecret?: SecretRef;
  /** What its Nodes will be like; absent: it does not say. */
  readonly nodeTemplate?: NodeTemplate;
  /** Which field of the stored object is not what its schema allows, and why; then what cannot be read is left out. */
  readonly malformed?: string;
}

export interface MachineClassStatus {
  /** How many Machines refer to it. */
  readonly machines: number;
  /** How many MachineSets' templates refer to it. */
  readonly machineSets: number;
  readonly observedGeneration: number;
  readonly conditions: readonly Condition[];
}

export interface SecretRef {
  readonly name: string;
  /** Absent: the namespace of the object that names it. */
  readonly namespace?: string;
}
