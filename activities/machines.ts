import { ApplicationFailure } from '@temporalio/common';
import { dialectOf } from '../k8s/dialects/registry.ts';
import type { KubeClient } from '../k8s/client.ts';
import { isInvalid, isNotFound } from '../k8s/kube-error.ts';
import { MACHINE_FIELD_MANAGER } from '../k8s/model/field-managers.ts';
import { FINALIZER, INSTANCE_STATE_ANNOTATION, INTERRUPTIBLE_LABEL } from '../k8s/model/labels.ts';
import type { Machine, MachineStatus } from '../k8s/model/machine.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import { ProviderError } from '../providers/provider.ts';
import { dropCopiedStatus } from './copied-status.ts';
import type { ActivityDeps } from './deps.ts';
import type { ReadMachine } from './effective-spec.ts';
import { onObject, refuseForeign } from './failures.ts';
import type { MachineActivities, MachineTarget } from '../workflows/machine/machine-activities.ts';
import type { LaunchesFirst } from './launches-first.ts';
import type { ListNodes } from './list-nodes.ts';
import { isNamedByNode } from './match-node.ts';
import { placementLabels } from './placement-labels.ts';
import { completeMachine } from './read-machines.ts';
import { dropLook, keepLook, recentFinalizers, recentLook, renewLook, type StoredMachine } from './recent-looks.ts';
import { sightNode } from './sight-node.ts';
import { OBJECT_CHANGED } from '../workflows/failure-types.ts';

const OURS = { fieldManager: MACHINE_FIELD_MANAGER } as const;

interface MachineObjectActivities extends Pick<
  MachineActivities,
  'observeMachine' | 'recordInstance' | 'addFinalizer' | 'writeMachineStatus' | 'reportSuspectedOrphan'
> {
  /** Lets the Machine object go. */
  readonly removeFinalizer: (target: MachineTarget) => Promise<void>;
}

