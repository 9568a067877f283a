import { CLASS_FIELD_MANAGER } from '../k8s/model/field-managers.ts';
import type { MachineClass } from '../k8s/model/machine-class.ts';
import type { MachineSpec } from '../k8s/model/machine.ts';
import { describeRef, type ObjectRef } from '../k8s/model/object-ref.ts';
import type { ConditionReason, WaitReason } from '../k8s/model/reasons/reasons.ts';
import type { ActivityDeps } from './deps.ts';
import { classNameFieldOf } from './effective-spec.ts';
import { addFinalizer } from './finalizers.ts';

type HoldDeps = Pick<ActivityDeps, 'kube' | 'apis'>;

/** As {@link createHoldMachineClass} makes it. */
export type HoldMachineClass = (spec: MachineSpec) => Promise<MissingSource | undefined>;

/** Why nothing can be launched for a Machine as long as something that it refers to stays as it is. */
export interface MissingSource {
  readonly outcome: 'missing';
  readonly reason: WaitReason & ConditionReason;
  /** Names the field and the object. */
  readonly message: string;
}

/**
 * Makes sure of the MachineClass that a launch is prepared from, before anything of it is frozen: it has to be there, fit,
 * and not be on its way out; and from here on it stays while the Machine refers to it. Writes nothing where the class is
 * held already, and once for all machines of a class that are prepared at the same time. Undefined: the launch may go on.
 */
export function createHoldMachineClass(deps: HoldDeps): HoldMachineClass {
  /** Writes that are under way, by the class's uid. */
  const underWay = new Map<string, Promise<void>>();

  return async (spec) => {
    const { problem, machineClass } = spec;
    if (problem !== undefined) {
      return { outcome: 'missing', reason: problem.reason, message: `${problem.field}: ${problem.message}` };
    }
    if (machineClass === undefined) return undefined;
    if (machineClass.deletedAt !== undefined) return onItsWayOut(machineClass, spec);
    if (machineClass.hasFinalizer) return undefined;
    const { uid } = machineClass.ref;
    const write = underWay.get(uid) ?? holdClass(deps, machineClass.ref).finally(() => underWay.delete(uid));
    underWay.set(uid, write);
    await write;
    return undefined;
  };
}

/** Puts our finalizer on a class. */
export function holdClass({ kube, apis }: HoldDeps, ref: ObjectRef): Promise<void> {
  const { resource, finalizer } = apis.kindOf('machineClass', ref);
  return addFinalizer({ kube, resource, ref, finalizer }, CLASS_FIELD_MANAGER);
}

function onItsWayOut({ ref }: MachineClass, spec: MachineSpec): MissingSource {
  const message = `${classNameFieldOf(spec)}: ${describeRef(ref)} is being deleted: nothing more is launched from it`;
  return { outcome: 'missing', reason: 'MachineClassDeleting', message };
}
