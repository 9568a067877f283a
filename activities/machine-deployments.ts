import { templateOfRevision } from '../k8s/model/machine-set.ts';
import { Context } from '@temporalio/activity';
import type { StoredObject } from '../k8s/dialects/kind.ts';
import { isInvalid, unlessGone } from '../k8s/kube-error.ts';
import { DEPLOYMENT_FIELD_MANAGER } from '../k8s/model/field-managers.ts';
import { isUntouched, type MachineDeployment } from '../k8s/model/machine-deployment.ts';
import { describeRef, type ObjectRef } from '../k8s/model/object-ref.ts';
import { withController } from '../k8s/model/owner-reference.ts';
import type { MachineDeploymentReading } from '../k8s/model/reading.ts';
import { rolloutMachineOf } from '../k8s/model/rollout-machine.ts';
import { asKnownToSets } from '../k8s/model/template-hash.ts';
import { settingsFor } from '../k8s/model/template-settings.ts';
import { selects } from '../k8s/selector.ts';
import type {
  MachineDeploymentActivities,
  OnSurveyed,
  Ordered,
} from '../workflows/machine-deployment/machine-deployment-activities.ts';
import { pausesAfter, pausesAtFirst } from '../workflows/machine-deployment/pauses.ts';
import { seeRollout } from '../workflows/machine-deployment/see-rollout.ts';
import { entitySettingsOf } from '../workflows/settings.ts';
import { capacityKeyOf } from './capacity/capacity-key.ts';
import { clusterPause } from './cluster-pause.ts';
import type { InspectDeps, MachineDeps } from './deps.ts';
import { changedSinceLook, objectChanged, onObject, refuseForeign } from './failures.ts';
import { changeOwners, createOnce, deleteAsSeen } from './owned-objects.ts';
import { readStored } from './read-stored.ts';
import { SeenObjects } from './seen-objects.ts';
import { seenSetOf } from './seen-set.ts';
import { given } from '../providers/given.ts';
import { lateAfter, momentOf } from '../providers/moment.ts';

/** The API server did not answer for so many tries that machines may have been kept from coming up. */
const AWAY_TRIES = 4;
/** So long after the look at the deployment a set is told how many machines to have, at most, in milliseconds: less than a workflow task may take. */
const MOST_OLD_MS = 8000;

