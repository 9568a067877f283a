import type { Api, MachineKind, MachineSetKind, StoredObject } from '../k8s/dialects/kind.ts';
import { CLASS_FIELD_MANAGER } from '../k8s/model/field-managers.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import type { MachineClassActivities, Users } from '../workflows/machine-class/machine-class-activities.ts';
import { given } from '../providers/given.ts';
import { classSpecOf } from './class-spec.ts';
import { entitySettingsOf } from '../workflows/settings.ts';
import type { ActivityDeps } from './deps.ts';
import { refuseForeign } from './failures.ts';
import { takeOffFinalizer } from './finalizers.ts';
import { holdClass } from './hold-machine-class.ts';
import { SeenObjects } from './seen-objects.ts';

/** Names in a message, at most: it is to be read by a person. */
const MOST_NAMES = 5;

/** Activities on a MachineClass. */
export function createMachineClassActivities(deps: ActivityDeps): MachineClassActivities {
  const { kube, apis, providers, events, settings } = deps;
  const objects = new SeenObjects(kube);
  return {
    async lookAtMachineClass(target) {
      refuseForeign(deps, target);
      const { ref } = target;
      const kind = apis.kindOf('machineClass', ref);
      const look = await objects.see(kind.resource, ref);
      if (look === undefined) return { found: false };
      const { stored, seen } = look;
      const { machineClass, status } = kind.read(stored);
      // Listed after the class: what refers to it and was launched from it was there before its deletion was asked for.
      const api = apis.apiOf(ref);
      const [machines, machineSets] = await Promise.all([machinesOf(api, ref), setsOf(api, ref)]);
      const spec = classSpecOf(machineClass, providers);
      return {
        found: true,
        generation: machineClass.generation,
        isDeleting: machineClass.deletedAt !== undefined,
        isHeld: machineClass.hasFinalizer,
        ...given({ problem: 'problem' in spec ? spec.problem : undefined }),
        machines: usersOf(api.machine, machines),
        machineSets: usersOf(api.machineSet, machineSets),
        status,
        ...given({ seen }),
        settings: entitySettingsOf(settings),
      };
    },

    async holdMachineClass(target) {
      refuseForeign(deps, target);
      await holdClass(deps, target.ref);
    },

    async releaseMachineClass(target) {
      refuseForeign(deps, target);
      const { ref } = target;
      const { resource, finalizer } = apis.kindOf('machineClass', ref);
      await takeOffFinalizer({ kube, resource, ref, finalizer });
    },

    async writeMachineClassStatus(request) {
      refuseForeign(deps, request);
      const { ref, status, seen } = request;
      const written = { status, fieldManager: CLASS_FIELD_MANAGER, ...given({ seen }) };
      await objects.writeStatus(apis.kindOf('machineClass', ref), ref, written);
      for (const event of request.events) await events.record(ref, event);
    },
  };

  async function machinesOf({ machine: kind }: Api, { namespace, name }: ObjectRef): Promise<string[]> {
    if (kind === undefined) return [];
    const { items } = await kube.list<StoredObject>(kind.resource, { namespace });
    return items.filter((item) => kind.read(item).spec.classRef?.name === name).map(({ metadata }) => metadata.name);
  }

  async function setsOf({ machineSet: kind }: Api, { namespace, name }: ObjectRef): Promise<string[]> {
    if (kind === undefined) return [];
    const { items } = await kube.list<StoredObject>(kind.resource, { namespace });
    const referring = items.filter((item) => kind.read(item).machineSet.template.machineClass === name);
    return referring.map(({ metadata }) => metadata.name);
  }
}

function usersOf(kind: MachineKind | MachineSetKind | undefined, names: readonly string[]): Users {
  return { kind: kind?.resource.kind ?? '', count: names.length, names: names.toSorted().slice(0, MOST_NAMES) };
}
