import { SET_FIELD_MANAGER } from '../k8s/model/field-managers.ts';
import type { StoredObject } from '../k8s/dialects/kind.ts';
import { isConflict, type KubeError } from '../k8s/kube-error.ts';
import type { MachineSet, Replica } from '../k8s/model/machine-set.ts';
import { replicaOf } from '../k8s/model/replica.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import type { OwnerReference } from '../k8s/object-meta.ts';
import { selects } from '../k8s/selector.ts';
import type { AdoptAndRelease, AdoptAnswer } from '../workflows/machine-set/machine-set-activities.ts';
import type { Chosen } from '../workflows/machine-set/plan-replicas.ts';
import type { ActivityDeps } from './deps.ts';
import { readActiveSet } from './look-at-replicas.ts';
import { refusedOf, tryEach } from './try-each.ts';
import { given } from '../providers/given.ts';

/** Tries of one Machine, where it changes between the look at it and the patch. */
const TRIES = 3;
/** Machines patched at once. */
const BATCH = 32;
/** After this, the rest waits for the next look. Milliseconds. */
const LONGEST_RUN_MS = 15_000;

type Owners = readonly OwnerReference[];

interface Change {
  /** Whether it still stands as it was planned. */
  readonly isDue: (set: MachineSet, machine: Replica) => boolean;
  readonly owners: (ref: ObjectRef, owners: Owners) => Owners;
}

const ADOPT: Change = {
  isDue: (set, { controller, deleting, labels }) =>
    controller === undefined && !deleting && selects(set.selector, labels),
  owners: (ref, owners) => [...withoutOwner(ref, owners), ownerReferenceOf(ref)],
};

const RELEASE: Change = {
  isDue: (set, { controller, deleting, labels }) =>
    controller === set.ref.uid && !deleting && !selects(set.selector, labels),
  owners: withoutOwner,
};

/** Makes the set the controller of Machines, or no longer; of each by what it and the set are right before. */
export async function adoptAndRelease(
  { kube, apis, clock }: Pick<ActivityDeps, 'kube' | 'apis' | 'clock'>,
  { ref, adopt, release }: AdoptAndRelease,
): Promise<AdoptAnswer> {
  const { resource, read } = apis.machinesOf(ref);
  const startedAt = clock.now();
  const adopting = await changeAll(adopt, ADOPT);
  const releasing = await changeAll(release, RELEASE);
  return {
    ...given({ notAdopted: adopting, notReleased: releasing }),
  };

  async function changeAll(machines: readonly Chosen[], change: Change) {
    const refused = new Map<Chosen, KubeError>();
    for (let i = 0; i < machines.length && clock.now() - startedAt < LONGEST_RUN_MS; i += BATCH) {
      // A Machine must not get an owner that is gone: it would be collected with it.
      const set = await readActiveSet({ kube, apis }, ref);
      if (set === undefined) break;
      const tries = await tryEach(machines.slice(i, i + BATCH), (machine) => changeOwners(set, machine, change));
      for (const [machine, error] of tries.refused) refused.set(machine, error);
    }
    return refusedOf(refused);
  }

  /** Changes the list as it stands now, others' entries untouched. */
  async function changeOwners(set: MachineSet, chosen: Chosen, change: Change): Promise<'done' | 'changed'> {
    for (let left = TRIES; ; left -= 1) {
      const stored = await kube.get<StoredObject>(resource, ref.namespace, chosen.name);
      const { uid, resourceVersion, ownerReferences = [] } = stored.metadata;
      if (uid !== chosen.uid || !change.isDue(set, replicaOf(read(stored)))) return 'changed';
      // Another object of that name has another resourceVersion.
      const body = { metadata: { resourceVersion, ownerReferences: change.owners(ref, ownerReferences) } };
      try {
        await kube.mergePatch(resource, ref.namespace, chosen.name, body, { fieldManager: SET_FIELD_MANAGER });
        return 'done';
      } catch (error) {
        if (!isConflict(error) || left === 1) throw error;
      }
    }
  }
}

function withoutOwner(ref: ObjectRef, owners: Owners): Owners {
  return owners.filter(({ uid }) => uid !== ref.uid);
}

function ownerReferenceOf(ref: ObjectRef): OwnerReference {
  const { apiVersion, kind, name, uid } = ref;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}