/** Activities on a MachineDeployment and the MachineSets it owns. */
export function createMachineDeploymentActivities(
  deps: MachineDeps & InspectDeps,
): Omit<MachineDeploymentActivities, 'preflight'> {
  const { kube, apis, reader, events, settings, clock } = deps;
  const objects = new SeenObjects(kube);

  return {
    async surveyRollout(request) {
      refuseForeign(deps, request);
      const { ref } = request;
      const kind = apis.kindOf('machineDeployment', ref);
      const look = await objects.see(kind.resource, ref);
      if (look === undefined) return { found: false };
      const { stored, seen } = look;
      const { machineDeployment: deployment, status, clusterName, meta } = kind.read(stored);
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
        reader.inNamespace(machineKind, namespace),
        deployment.paused ? undefined : clusterPause({ kube, apis }, ref, clusterName),
      ]);
      const now = clock.timeOfDay();
      const isPaused = deployment.paused || deployment.isRolloutPaused || pause !== undefined;
      const known = request.pauses ?? pausesAtFirst(isUntouched(status), now);
      const pauses = pausesAfter(known, { isPaused, ...given({ conditions: status.conditions }) }, now);
      const sight = seeRollout(
        deployment,
        sets.map(seenSetOf),
        machines.map((machine) => rolloutMachineOf(machineKind.read(machine))),
        {
          setName: kind.setNameOf(deployment),
          status,
          now,
          pauses,
          ...given({ scaleDown: request.scaleDown, scaleUp: request.scaleUp, replicasBefore: request.replicasBefore }),
        },
      );
      return {
        found: true,
        generation: deployment.generation,
        deleting: deployment.deletedAt !== undefined,
        paused: deployment.paused,
        ...given({ pausedByTakeOver: deployment.pausedByTakeOver }),
        ...sight,
        pauses,
        status,
        ...given({ seen, capacityKey: capacityKeyOf(meta, deployment) }),
        settings: entitySettingsOf(settings),
        ...(pause === undefined ? {} : { paused: true, ...pause }),
        ...given({ wasAway: Context.current().info.attempt > AWAY_TRIES || undefined }),
      };
    },

    async inspectMachines({ ref, machines, ...target }) {
      refuseForeign(deps, { ref, ...target });
      const { apiVersion, kind } = apis.machinesOf(ref).resource;
      const { namespace } = ref;
      await Promise.all(machines.map((machine) => deps.inspect({ apiVersion, kind, namespace, ...machine })));
    },

    async pauseRollout(request) {
      const { meta } = await readSurveyed(request);
      const { resource, writePause } = apis.kindOf('machineDeployment', request.ref);
      const { namespace, name, uid } = request.ref;
      // A template that somebody has mended since is not paused for the one before it.
      const body = { metadata: { uid, resourceVersion: meta.resourceVersion }, ...writePause(true) };
      await onObject(() =>
        kube.mergePatch(resource, namespace, name, body, { fieldManager: DEPLOYMENT_FIELD_MANAGER }),
      );
    },

    async rollBack(request) {
      const { ref, to, from, revision, why } = request;
      const { meta } = await readSurveyed(request);
      const { resource, read } = apis.setsOf(ref);
      const { namespace, name, uid } = ref;
      const stored = await unlessGone(kube.get<StoredObject>(resource, namespace, to.name));
      if (stored === undefined || stored.metadata.uid !== to.uid) {
        throw objectChanged(`MachineSet ${namespace}/${to.name} is gone`);
      }
      const { machineSet } = read(stored);
      const kind = apis.kindOf('machineDeployment', ref);
      const patch = [
        // Whoever wrote another template meanwhile has meant it.
        { op: 'test', path: '/metadata/uid', value: uid },
        { op: 'test', path: '/metadata/resourceVersion', value: meta.resourceVersion },
        ...kind.replaceTemplate(templateOfRevision(machineSet), false),
        ...kind.writeRolledBack({ from, revision, why }, meta),
      ];
      try {
        await onObject(() =>
          kube.jsonPatch(kind.resource, namespace, name, patch, { fieldManager: DEPLOYMENT_FIELD_MANAGER }),
        );
      } catch (error) {
        // Either what it tests is not so any more, or the template is refused.
        if (isInvalid(error)) await readAsSeen(ref, meta.resourceVersion);
        throw error;
      }
    },

    async adoptSets(request) {
      const { ref } = request;
      const { read, labelsToAdopt } = apis.setsOf(ref);
      for (const set of request.sets) {
        // A set must not get an owner that is gone: it would be collected with it.
        const { selector } = (await readSurveyed(request)).machineDeployment;
        const isDue = (stored: StoredObject): boolean => {
          const { machineSet, meta } = read(stored);
          return (
            meta.controller === undefined &&
            meta.deletedAt === undefined &&
            selects(selector, machineSet.template.labels)
          );
        };
        await onObject(() =>
          changeOwners(
            setsOf(ref),
            set,
            isDue,
            (owners) => withController(owners, ref),
            (stored) => labelsToAdopt(read(stored)),
          ),
        );
      }
    },

    async createSet(request) {
      const { ref, name, revision } = request;
      const deployment = (await readSurveyed(request)).machineDeployment;
      const { newMachineSet } = apis.kindOf('machineDeployment', ref);
      await createOnce(setsOf(ref), newMachineSet(deployment, { name, revision }));
    },

    async orderSets(request) {
      for (const ordered of request.orders) {
        const isLate = lateAfter(clock, momentOf(clock), MOST_OLD_MS);
        const { machineDeployment } = await readSurveyed(request);
        await onObject(() => orderOne(machineDeployment, ordered, isLate));
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
      const { ref, status, seen } = request;
      const written = { status, fieldManager: DEPLOYMENT_FIELD_MANAGER, ...given({ seen }) };
      await objects.writeStatus(apis.kindOf('machineDeployment', ref), ref, written);
      for (const event of request.events) await events.record(ref, event);
    },
  };

  function setsOf({ apiVersion, kind, namespace }: ObjectRef) {
    const { resource } = apis.setsOf({ apiVersion, kind });
    return { kube, resource, namespace, fieldManager: DEPLOYMENT_FIELD_MANAGER };
  }

  /** Over the version that was surveyed: a set that changed since, by whoever, is looked at again. */
  async function orderOne(
    deployment: MachineDeployment,
    { set, order, isBehind }: Ordered,
    isLate: () => boolean,
  ): Promise<void> {
    const { namespace, resource, fieldManager } = setsOf(deployment.ref);
    const settings = isBehind === true ? await settingsOf(deployment, set.name) : undefined;
    const { metadata, spec } = apis.setsOf(deployment.ref).writeOrder(order, settings);
    const { uid, resourceVersion } = set;
    const body = { metadata: { ...metadata, uid, resourceVersion }, spec };
    // Its process stood still: another worker may have given the room that this order takes to another set.
    if (isLate()) throw changedSinceLook(deployment.ref);
    await kube.mergePatch(resource, namespace, set.name, body, { fieldManager });
  }

  /** What the set's template has by now, and what the deployment wants of it. */
  async function settingsOf(deployment: MachineDeployment, name: string) {
    const { ref, template } = deployment;
    const { resource, read } = apis.setsOf(ref);
    const { machineSet: set } = read(await kube.get<StoredObject>(resource, ref.namespace, name));
    const isCurrent = set.templateHash === asKnownToSets(deployment, [set]).templateHash;
    return {
      of: set.template,
      wanted: settingsFor(set.template.settings, template.settings, isCurrent),
      ...(isCurrent ? {} : { kept: templateOfRevision(set).settings }),
    };
  }

  /** The deployment, if it still asks for what it was surveyed to ask for, and is acted on. */
  async function readSurveyed(request: OnSurveyed): Promise<MachineDeploymentReading> {
    refuseForeign(deps, request);
    const { ref, generation } = request;
    const reading = await readLive(ref);
    const { machineDeployment: deployment } = reading;
    if (deployment.generation === generation && deployment.deletedAt === undefined && !deployment.paused)
      return reading;
    throw changedSinceLook(ref);
  }

  /** Fails where it is another version by now. */
  async function readAsSeen(ref: ObjectRef, resourceVersion: string): Promise<void> {
    const { meta } = await readLive(ref);
    if (meta.resourceVersion !== resourceVersion) throw changedSinceLook(ref);
  }

  async function readLive(ref: ObjectRef): Promise<MachineDeploymentReading> {
    const kind = apis.kindOf('machineDeployment', ref);
    const stored = await readStored(kube, kind.resource, ref);
    if (stored === undefined) throw objectChanged(`${describeRef(ref)} is gone`);
    return kind.read(stored);
  }
}
