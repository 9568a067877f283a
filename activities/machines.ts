import { ApplicationFailure } from '@temporalio/common';
import type { StoredObject } from '../k8s/dialects/kind.ts';
import { isInvalid, isNotFound } from '../k8s/kube-error.ts';
import { MACHINE_FIELD_MANAGER } from '../k8s/model/field-managers.ts';
import { purposeOf } from '../k8s/model/drain.ts';
import type { Machine } from '../k8s/model/machine.ts';
import { describeRef, type ObjectRef } from '../k8s/model/object-ref.ts';
import { ProviderError } from '../providers/provider-error.ts';
import { dropCopiedStatus } from './copied-status.ts';
import type { ActivityDeps, MachineDeps } from './deps.ts';
import type { ReadMachine } from './effective-spec.ts';
import { isObjectChanged, objectChanged, refuseForeign } from './failures.ts';
import { patchWithout } from './finalizers.ts';
import { OBJECT_CHANGED } from '../workflows/failure-types.ts';
import type { MachineActivities, MachineTarget } from '../workflows/machine/machine-activities.ts';
import { ACT_MS, active, type SeenMachine } from './machine-reader.ts';
import { hasClaim } from './node-claim.ts';
import { claimBy } from './own-node.ts';
import { sightNode } from './sight-node.ts';
import { writeMachineStatus } from './write-machine-status.ts';
import { given } from '../providers/given.ts';

/** Tries to take our finalizer off, while others change theirs. */
const TRIES = 3;
const OURS = { fieldManager: MACHINE_FIELD_MANAGER } as const;
/** Longest wait for others' launches, in milliseconds: a cloud takes about as long to start an instance. */
const LAUNCHES_MS = 1000;

interface MachineObjectActivities extends Pick<
  MachineActivities,
  | 'observeMachine'
  | 'recordInstance'
  | 'addFinalizer'
  | 'writeMachineStatus'
  | 'forgetDeletion'
  | 'reportSuspectedOrphan'
> {
  /** Lets the Machine object go. Answers with what was stored of it then; undefined: there was nothing to take off. */
  readonly removeFinalizer: (target: MachineTarget) => Promise<StoredObject | undefined>;
}

