import { ApplicationFailure } from '@temporalio/common';
import type { MachineClassKind, MachineKind, MachineSetKind, StoredObject } from '../k8s/dialects/kind.ts';
import { isConflict, isNotFound, KubeError } from '../k8s/kube-error.ts';
import { withCondition, type NewCondition } from '../k8s/model/condition.ts';
import type { MachineClass } from '../k8s/model/machine-class.ts';
import type { MachineSpec } from '../k8s/model/machine.ts';
import type { ConditionReason, WaitReason } from '../k8s/model/reasons/reasons.ts';
import { describeRef } from '../k8s/model/object-ref.ts';
import { timestamp } from '../providers/clock.ts';
import { OBJECT_CHANGED } from '../workflows/failure-types.ts';
import type { ActivityDeps } from './deps.ts';
import { planClassHolds, planClassReleases, type ClassUser } from './plan-class-releases.ts';
import { listIfServed } from './read-machines.ts';
import { SeenVersions } from './seen-versions.ts';

/** Owner of the fields of a MachineClass that Millwright writes. */
const FIELD_MANAGER = 'millwright-machine-class';

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

async function addFinalizer({ kube, apis }: HoldDeps, { ref }: MachineClass): Promise<void> {
  const { resource, finalizer } = apis.kindOf('machineClass', ref);
  await kube.apply(
    resource,
    ref.namespace,
    ref.name,
    { metadata: { uid: ref.uid, finalizers: [finalizer] } },
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
  deps: Pick<ActivityDeps, 'kube' | 'apis' | 'events' | 'clock'>,
): Promise<TendedClasses> {
  const done = { released: 0, kept: 0, held: 0 };
  const problems: string[] = [];
  const versions = new SeenVersions(deps.kube);
  for (const { machine, machineSet, machineClass: kind } of deps.apis.apis) {
    if (kind === undefined) continue;
    const classes = (await listIfServed(deps.kube, kind.resource)).map((stored) => {
      versions.saw(stored);
      return kind.read(stored).machineClass;
    });
    const leaving = classes.filter(({ deletedAt, hasFinalizer }) => deletedAt !== undefined && hasFinalizer);
    const unheld = classes.filter(({ deletedAt, hasFinalizer }) => deletedAt === undefined && !hasFinalizer);
    if (leaving.length + unheld.length === 0) continue;
    // Listed after the classes: what refers to one and was launched from it was there before its deletion was asked for.
    const machines = await listMachineUsers(deps, machine);
    const sets = leaving.length === 0 ? [] : await listSetUsers(deps, machineSet);
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
          await release(deps, machineClass, kind);
          return 'released';
        }
        await tellKept({ ...deps, versions }, machineClass, keptBecause, kind);
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

async function listMachineUsers({ kube }: HoldDeps, kind: MachineKind | undefined): Promise<ClassUser[]> {
  if (kind === undefined) return [];
  return (await kube.list<StoredObject>(kind.resource)).items.flatMap((item) => {
    const { machine, spec } = kind.read(item);
    return spec.classRef === undefined ? [] : [{ ref: machine.ref, machineClass: spec.classRef.name }];
  });
}

async function listSetUsers({ kube }: HoldDeps, kind: MachineSetKind | undefined): Promise<ClassUser[]> {
  if (kind === undefined) return [];
  return (await kube.list<StoredObject>(kind.resource)).items.flatMap((item) => {
    const { ref, template } = kind.read(item).machineSet;
    return template.machineClass === undefined ? [] : [{ ref, machineClass: template.machineClass }];
  });
}

async function release(
  { kube }: HoldDeps,
  { ref }: MachineClass,
  { resource, finalizer }: MachineClassKind,
): Promise<void> {
  try {
    const { metadata } = await kube.get<StoredObject>(resource, ref.namespace, ref.name);
    const index = metadata.finalizers?.indexOf(finalizer) ?? -1;
    if (metadata.uid !== ref.uid || index === -1) return;
    await kube.jsonPatch(resource, ref.namespace, ref.name, [
      { op: 'test', path: '/metadata/uid', value: ref.uid },
      { op: 'test', path: `/metadata/finalizers/${index}`, value: finalizer },
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
  { resource, writeStatus }: MachineClassKind,
): Promise<void> {
  const known = conditions.find(({ type }) => type === 'InUse');
  if (known?.status === 'True' && known.message === message) return;
  const inUse: NewCondition = { type: 'InUse', status: 'True', reason: 'Referenced', message };
  const told = withCondition(known === undefined ? [] : [known], inUse, timestamp(clock));
  try {
    await versions.write(resource, ref, (resourceVersion) =>
      kube.apply<StoredObject>(
        resource,
        ref.namespace,
        ref.name,
        { metadata: { uid: ref.uid, resourceVersion }, status: writeStatus(told, generation) },
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
