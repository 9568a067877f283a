import { SET_FIELD_MANAGER } from '../k8s/model/field-managers.ts';
import type { KubeError } from '../k8s/kube-error.ts';
import type { MachineSet, Replica } from '../k8s/model/machine-set.ts';
import { replicaOf } from '../k8s/model/replica.ts';
import { withController, withoutOwner } from '../k8s/model/owner-reference.ts';
import { selects } from '../k8s/selector.ts';
import type { AdoptAndRelease, AdoptAnswer } from '../workflows/machine-set/machine-set-activities.ts';
import type { Chosen } from '../workflows/machine-set/plan-replicas.ts';
import type { ActivityDeps } from './deps.ts';
import { changeOwners } from './owned-objects.ts';
import { readActiveSet } from './look-at-replicas.ts';
import { refusedOf, tryEach } from './try-each.ts';
import { given } from '../providers/given.ts';

/** Machines patched at once. */
const BATCH = 32;
/** After this, the rest waits for the next look. Milliseconds. */
const LONGEST_RUN_MS = 15_000;

interface Change {
  /** Whether it still stands as it was planned. */
  readonly isDue: (set: MachineSet, machine: Replica) => boolean;
  readonly owners: typeof withController;
}

const ADOPT: Change = {
  isDue: (set, { controller, deleting, labels }) =>
    controller === undefined && !deleting && selects(set.selector, labels),
  owners: withController,
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
  const owned = { kube, resource, namespace: ref.namespace, fieldManager: SET_FIELD_MANAGER };
  const startedAt = clock.now();
  const adopting = await changeAll(adopt, ADOPT);
  const releasing = await changeAll(release, RELEASE);
  return given({ notAdopted: adopting, notReleased: releasing });

  async function changeAll(machines: readonly Chosen[], change: Change) {
    const refused = new Map<Chosen, KubeError>();
    for (let i = 0; i < machines.length && clock.now() - startedAt < LONGEST_RUN_MS; i += BATCH) {
      // A Machine must not get an owner that is gone: it would be collected with it.
      const set = await readActiveSet({ kube, apis }, ref);
      if (set === undefined) break;
      const tries = await tryEach(machines.slice(i, i + BATCH), (machine) =>
        changeOwners(
          owned,
          machine,
          (stored) => change.isDue(set, replicaOf(read(stored))),
          (owners) => change.owners(owners, ref),
        ),
      );
      for (const [machine, error] of tries.refused) refused.set(machine, error);
    }
    return refusedOf(refused);
  }
}