/** Activities on the Machine object itself. */
export function createMachineActivities(deps: MachineDeps): MachineObjectActivities {
  const { kube, apis, reader, launches, settings, events, clock } = deps;

  return {
    async observeMachine(target) {
      refuseForeign(deps, target);
      const read = await readOwn(target.ref);
      if (read === undefined) return { found: false };
      const { machine, spec, seen } = read;
      const provider = providerNameOf(deps, read);
      // From there on nothing asks for the Node.
      const sight = target.isEnding !== true ? await sightNode(deps, machine, spec) : {};
      const ageMs = target.isFirst === true ? ageOf(machine) : undefined;
      const isNamed = target.isFirst === true && mayBeNamed(machine) && (await isNamedByNode(machine.ref));
      return {
        found: true,
        machine,
        settings,
        ...sight,
        ...given({ isNamedByNode: isNamed || undefined, seen, provider, ageMs }),
      };
    },

    async recordInstance(target) {
      refuseForeign(deps, target);
      const { ref, instance, replaces } = target;
      await launches.turn(LAUNCHES_MS);
      const { resource, finalizer, withoutProviderID, writeInstance } = apis.kindOf('machine', ref);
      if (replaces === true) {
        // Admission refuses a change of a providerID, so the old one is removed first. A worker that dies before the new one is
        // written leaves none, and the next pass looks the instance up.
        const body = { ...withoutProviderID, metadata: { uid: ref.uid } };
        await reader.writing(ref, () => kube.mergePatch(resource, ref.namespace, ref.name, body, OURS));
      }
      const { labels, annotations, ...written } = writeInstance(instance);
      const metadata = { uid: ref.uid, labels, annotations, finalizers: [finalizer] };
      await reader.writing(ref, () => kube.apply(resource, ref.namespace, ref.name, { ...written, metadata }, OURS));
      const seen = await writeMachineStatus(deps, target);
      for (const event of target.events) await events.record(ref, event);
      return seen;
    },

    async addFinalizer(target) {
      refuseForeign(deps, target);
      const { ref } = target;
      const seen = await reader.read(ref);
      if (seen === undefined) return;
      const { meta, machine } = active(seen);
      if (machine.hasFinalizer) return;
      const { resource, finalizer } = apis.kindOf('machine', ref);
      const { resourceVersion, finalizers } = meta;
      const body = { metadata: { uid: ref.uid, resourceVersion, finalizers: [...finalizers, finalizer] } };
      // Not applied: that would give up all else that we applied before.
      await reader.writing(ref, () => kube.mergePatch(resource, ref.namespace, ref.name, body, OURS));
    },

    async writeMachineStatus(target) {
      refuseForeign(deps, target);
      const seen = await writeMachineStatus(deps, target);
      for (const event of target.events) await events.record(target.ref, event);
      return seen;
    },

    async forgetDeletion(target) {
      const { ref } = target;
      const { meta, machine } = active(await reader.live(target));
      if (purposeOf(machine) === 'deletion') throw objectChanged(`${describeRef(ref)}: it is to be deleted again`);
      const { resource, writeWish } = apis.kindOf('machine', ref);
      const { metadata } = writeWish?.({ cause: null, outOfTurn: null }) ?? {};
      // What is written meanwhile may be for the next deletion.
      const body = { metadata: { ...metadata, uid: ref.uid, resourceVersion: meta.resourceVersion } };
      await reader.writing(ref, () => kube.mergePatch(resource, ref.namespace, ref.name, body, OURS));
    },

    async removeFinalizer(target) {
      refuseForeign(deps, target);
      const { ref } = target;
      const recent = reader.recent(ref, ACT_MS);
      const isThere = recent?.machine.paused === false && recent.machine.hasFinalizer;
      let seen = isThere ? recent : await reader.read(ref);
      for (let left = TRIES; seen !== undefined; left -= 1) {
        const { finalizers } = active(seen).meta;
        try {
          return await takeOff(ref, finalizers);
        } catch (error) {
          if (!isInvalid(error) || left === 1) throw error;
          seen = await reader.read(ref);
          // It was not the list that was wrong.
          if (seen?.meta.finalizers.join(' ') === finalizers.join(' ')) throw error;
        }
      }
      return undefined;
    },

    async reportSuspectedOrphan(target) {
      refuseForeign(deps, target);
      deps.log.error({ object: target.ref }, target.message);
      await events.insist(target.ref, { type: 'Warning', reason: 'SuspectedOrphan', message: target.message });
    },
  };

  /** A Node says that it is this Machine's. */
  async function isNamedByNode(ref: ObjectRef): Promise<boolean> {
    const claim = claimBy(deps, { ref });
    return (await reader.nodes()).some((node) => hasClaim(node, claim));
  }

  /** The clocks of Temporal and of this worker may be apart from that which the Machine was created by. */
  function ageOf({ createdAt }: Machine): number {
    return (kube.serverTime() ?? clock.timeOfDay()) - Date.parse(createdAt);
  }

  /** The Machine without what a status that was copied from another one says. */
  async function readOwn(ref: ObjectRef): Promise<SeenMachine | undefined> {
    const read = await reader.read(ref);
    if (read?.machine.copied === undefined || read.machine.paused) return read;
    await dropCopiedStatus(deps, read).catch(tryAgain);
    return reader.read(ref);
  }

  /** Takes our finalizer off, if these are the finalizers that the Machine has; else the request is Invalid. */
  async function takeOff(ref: ObjectRef, finalizers: readonly string[]): Promise<StoredObject | undefined> {
    const { resource, finalizer } = apis.kindOf('machine', ref);
    const patch = patchWithout(finalizer, finalizers, ref);
    if (patch === undefined) return undefined;
    return reader.writing(ref, () =>
      kube.jsonPatch<StoredObject>(resource, ref.namespace, ref.name, patch).catch(ifGone),
    );
  }
}

/** A look has no other look to leave it to: it is tried again. */
function tryAgain(error: unknown): never {
  throw isObjectChanged(error) ? ApplicationFailure.retryable(error.message, OBJECT_CHANGED) : error;
}

/** Then there is nothing left to be done. */
function ifGone(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

/** A Machine that a set made just now has no Node yet: sets make them in great numbers, which costs no list. */
function mayBeNamed({ status, providerID, madeBySet, malformed }: Machine): boolean {
  if (madeBySet === true || malformed !== undefined) return false;
  return [status.launch, status.instance, status.nodeRef, providerID].every((known) => known === undefined);
}

/**
 * Name of the provider that the Machine's instance is of, or would be; undefined where its spec names none that is known:
 * the launch says so.
 */
function providerNameOf({ providers }: ActivityDeps, { machine, spec }: ReadMachine): string | undefined {
  const { providerID, status } = machine;
  const itsOwn = providerID === undefined ? undefined : providers.providerForProviderID(providerID);
  if (itsOwn !== undefined) return itsOwn.name;
  const frozen = status.launch?.parameters.provider;
  if (frozen !== undefined) return frozen;
  try {
    return providers.providerFor(spec.providerSpec).name;
  } catch (error) {
    if (error instanceof ProviderError) return undefined;
    throw error;
  }
}
