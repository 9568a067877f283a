import { ApplicationFailure } from '@temporalio/common';
import type { Dialect, StoredObject } from '../k8s/dialects/dialect.ts';
import { dialects } from '../k8s/dialects/registry.ts';
import { isConflict, isNotFound, KubeError } from '../k8s/kube-error.ts';
import { withCondition, type NewCondition } from '../k8s/model/condition.ts';
import { MACHINE_CLASS_FINALIZER } from '../k8s/model/labels.ts';
import type { MachineClass } from '../k8s/model/machine-class.ts';
import type { MachineSpec } from '../k8s/model/machine.ts';
import type { ConditionReason, WaitReason } from '../k8s/model/reasons/reasons.ts';
import { describeRef } from '../k8s/model/object-ref.ts';
import type { ObjectMeta } from '../k8s/object-meta.ts';
import type { Resource } from '../k8s/resources.ts';
import { timestamp } from '../providers/clock.ts';
import { OBJECT_CHANGED } from '../workflows/failure-types.ts';
import type { ActivityDeps } from './deps.ts';
import { planClassHolds, planClassReleases, type ClassUser } from './plan-class-releases.ts';
import { listIfServed } from './read-machines.ts';
import { SeenVersions } from './seen-versions.ts';

/** Owner of the fields of a MachineClass that Millwright writes. */
const FIELD_MANAGER = 'millwright-machine-class';

type HoldDeps = Pick<ActivityDeps, 'kube'>;

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

  return async ({ problem, machineClass }) => {
    if (problem !== undefined) {
      return { outcome: 'missing', reason: problem.reason, message: `${problem.field}: ${problem.message}` };
    }
    if (machineClass === undefined) return undefined;
    if (machineClass.deletedAt !== undefined) return onItsWayOut(machineClass);
    if (machineClass.hasFinalizer) return undefined;
    const { uid } = machineClass.ref;
    const write = underWay.get(uid) ?? addFinalizer(deps, machineClass).finally(() => underWay.delete(uid));
    underWay.set(uid, write);
    try {
      await write;
    } catch (error) {
      // Gone, made anew, or (Invalid: no finalizer can be added) being deleted since it was read.
      if (!(error instanceof KubeError) || ![404, 409, 422].includes(error.status)) throw error;
      throw ApplicationFailure.nonRetryable(error.message, OBJECT_CHANGED);
    }
    return undefined;
  };
}

async function addFinalizer({ kube }: HoldDeps, machineClass: MachineClass): Promise<void> {
  const { ref } = machineClass;
  await kube.apply(
    dialectOfClass(machineClass).machineClasses,
    ref.namespace,
    ref.name,
    { metadata: { uid: ref.uid, finalizers: [MACHINE_CLASS_FINALIZER] } },
    { fieldManager: FIELD_MANAGER },
  );
}

function onItsWayOut({ ref }: MachineClass): MissingSource {
  const message = `providerSpec.valueFrom.machineClass.name: ${describeRef(ref)} is being deleted: nothing more is launched from it`;
  return { outcome: 'missing', reason: 'MachineClassDeleting', message };
}

export interface TendedClasses {
  /** Classes that were let go. */
  readonly released: number;
  /** Classes that are being deleted and stay, because something refers to them. */
  readonly kept: number;
  /** Classes that stay from here on while they are in use. */
  readonly held: number;
  /** What kept a class from that. */
  readonly problems: readonly string[];
}

/**
 * Lets go every MachineClass that is being deleted and that no Machine and no MachineSet refers to, says on the others who
 * does, and holds every class that a Machine refers to: one that came with its instance was never launched here. Looks at
 * everything anew each time, so that it may be cut off anywhere and repeated. Costs one list where no class is being deleted
 * and all are held.
 */
