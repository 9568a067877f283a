import { Context } from '@temporalio/activity';
import type { StoredObject } from '../k8s/dialects/dialect.ts';
import { dialectOf } from '../k8s/dialects/registry.ts';
import { isAlreadyExists, isNotFound, KubeError } from '../k8s/kube-error.ts';
import type { MachineSet, MachineSetStatus } from '../k8s/model/machine-set.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import type { ObjectMeta, OwnerReference } from '../k8s/object-meta.ts';
import type { Resource } from '../k8s/resources.ts';
import { planReplicas, type ReplicaPlan, type Victim } from '../workflows/machine-set/plan-replicas.ts';
import type { MachineSettings } from '../workflows/machine/settings.ts';
import { coalesce } from './coalesce.ts';
import type { ActivityDeps } from './deps.ts';
import { onObject, refuseForeign } from './failures.ts';
import type { MachineSetActivities, ReplicaSurvey } from '../workflows/machine-set/machine-set-activities.ts';

const FIELD_MANAGER = 'millwright-machine-set';
/** Machines created or deleted at once, at most: what one look at `spec.replicas` answers for. */
const LARGEST_BATCH = 16;
/** How long a look waits for other sets of the namespace to share one list with, in milliseconds. */
const GATHER_MS = 20;

/** What its workflow is told of a set. */
export function surveyOf(
  { generation, deletedAt, paused, replicas }: MachineSet,
  plan: ReplicaPlan,
  status: Partial<MachineSetStatus>,
  { backoff, heartbeatSeconds, resyncSeconds }: MachineSettings,
): ReplicaSurvey {
  const settings = { backoff, heartbeatSeconds, resyncSeconds };
  return { found: true, generation, deleting: deletedAt !== undefined, paused, replicas, plan, status, settings };
}

/** Activities on a MachineSet and the Machines it owns. */
export function createMachineSetActivities(deps: ActivityDeps): MachineSetActivities {
  const { kube, events, settings } = deps;
  const listMachines = coalesce(async (key) => {
    const [apiVersion = '', kind = '', namespace = ''] = key.split(' ');
    return (await kube.list<StoredObject>(dialectOf({ apiVersion, kind }).machines, { namespace })).items;
  }, GATHER_MS);

  return {
    async surveyReplicas(request) {
      refuseForeign(deps, request);
      const { ref } = request;
      const dialect = dialectOf(ref);
      // The set is read after its Machines, so that it is never older than they are.
      const machines = await listMachines(`${ref.apiVersion} ${ref.kind} ${ref.namespace}`);
      const stored = await readStored(deps, ref);
      if (stored === undefined) return { found: false };
      const set = dialect.readMachineSet(stored);
      if (set.malformed !== undefined) {
        return { found: 'malformed', message: set.malformed, resyncSeconds: settings.resyncSeconds };
      }
      const plan = planReplicas(
        set,
        machines.map((m) => dialect.readReplica(m)),
        request.issued,
        Date.now(),
      );
      return surveyOf(set, plan, statusOf(stored), settings);
    },

    async createMachines(request) {
      refuseForeign(deps, request);
      const { ref, names, replicas } = request;
      const dialect = dialectOf(ref);
      let batch = 1;
      for (let done = 0; done < names.length; done += batch, batch = Math.min(batch * 2, LARGEST_BATCH)) {
        const set = await readSetAsking(deps, ref, replicas);
        if (set === undefined) return { outcome: 'changed' };
        const answers = await Promise.allSettled(
          names.slice(done, done + batch).map((name) => createOne(set, name, dialect.machines)),
        );
        const refusal = answers.find((a) => a.status === 'rejected')?.reason as unknown;
        if (refusal instanceof KubeError && refusal.status >= 400 && refusal.status < 500 && refusal.status !== 429) {
          return { outcome: 'refused', reason: refusal.reason, message: refusal.message };
        }
        if (refusal !== undefined) throw refusal;
        Context.current().heartbeat();
      }
      return { outcome: 'created' };
    },

    async deleteMachines(request) {
      refuseForeign(deps, request);
      const { ref, victims, replicas } = request;
      const { machines } = dialectOf(ref);
      for (let done = 0; done < victims.length; done += LARGEST_BATCH) {
        if ((await readSetAsking(deps, ref, replicas)) === undefined) return;
        await Promise.all(victims.slice(done, done + LARGEST_BATCH).map((v) => deleteOne(ref, v, machines)));
        Context.current().heartbeat();
      }
    },

    async adoptAndRelease(request) {
      refuseForeign(deps, request);
      const { ref, adopt, release } = request;
      const stored = await readStored(deps, ref);
      const set = stored === undefined ? undefined : dialectOf(ref).readMachineSet(stored);
      // A Machine must not get an owner that is gone: it would be collected with it.
      if (set === undefined || set.malformed !== undefined || set.deletedAt !== undefined || set.paused) return;
      await Promise.all([
        ...adopt.map((v) => changeOwners(ref, v, (owners) => [...owners, ownerReferenceOf(ref)])),
        ...release.map((v) => changeOwners(ref, v, (owners) => owners.filter(({ uid }) => uid !== ref.uid))),
      ]);
    },

    async writeMachineSetStatus(request) {
      refuseForeign(deps, request);
      const { ref, status, event } = request;
      const dialect = dialectOf(ref);
      await onObject(() =>
        kube.apply(
          dialect.machineSets,
          ref.namespace,
          ref.name,
          { metadata: { uid: ref.uid }, status: dialect.writeMachineSetStatus(status) },
          { fieldManager: FIELD_MANAGER, subresource: 'status' },
        ),
      );
      if (event !== undefined) await events.record(ref, event);
    },
  };

  async function createOne(set: MachineSet, name: string, resource: Resource): Promise<void> {
    const dialect = dialectOf(set.ref);
    try {
      await kube.create(resource, set.ref.namespace, dialect.newMachine(set, name), { fieldManager: FIELD_MANAGER });
    } catch (error) {
      // An earlier try of this activity made it, or the name is taken: then the next look issues another one.
      if (!isAlreadyExists(error)) throw error;
    }
  }

  async function deleteOne(ref: ObjectRef, { name, uid }: Victim, resource: Resource): Promise<void> {
    try {
      await kube.delete(resource, ref.namespace, name, { uid });
    } catch (error) {
      if (!(error instanceof KubeError && (error.status === 404 || error.status === 409))) throw error;
    }
  }

  /** Changes the list as it stands now, others' entries untouched; a Machine that changed meanwhile waits for the next look. */
  async function changeOwners(
    ref: ObjectRef,
    victim: Victim,
    change: (owners: readonly OwnerReference[]) => readonly OwnerReference[],
  ): Promise<void> {
    const { machines } = dialectOf(ref);
    await onObject(async () => {
      const { metadata } = await kube.get<{ metadata: ObjectMeta }>(machines, ref.namespace, victim.name);
      const owners = metadata.ownerReferences ?? [];
      const isControlled = owners.some(({ controller, uid }) => controller === true && uid !== ref.uid);
      if (metadata.uid !== victim.uid || isControlled) return;
      const { uid, resourceVersion } = metadata;
      const body = { metadata: { uid, resourceVersion, ownerReferences: change(owners) } };
      await kube.mergePatch(machines, ref.namespace, victim.name, body, { fieldManager: FIELD_MANAGER });
    });
  }
}

