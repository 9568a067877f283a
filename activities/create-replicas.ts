import { SET_FIELD_MANAGER } from '../k8s/model/field-managers.ts';
import { KubeError } from '../k8s/kube-error.ts';
import type { MachineSet } from '../k8s/model/machine-set.ts';
import type { CreateAnswer, CreateMachines } from '../workflows/machine-set/machine-set-activities.ts';
import type { ActivityDeps } from './deps.ts';
import { inBatches } from './in-batches.ts';
import { lookAtReplicas } from './look-at-replicas.ts';
import { createOnce } from './owned-objects.ts';
import { lateAfter, momentOf } from '../providers/moment.ts';

/** The first Machine tells whether the API server takes them. */
const FIRST_BATCH = 1;
/** So long after the look that the set lacks them Machines are made, at most, in milliseconds. */
const MOST_OLD_MS = 15_000;
/** Answers of the 400s after which the same request may work a moment later: a time-out, a quota that others wrote, a limit. */
const PASSING: ReadonlySet<number> = new Set([408, 409, 429]);

/** Creates Machines of these names for as long as the set lacks some. A name is tried once. */
export async function createReplicas(
  deps: Pick<ActivityDeps, 'kube' | 'apis' | 'clock'>,
  { ref, names }: CreateMachines,
): Promise<CreateAnswer> {
  const left = new Set(names);
  let refusal: KubeError | undefined;
  await inBatches(deps, { first: FIRST_BATCH, total: names.length }, async (size) => {
    const isLate = lateAfter(deps.clock, momentOf(deps.clock), MOST_OLD_MS);
    const look = await lookAtReplicas(deps, ref, [...left]);
    if (look === undefined) return 'last';
    const batch = look.plan.unseen.slice(0, size);
    const answers = await Promise.allSettled(batch.map((name) => createOne(deps, look.set, name, isLate)));
    const errors = answers.flatMap((a) => (a.status === 'rejected' ? [a.reason as unknown] : []));
    // Whether such a Machine was made is not known: its name must be asked for again.
    const unknown = errors.find((error) => !isRefusedCreation(error));
    if (unknown !== undefined) throw unknown;
    refusal = errors.find(isRefusedCreation);
    for (const name of batch) left.delete(name);
    return refusal !== undefined || look.plan.unseen.length === batch.length ? 'last' : 'more';
  });
  return refusal === undefined
    ? { outcome: 'done', created: names.length - left.size }
    : { outcome: 'refused', message: `${refusal.reason}: ${refusal.message}` };
}

function createOne(
  { kube, apis }: Pick<ActivityDeps, 'kube' | 'apis'>,
  set: MachineSet,
  name: string,
  isLate: () => boolean,
): Promise<void> {
  const { resource } = apis.machinesOf(set.ref);
  const owned = { kube, resource, namespace: set.ref.namespace, fieldManager: SET_FIELD_MANAGER };
  return createOnce(owned, apis.kindOf('machineSet', set.ref).newMachine(set, name), isLate);
}

function isRefusedCreation(error: unknown): error is KubeError {
  return error instanceof KubeError && error.status >= 400 && error.status < 500 && !PASSING.has(error.status);
}