export async function tendMachineClasses(
  deps: Pick<ActivityDeps, 'kube' | 'events' | 'clock'>,
): Promise<TendedClasses> {
  const done = { released: 0, kept: 0, held: 0 };
  const problems: string[] = [];
  const versions = new SeenVersions(deps.kube);
  for (const dialect of dialects()) {
    const classes = (await listIfServed(deps.kube, dialect.machineClasses)).map((stored) => {
      versions.saw(stored);
      return dialect.readMachineClass(stored);
    });
    const leaving = classes.filter(({ deletedAt, hasFinalizer }) => deletedAt !== undefined && hasFinalizer);
    const unheld = classes.filter(({ deletedAt, hasFinalizer }) => deletedAt === undefined && !hasFinalizer);
    if (leaving.length + unheld.length === 0) continue;
    // Listed after the classes: what refers to one and was launched from it was there before its deletion was asked for.
    const machines = await listMachineUsers(deps, dialect);
    const sets = leaving.length === 0 ? [] : await listSetUsers(deps, dialect);
    // One that cannot be written keeps none of the others.
    const tend = async (machineClass: MachineClass, act: () => Promise<keyof typeof done>): Promise<void> => {
      try {
        done[await act()] += 1;
      } catch (error) {
        // Another one by now: the next round looks at it.
        if (isNotFound(error) || isConflict(error)) return;
        problems.push(`${describeRef(machineClass.ref)}: ${error instanceof Error ? error.message : String(error)}`);
      }
    };
    for (const { machineClass, keptBecause } of planClassReleases(leaving, [...machines, ...sets])) {
      await tend(machineClass, async () => {
        if (keptBecause === undefined) {
          await release(deps, machineClass, dialect.machineClasses);
          return 'released';
        }
        await tellKept({ ...deps, versions }, machineClass, keptBecause, dialect.machineClasses);
        return 'kept';
      });
    }
    for (const machineClass of planClassHolds(unheld, machines)) {
      await tend(machineClass, async () => {
        await addFinalizer(deps, machineClass);
        return 'held';
      });
    }
  }
  return { ...done, problems };
}

async function listMachineUsers({ kube }: HoldDeps, dialect: Dialect): Promise<ClassUser[]> {
  return (await kube.list<StoredObject>(dialect.machines)).items.flatMap((item) => {
    const { machine, spec } = dialect.readMachine(item);
    return spec.classRef === undefined ? [] : [{ ref: machine.ref, machineClass: spec.classRef.name }];
  });
}

async function listSetUsers({ kube }: HoldDeps, dialect: Dialect): Promise<ClassUser[]> {
  return (await kube.list<StoredObject>(dialect.machineSets)).items.flatMap((item) => {
    const { ref, template } = dialect.readMachineSet(item);
    return template.machineClass === undefined ? [] : [{ ref, machineClass: template.machineClass }];
  });
}

async function release({ kube }: HoldDeps, { ref }: MachineClass, resource: Resource): Promise<void> {
  try {
    const { metadata } = await kube.get<{ metadata: ObjectMeta }>(resource, ref.namespace, ref.name);
    const index = metadata.finalizers?.indexOf(MACHINE_CLASS_FINALIZER) ?? -1;
    if (metadata.uid !== ref.uid || index === -1) return;
    await kube.jsonPatch(resource, ref.namespace, ref.name, [
      { op: 'test', path: '/metadata/uid', value: ref.uid },
      { op: 'test', path: `/metadata/finalizers/${index}`, value: MACHINE_CLASS_FINALIZER },
      { op: 'remove', path: `/metadata/finalizers/${index}` },
    ]);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

async function tellKept(
  {
    kube,
    events,
    clock,
    versions,
  }: Pick<ActivityDeps, 'kube' | 'events' | 'clock'> & { readonly versions: SeenVersions },
  { ref, generation, conditions }: MachineClass,
  message: string,
  resource: Resource,
): Promise<void> {
  const known = conditions.find(({ type }) => type === 'InUse');
  if (known?.status === 'True' && known.message === message) return;
  const inUse: NewCondition = { type: 'InUse', status: 'True', reason: 'Referenced', message };
  const told = withCondition(known === undefined ? [] : [known], inUse, timestamp(clock)).map((condition) => ({
    ...condition,
    observedGeneration: generation,
  }));
  try {
    await versions.write(resource, ref, (resourceVersion) =>
      kube.apply<StoredObject>(
        resource,
        ref.namespace,
        ref.name,
        { metadata: { uid: ref.uid, resourceVersion }, status: { conditions: told } },
        { fieldManager: FIELD_MANAGER, subresource: 'status' },
      ),
    );
  } catch (error) {
    // Gone meanwhile: there is nothing left to tell.
    if (!isNotFound(error) && !isConflict(error)) throw error;
    return;
  }
  if (known === undefined) await events.record(ref, { type: 'Normal', reason: 'InUse', message });
}

/** The dialect that a class was read by. */
function dialectOfClass({ ref }: MachineClass): Dialect {
  const dialect = dialects().find(
    ({ machineClasses }) => machineClasses.apiVersion === ref.apiVersion && machineClasses.kind === ref.kind,
  );
  if (dialect === undefined) throw new Error(`no dialect reads ${ref.kind} of ${ref.apiVersion}`);
  return dialect;
}
