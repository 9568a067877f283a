import { describeRef } from '../k8s/model/object-ref.ts';
import type { MachineActivities } from '../workflows/machine/machine-activities.ts';
import type { MachineDeps } from './deps.ts';
import { objectChanged, onObject, unlessPassing } from './failures.ts';
import { active } from './machine-reader.ts';
import { deleteAsSeen } from './owned-objects.ts';

/** The point of no return of a deletion that could be aborted until then. Safe to repeat. */
export function createDeleteMachine({ kube, apis, reader }: MachineDeps): Pick<MachineActivities, 'deleteMachine'> {
  return {
    deleteMachine: (target) =>
      unlessPassing(async () => {
        const { ref } = target;
        const { machine, meta } = active(await reader.live(target));
        if (machine.deletedAt !== undefined) return { outcome: 'done' as const };
        if (machine.delete !== true) throw objectChanged(`${describeRef(ref)}: its deletion is aborted`);
        const isHeld = machine.hooks?.some(({ point }) => point === 'preTerminate') === true;
        const isPassedOver = target.hasNoTermination === true || machine.deletionPolicy === 'forced';
        if (isHeld && !isPassedOver) throw objectChanged(`${describeRef(ref)}: a hook holds it`);
        const { resource } = apis.kindOf('machine', ref);
        const { namespace, name, uid } = ref;
        const { resourceVersion } = meta;
        // An abort that comes between that look and this call is a conflict.
        await onObject(() => deleteAsSeen({ kube, resource, namespace }, { name, uid, resourceVersion }));
        return { outcome: 'done' as const };
      }),
  };
}
