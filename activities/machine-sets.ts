import { SET_FIELD_MANAGER } from '../k8s/model/field-managers.ts';
import type { StoredObject } from '../k8s/dialects/dialect.ts';
import { dialectOf } from '../k8s/dialects/registry.ts';
import type { MachineSet, MachineSetStatus } from '../k8s/model/machine-set.ts';
import type { MachineSetActivities, ReplicaSurvey } from '../workflows/machine-set/machine-set-activities.ts';
import { planReplicas, type ReplicaPlan } from '../workflows/machine-set/plan-replicas.ts';
import type { EntitySettings } from '../workflows/settings.ts';
import { adoptAndRelease } from './adopt-and-release.ts';
import { coalesce } from './coalesce.ts';
import { createReplicas } from './create-replicas.ts';
import { deleteReplicas } from './delete-replicas.ts';
import type { ActivityDeps } from './deps.ts';
import { onObject, refuseForeign } from './failures.ts';
import { readStoredSet } from './look-at-replicas.ts';
import { SeenVersions } from './seen-versions.ts';

/** How long a look waits for other sets of the namespace to share one list with, in milliseconds. */
const GATHER_MS = 20;

/** What its workflow is told of a set. */
export function surveyOf(
  { generation, deletedAt, paused, replicas }: MachineSet,
  plan: ReplicaPlan,
  status: Partial<MachineSetStatus>,
  { backoff, resyncSeconds }: EntitySettings,
): ReplicaSurvey {
  const settings = { backoff, resyncSeconds };
  return { found: true, generation, deleting: deletedAt !== undefined, paused, replicas, plan, status, settings };
}

/** Activities on a MachineSet and the Machines it owns. */
export function createMachineSetActivities(deps: ActivityDeps): MachineSetActivities {
  const { kube, events, settings, clock } = deps;
  const versions = new SeenVersions(kube);
  const listMachines = coalesce(
    clock,
    async (key) => {
      const [apiVersion = '', kind = '', namespace = ''] = key.split(' ');
      return (await kube.list<StoredObject>(dialectOf({ apiVersion, kind }).machines, { namespace })).items;
    },
    GATHER_MS,
  );

  return {
    async surveyReplicas(request) {
      refuseForeign(deps, request);
      const { ref } = request;
      const dialect = dialectOf(ref);
      // The Machines are listed after the set was read: cluster-autoscaler marks a Machine first and scales the set then, so
      // who sees the smaller number has to see the mark.
      const stored = await readStoredSet(deps, ref);
      if (stored === undefined) return { found: false };
      versions.saw(stored);
      const set = dialect.readMachineSet(stored);
      if (set.malformed !== undefined) {
        return { found: 'malformed', message: set.malformed, resyncSeconds: settings.resyncSeconds };
      }
      const machines = await listMachines(`${ref.apiVersion} ${ref.kind} ${ref.namespace}`);
      const replicas = machines.map((m) => dialect.readReplica(m));
      return surveyOf(set, planReplicas(set, replicas, request.issued, clock.timeOfDay()), statusOf(stored), settings);
    },

    async createMachines(request) {
      refuseForeign(deps, request);
      return createReplicas(deps, request);
    },

    async deleteMachines(request) {
      refuseForeign(deps, request);
      return deleteReplicas(deps, request);
    },

    async adoptAndRelease(request) {
      refuseForeign(deps, request);
      return adoptAndRelease(deps, request);
    },

    async writeMachineSetStatus(request) {
      refuseForeign(deps, request);
      const { ref, status } = request;
      const dialect = dialectOf(ref);
      await onObject(() =>
        versions.write(dialect.machineSets, ref, (resourceVersion) =>
          kube.apply<StoredObject>(
            dialect.machineSets,
            ref.namespace,
            ref.name,
            { metadata: { uid: ref.uid, resourceVersion }, status: dialect.writeMachineSetStatus(status) },
            { fieldManager: SET_FIELD_MANAGER, subresource: 'status' },
          ),
        ),
      );
      for (const event of request.events) await events.record(ref, event);
    },
  };
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
