import type { MachineClass } from '../k8s/model/machine-class.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';

/** A Machine or MachineSet that refers to a class of its namespace. */
export interface ClassUser {
  readonly ref: ObjectRef;
  /** Name of the class. */
  readonly machineClass: string;
}

export interface ClassRelease {
  readonly machineClass: MachineClass;
  /** Who refers to it still, as a sentence; absent: nobody, so it may go. */
  readonly keptBecause?: string;
}

/** The classes that are to be held from here on: nobody deletes them yet, and one of these Machines refers to them. */
export function planClassHolds(classes: readonly MachineClass[], machines: readonly ClassUser[]): MachineClass[] {
  const used = new Set(machines.map(({ ref, machineClass }) => `${ref.namespace}/${machineClass}`));
  return classes.filter(
    ({ ref, deletedAt, hasFinalizer }) =>
      deletedAt === undefined && !hasFinalizer && used.has(`${ref.namespace}/${ref.name}`),
  );
}

/** Most names in a message: it is to be read by a person. */
const MOST_NAMES = 5;

/** What becomes of each of these classes, all of which are being deleted: it stays while anything refers to it. */
export function planClassReleases(classes: readonly MachineClass[], users: readonly ClassUser[]): ClassRelease[] {
  return classes.map((machineClass) => {
    const { namespace, name } = machineClass.ref;
    const own = users.filter((user) => user.ref.namespace === namespace && user.machineClass === name);
    if (own.length === 0) return { machineClass };
    const kinds = [...new Set(own.map(({ ref }) => ref.kind))].sort();
    const parts = kinds.map((kind) =>
      describe(
        kind,
        own.filter(({ ref }) => ref.kind === kind),
      ),
    );
    return { machineClass, keptBecause: `it is deleted when nothing refers to it any more: ${parts.join(' and ')}` };
  });
}

/** E.g. `7 Machines (a, b, c, d, e, …)`. */
function describe(kind: string, users: readonly ClassUser[]): string {
  const names = users.map(({ ref }) => ref.name).sort();
  const shown = names.slice(0, MOST_NAMES);
  const list = [...shown, ...(names.length > MOST_NAMES ? ['…'] : [])].join(', ');
  return `${names.length} ${kind}${names.length === 1 ? '' : 's'} (${list})`;
}