/** Activities on the Machine object itself. */
export function createMachineActivities(
  deps: ActivityDeps,
  launches: LaunchesFirst,
  listNodes: ListNodes,
): MachineObjectActivities {
  const { kube, settings, events } = deps;

  return {
    async observeMachine(target) {
      refuseForeign(deps, target);
      const read = await readOwn(target.ref);
      if (read === undefined) return { found: false };
      const { machine, spec } = read;
      const provider = providerNameOf(deps, read);
      // Nothing on the way out asks for the Node.
      const isLinked = machine.status.nodeRef !== undefined && machine.deletedAt === undefined;
      const node = isLinked ? await sightNode(deps, machine, spec) : undefined;
      const isNamed = target.isFirst === true && mayBeNamed(machine) && isNamedByNode(await listNodes(), machine.ref);
      return {
        found: true,
        machine,
        settings,
        ...(isNamed ? { isNamedByNode: true as const } : {}),
        ...(provider === undefined ? {} : { provider }),
        ...(node === undefined ? {} : { node }),
      };
    },

    async recordInstance(target) {
      refuseForeign(deps, target);
      const { ref, instance, replaces, status, event } = target;
      await launches.turn();
      const dialect = dialectOf(ref);
      dropLook(kube, ref.uid);
      if (replaces === true) {
        // Admission lets nobody change a providerID. Whoever dies in between finds none, and looks the instance up again.
        const body = { metadata: { uid: ref.uid }, spec: { providerID: null } };
        await onObject(() => kube.mergePatch(dialect.machines, ref.namespace, ref.name, body, OURS));
      }
      await onObject(() =>
        kube.apply(
          dialect.machines,
          ref.namespace,
          ref.name,
          {
            metadata: {
              uid: ref.uid,
              labels: {
                ...placementLabels(instance),
                ...(instance.interruptible === true ? { [INTERRUPTIBLE_LABEL]: '' } : {}),
              },
              annotations: { [INSTANCE_STATE_ANNOTATION]: instance.state },
              finalizers: [FINALIZER],
            },
            spec: { providerID: instance.providerID },
          },
          { fieldManager: MACHINE_FIELD_MANAGER },
        ),
      );
      await applyStatus(deps, ref, status);
      if (event !== undefined) await events.record(ref, event);
    },

    async addFinalizer(target) {
      refuseForeign(deps, target);
      const { ref } = target;
      const stored = await readStored(deps, ref);
      if (stored === undefined) return;
      refusePaused((await completeMachine(deps, stored)).machine);
      const { finalizers = [], uid, resourceVersion } = stored.metadata;
      if (finalizers.includes(FINALIZER)) return;
      dropLook(kube, ref.uid);
      // Not applied: that would give up all else that we applied before.
      await onObject(() =>
        kube.mergePatch(
          dialectOf(ref).machines,
          ref.namespace,
          ref.name,
          { metadata: { uid, resourceVersion, finalizers: [...finalizers, FINALIZER] } },
          { fieldManager: MACHINE_FIELD_MANAGER },
        ),
      );
    },

    async writeMachineStatus(target) {
      refuseForeign(deps, target);
      await applyStatus(deps, target.ref, target.status);
      if (target.event !== undefined) await events.record(target.ref, target.event);
    },

    async removeFinalizer(target) {
      refuseForeign(deps, target);
      const { ref } = target;
      const recent = recentFinalizers(kube, ref.uid);
      if (recent?.includes(FINALIZER) && (await isTakenOff(takeOff(kube, ref, recent)))) return;
      const stored = await readStored(deps, ref);
      if (stored === undefined) return;
      refusePaused((await completeMachine(deps, stored)).machine);
      await takeOff(kube, ref, stored.metadata.finalizers ?? []);
    },

    async reportSuspectedOrphan(target) {
      deps.log.error({ object: target.ref }, target.message);
      await events.record(target.ref, { type: 'Warning', reason: 'SuspectedOrphan', message: target.message });
    },
  };

  /** The Machine without what a status that was copied from another one says. */
  async function readOwn(ref: ObjectRef): Promise<ReadMachine | undefined> {
    const read = await readMachine(deps, ref);
    if (read?.machine.copied === undefined || read.machine.paused) return read;
    dropLook(kube, ref.uid);
    await dropCopiedStatus(deps, read.machine);
    return readMachine(deps, ref);
  }
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

async function readStored(deps: ActivityDeps, ref: ObjectRef): Promise<StoredMachine | undefined> {
  try {
    const stored = await deps.kube.get<StoredMachine>(dialectOf(ref).machines, ref.namespace, ref.name);
    return stored.metadata.uid === ref.uid ? stored : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/**
 * The Machine as it is stored now, completed by its MachineClass and its Cluster; undefined where it is gone or another
 * object has its name.
 */
export async function readMachine(deps: ActivityDeps, ref: ObjectRef): Promise<ReadMachine | undefined> {
  const stored = await readStored(deps, ref);
  if (stored === undefined) return undefined;
  const read = await completeMachine(deps, stored);
  keepLook(deps.kube, read, stored.metadata.finalizers ?? []);
  return read;
}

/** As {@link readMachine}, where the Machine has to be there. */
export async function requireMachine(deps: ActivityDeps, target: MachineTarget): Promise<ReadMachine> {
  refuseForeign(deps, target);
  return wellFormed(await readMachine(deps, target.ref), target);
}

/**
 * As {@link requireMachine}, by the look with which this pass began.
 * @param mostMs how old that look may be, in milliseconds
 */
export async function requireLooked(deps: ActivityDeps, target: MachineTarget, mostMs?: number): Promise<ReadMachine> {
  const recent = recentLook(deps.kube, target.ref.uid, mostMs);
  return recent === undefined ? requireMachine(deps, target) : wellFormed(recent, target);
}

function wellFormed(read: ReadMachine | undefined, target: MachineTarget): ReadMachine {
  if (read === undefined) {
    throw ApplicationFailure.nonRetryable(`Machine ${target.ref.namespace}/${target.ref.name} is gone`, OBJECT_CHANGED);
  }
  const { malformed, ref } = read.machine;
  if (malformed !== undefined) {
    const message = `Machine ${ref.namespace}/${ref.name}: ${malformed.message}`;
    throw ApplicationFailure.nonRetryable(message, OBJECT_CHANGED);
  }
  return read;
}

/** As {@link requireMachine}, for steps that a pause holds back: one that was set meanwhile counts. */
export async function requireActive(deps: ActivityDeps, target: MachineTarget): Promise<ReadMachine> {
  return active(await requireMachine(deps, target));
}

/** As {@link requireActive}, by the look with which this pass began. */
export async function requireLookedActive(
  deps: ActivityDeps,
  target: MachineTarget,
  mostMs?: number,
): Promise<ReadMachine> {
  return active(await requireLooked(deps, target, mostMs));
}

function active(read: ReadMachine): ReadMachine {
  refusePaused(read.machine);
  return read;
}

function refusePaused({ ref, paused, pausedBy }: Machine): void {
  if (!paused) return;
  const why = pausedBy === undefined ? 'it is paused' : `${pausedBy} is paused`;
  throw ApplicationFailure.nonRetryable(`Machine ${ref.namespace}/${ref.name}: ${why}`, OBJECT_CHANGED);
}

/** Takes our finalizer off, if these are the finalizers that the Machine has; else the request is invalid. */
async function takeOff(kube: KubeClient, ref: ObjectRef, finalizers: readonly string[]): Promise<void> {
  const index = finalizers.indexOf(FINALIZER);
  if (index === -1) return;
  const path = `/metadata/finalizers/${index}`;
  try {
    await kube.jsonPatch(dialectOf(ref).machines, ref.namespace, ref.name, [
      { op: 'test', path: '/metadata/uid', value: ref.uid },
      { op: 'test', path, value: FINALIZER },
      { op: 'remove', path },
    ]);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** False: the list that it went by is not so any more. */
async function isTakenOff(taking: Promise<void>): Promise<boolean> {
  try {
    await taking;
    return true;
  } catch (error) {
    if (isInvalid(error)) return false;
    throw error;
  }
}

/** Writes the whole status, as the one owner of its fields. */
export async function applyStatus(deps: ActivityDeps, ref: ObjectRef, status: MachineStatus): Promise<void> {
  const dialect = dialectOf(ref);
  const since = performance.now();
  try {
    const stored = await onObject(() =>
      deps.kube.apply<StoredMachine>(
        dialect.machines,
        ref.namespace,
        ref.name,
        { metadata: { uid: ref.uid }, status: dialect.writeMachineStatus(status) },
        { fieldManager: MACHINE_FIELD_MANAGER, subresource: 'status' },
      ),
    );
    renewLook(deps.kube, stored, since);
  } catch (error) {
    dropLook(deps.kube, ref.uid);
    throw error;
  }
}
