import { SET_FIELD_MANAGER } from '../k8s/model/field-managers.ts';
import type { MachineSet, MachineSetStatus } from '../k8s/model/machine-set.ts';
import type { MachineSetActivities, ReplicaSurvey } from '../workflows/machine-set/machine-set-activities.ts';
import { planReplicas, type ReplicaPlan } from '../workflows/machine-set/plan-replicas.ts';
import { entitySettingsOf, type EntitySettings } from '../workflows/settings.ts';
import { given } from '../providers/given.ts';
import { adoptAndRelease } from './adopt-and-release.ts';
import { capacityKeyOf } from './capacity/capacity-key.ts';
import { clusterPause } from './cluster-pause.ts';
import { createReplicas } from './create-replicas.ts';
import { deleteReplicas } from './delete-replicas.ts';
import type { MachineDeps } from './deps.ts';
import { refuseForeign } from './failures.ts';
import { readForSet } from './read-for-set.ts';
import { createDropStaleMarks } from './stale-marks.ts';
import { SeenObjects } from './seen-objects.ts';
import { updateReplicas } from './update-replicas.ts';

/** What its workflow is told of a set. */
export function surveyOf(
  { generation, deletedAt, paused, replicas, deployment }: MachineSet,
  plan: ReplicaPlan,
  status: Partial<MachineSetStatus>,
  settings: EntitySettings,
): Extract<ReplicaSurvey, { found: true }> {
  const deleting = deletedAt !== undefined;
  return {
    found: true,
    generation,
    deleting,
    paused,
    replicas,
    ...given({ isOfDeployment: deployment !== undefined || undefined }),
    plan,
    status,
    settings: entitySettingsOf(settings),
  };
}

/** Activities on a MachineSet and the Machines it owns. */
export function createMachineSetActivities(deps: MachineDeps): MachineSetActivities {
  const { kube, apis, reader, events, settings, clock } = deps;
  const objects = new SeenObjects(kube);

  return {
    async surveyReplicas(request) {
      refuseForeign(deps, request);
      const { ref } = request;
      // The Machines are listed after the set was read: cluster-autoscaler marks a Machine first and scales the set then, so
      // who sees the smaller number has to see the mark.
      const kind = apis.kindOf('machineSet', ref);
      const look = await objects.see(kind.resource, ref);
      if (look === undefined) return { found: false };
      const { stored, seen } = look;
      const { machineSet: set, status, clusterName, meta } = kind.read(stored);
      if (set.malformed !== undefined) {
        return { found: 'malformed', message: set.malformed, resyncSeconds: settings.resyncSeconds };
      }
      const machineKind = apis.machinesOf(ref);
      const [machines, pause] = await Promise.all([
        reader.inNamespace(machineKind, ref.namespace),
        set.paused ? undefined : clusterPause({ kube, apis }, ref, clusterName),
      ]);
      const { replicas, others } = readForSet(set, machines, machineKind.read);
      const plan = planReplicas(set, replicas, request.issued, clock.timeOfDay(), others);
      return {
        ...surveyOf(set, plan, status, settings),
        ...given({ seen, capacityKey: capacityKeyOf(meta, set) }),
        ...(pause === undefined ? {} : { paused: true, ...pause }),
      };
    },

    async createMachines(request) {
      refuseForeign(deps, request);
      return createReplicas(deps, request);
    },

    async deleteMachines(request) {
      refuseForeign(deps, request);
      return deleteReplicas(deps, request);
    },

    async updateMachines(request) {
      refuseForeign(deps, request);
      return updateReplicas(deps, request);
    },

    ...createDropStaleMarks(deps),

    async adoptAndRelease(request) {
      refuseForeign(deps, request);
      return adoptAndRelease(deps, request);
    },

    async writeMachineSetStatus(request) {
      refuseForeign(deps, request);
      const { ref, status, seen } = request;
      const written = { status, fieldManager: SET_FIELD_MANAGER, ...given({ seen }) };
      await objects.writeStatus(apis.kindOf('machineSet', ref), ref, written);
      for (const event of request.events) await events.record(ref, event);
    },
  };
}