function ownerReferenceOf(ref: ObjectRef): OwnerReference {
  const { apiVersion, kind, name, uid } = ref;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

async function readStored(deps: ActivityDeps, ref: ObjectRef): Promise<StoredObject | undefined> {
  try {
    const stored = await deps.kube.get<StoredObject>(dialectOf(ref).machineSets, ref.namespace, ref.name);
    return stored.metadata.uid === ref.uid ? stored : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** The set, if it is there, acted on, and asks for this many; looked up right before every batch. */
async function readSetAsking(deps: ActivityDeps, ref: ObjectRef, replicas: number): Promise<MachineSet | undefined> {
  const stored = await readStored(deps, ref);
  if (stored === undefined) return undefined;
  const set = dialectOf(ref).readMachineSet(stored);
  const isActed = set.malformed === undefined && set.deletedAt === undefined && !set.paused;
  return isActed && set.replicas === replicas ? set : undefined;
}

function statusOf(stored: StoredObject): Partial<MachineSetStatus> {
  const { status } = stored as { status?: Partial<MachineSetStatus> & { errorReason?: string; errorMessage?: string } };
  const {
    replicas,
    fullyLabeledReplicas,
    readyReplicas,
    availableReplicas,
    observedGeneration,
    labelSelector,
    conditions,
  } = status ?? {};
  return {
    ...(replicas === undefined ? {} : { replicas }),
    ...(fullyLabeledReplicas === undefined ? {} : { fullyLabeledReplicas }),
    ...(readyReplicas === undefined ? {} : { readyReplicas }),
    ...(availableReplicas === undefined ? {} : { availableReplicas }),
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(conditions === undefined ? {} : { conditions }),
    ...(status?.errorReason === undefined
      ? {}
      : { error: { reason: status.errorReason, message: status.errorMessage ?? '' } }),
  };
}
