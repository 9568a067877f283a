import type { KubeClient } from '../k8s/client.ts';
import type { StoredObject } from '../k8s/dialects/dialect.ts';
import { dialectOf } from '../k8s/dialects/registry.ts';
import type { ReadMachine } from './effective-spec.ts';

/** A Machine as it is stored, as far as a look goes beyond what its dialect reads. */
export type StoredMachine = StoredObject & {
  readonly metadata: { readonly resourceVersion?: string; readonly finalizers?: readonly string[] };
};

/** How long a look counts, in milliseconds: a pass of a machine that is not held up takes less. */
const FRESH_MS = 3000;

interface Look {
  readonly read: ReadMachine;
  readonly finalizers: readonly string[];
  /** On the clock of `performance.now()`, which nobody sets. */
  readonly at: number;
}

/** By the Machine's uid; one map for each client, which is one for each worker. */
const looks = new WeakMap<KubeClient, Map<string, Look>>();

/** A pass looks at its Machine once; its steps that follow within a moment go by that look. */
export function keepLook(kube: KubeClient, read: ReadMachine, finalizers: readonly string[]): void {
  const known = looks.get(kube) ?? new Map<string, Look>();
  looks.set(kube, known);
  const { uid } = read.machine.ref;
  const look = { read, finalizers, at: performance.now() };
  known.set(uid, look);
  setTimeout(() => {
    if (known.get(uid)?.at === look.at) known.delete(uid);
  }, FRESH_MS).unref();
}

/** The look that this worker had at the Machine a moment ago, if nothing was written since. */
export function recentLook(kube: KubeClient, uid: string, mostMs: number = FRESH_MS): ReadMachine | undefined {
  return freshLook(kube, uid, mostMs)?.read;
}

/** The finalizers that the Machine had at that look; of one that is paused there is nothing to take off. */
export function recentFinalizers(kube: KubeClient, uid: string): readonly string[] | undefined {
  const look = freshLook(kube, uid, FRESH_MS);
  return look?.read.machine.paused === false ? look.finalizers : undefined;
}

function freshLook(kube: KubeClient, uid: string, mostMs: number): Look | undefined {
  const look = looks.get(kube)?.get(uid);
  return look !== undefined && performance.now() - look.at < mostMs ? look : undefined;
}

/**
 * Our own write to its status was answered with this Machine. Unless its spec changed, or somebody looked meanwhile, the look
 * goes on with it.
 * @param since when the write began, on the clock of `performance.now()`
 */
export function renewLook(kube: KubeClient, stored: StoredMachine, since: number): void {
  const { uid } = stored.metadata;
  const known = looks.get(kube);
  const look = known?.get(uid);
  if (known === undefined || look === undefined) return;
  const { machine, spec } = look.read;
  const now = dialectOf(stored).readMachine(stored).machine;
  if (look.at > since || now.generation !== machine.generation || now.malformed !== undefined) {
    known.delete(uid);
    return;
  }
  // Of its class and its Cluster it says what they were at the look.
  const { specHash, paused, pausedBy } = machine;
  const renewed = { ...now, specHash, ...(now.paused || !paused ? {} : { paused, ...(pausedBy ? { pausedBy } : {}) }) };
  known.set(uid, { ...look, read: { machine: renewed, spec }, finalizers: stored.metadata.finalizers ?? [] });
}

/** It is being written: what was seen is not so any more. */
export function dropLook(kube: KubeClient, uid: string): void {
  looks.get(kube)?.delete(uid);
}
