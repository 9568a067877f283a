import type { StoredObject } from '../k8s/dialects/kind.ts';
import { DEPLOYMENT_FIELD_MANAGER } from '../k8s/model/field-managers.ts';
import type { MachineDeployment } from '../k8s/model/machine-deployment.ts';
import { describeRef, type ObjectRef } from '../k8s/model/object-ref.ts';
import { withController } from '../k8s/model/owner-reference.ts';
import type { MachineSetReading } from '../k8s/model/reading.ts';
import { selects } from '../k8s/selector.ts';
import type {
  MachineDeploymentActivities,
  OnSurveyed,
  Ordered,
} from '../workflows/machine-deployment/machine-deployment-activities.ts';
import { seeRollout, type SeenSet } from '../workflows/machine-deployment/see-rollout.ts';
import { entitySettingsOf } from '../workflows/settings.ts';
import { clusterPause } from './cluster-pause.ts';
import type { ActivityDeps } from './deps.ts';
import { objectChanged, onObject, refuseForeign } from './failures.ts';
import { changeOwners, createOnce, deleteAsSeen } from './owned-objects.ts';
import { readStored } from './read-stored.ts';
import { rolloutMachineOf } from './rollout-machine.ts';
import { SeenObjects } from './seen-objects.ts';
import { given } from '../providers/given.ts';

/** A set as the plan of its deployment goes by it. */
function seenSetOf({ machineSet: set, status, meta }: MachineSetReading): SeenSet {
  const { resourceVersion, createdAt, controller } = meta;
  return { set, status, resourceVersion, createdAt, ...given({ controller: controller?.uid }) };
}

/** Activities on a MachineDeployment and the MachineSets it owns. */
export function createMachineDeploymentActivities(deps: ActivityDeps): MachineDeploymentActivities {
  const { kube, apis, events, settings, clock } = deps;
  const objects = new SeenObjects(kube);

  return {
    async surveyRollout(target) {
      refuseForeign(deps, target);
      const { ref } = target;
      const kind = apis.kindOf('machineDeployment', ref);
      const stored = await objects.read(kind.resource, ref);
      if (stored === undefined) return { found: false };
      const { machineDeployment: deployment, status, clusterName } = kind.read(stored);
      if (deployment.malformed !== undefined) {
        return { found: 'malformed', message: deployment.malformed, resyncSeconds: settings.resyncSeconds };
      }
      const { namespace } = ref;
      const setKind = apis.setsOf(ref);
      const sets = (await kube.list<StoredObject>(setKind.resource, { namespace })).items.map((set) =>
        setKind.read(set),
      );
      // Only then: what a set has made by the time that its status answers to its spec has to be seen.
      const machineKind = apis.machinesOf(ref);
      const [machines, pause] = await Promise.all([
        kube.list<StoredObject>(machineKind.resource, { namespace }),
        deployment.paused ? undefined : clusterPause({ kube, apis }, ref, clusterName),
      ]);
      const sight = seeRollout(
        deployment,
        sets.map(seenSetOf),
        machines.items.map((machine) => rolloutMachineOf(machineKind.read(machine))),
        { setName: kind.setNameOf(deployment), now: clock.timeOfDay() },
      );
      return {
        found: true,
        generation: deployment.generation,
        deleting: deployment.deletedAt !== undefined,
        paused: deployment.paused,
        ...sight,
        status,
        settings: entitySettingsOf(settings),
        ...(pause === undefined ? {} : { paused: true, ...pause }),
      };
    },

    async pauseRollout(request) {
      await readSurveyed(request);
      const { resource, writePause } = apis.kindOf('machineDeployment', request.ref);
      const { namespace, name, uid } = request.ref;
      const body = { metadata: { uid }, ...writePause(true) };
      await onObject(() =>
        kube.mergePatch(resource, namespace, name, body, { fieldManager: DEPLOYMENT_FIELD_MANAGER }),
      );
    },

    async adoptSets(request) {
      const { ref } = request;
      const { read } = apis.setsOf(ref);
      for (const set of request.sets) {
        // A set must not get an owner that is gone: it would be collected with it.
        const { selector } = await readSurveyed(request);
        const isDue = (stored: StoredObject): boolean => {
          const { machineSet, meta } = read(stored);
          return (
            meta.controller === undefined &&
            meta.deletedAt === undefined &&
            selects(selector, machineSet.template.labels)
          );
        };
        await onObject(() => changeOwners(setsOf(ref), set, isDue, (owners) => withController(owners, ref)));
      }
    },

    async createSet(request) {
      const deployment = await readSurveyed(request);
      const { newMachineSet } = apis.kindOf('machineDeployment', request.ref);
      await createOnce(setsOf(request.ref), newMachineSet(deployment, request.revision));
    },

    async orderSets(request) {
      for (const ordered of request.orders) {
        await readSurveyed(request);
        await onObject(() => orderOne(request.ref, ordered));
        const { set, order, from } = ordered;
        if (order.replicas === from) continue;
        const message = `MachineSet ${set.name} of revision ${order.revision}: from ${from} to ${order.replicas} machines`;
        await events.record(request.ref, { type: 'Normal', reason: 'ScalingMachineSet', message });
      }
    },

    async removeSets(request) {
      for (const set of request.sets) {
        await readSurveyed(request);
        await onObject(() => deleteAsSeen(setsOf(request.ref), set));
      }
    },

    async writeMachineDeploymentStatus(request) {
      refuseForeign(deps, request);
      const { ref, status } = request;
      await objects.writeStatus(apis.kindOf('machineDeployment', ref), ref, status, DEPLOYMENT_FIELD_MANAGER);
      for (const event of request.events) await events.record(ref, event);
    },
  };

  function setsOf({ apiVersion, kind, namespace }: ObjectRef) {
    const { resource } = apis.setsOf({ apiVersion, kind });
    return { kube, resource, namespace, fieldManager: DEPLOYMENT_FIELD_MANAGER };
  }

  /** Over the version that was surveyed: a set that changed since, by whoever, is looked at again. */
  async function orderOne(ref: ObjectRef, { set, order }: Ordered): Promise<void> {
    const { namespace, resource, fieldManager } = setsOf(ref);
    const { metadata, spec } = apis.setsOf(ref).writeOrder(order);
    const { uid, resourceVersion } = set;
    const body = { metadata: { ...metadata, uid, resourceVersion }, spec };
    await kube.mergePatch(resource, namespace, set.name, body, { fieldManager });
  }

  /** The deployment, if it still asks for what it was surveyed to ask for, and is acted on. */
  async function readSurveyed(request: OnSurveyed): Promise<MachineDeployment> {
    refuseForeign(deps, request);
    const { ref, generation } = request;
    const kind = apis.kindOf('machineDeployment', ref);
    const stored = await readStored(kube, kind.resource, ref);
    const deployment = stored && kind.read(stored).machineDeployment;
    if (deployment === undefined) throw objectChanged(`${describeRef(ref)} is gone`);
    if (deployment.generation === generation && deployment.deletedAt === undefined && !deployment.paused)
      return deployment;
    throw objectChanged(`${describeRef(ref)} changed since it was looked at`);
  }
}
