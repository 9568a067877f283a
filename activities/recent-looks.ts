import type { KubeClient } from '../k8s/client.ts';
import type { ReadMachine } from './effective-spec.ts';

/** How long a look counts, in milliseconds: a pass of a machine that is not held up takes less. */
const FRESH_MS = 1000;

interface Look {
  readonly read: ReadMachine;
  readonly at: number;
}

/** By the Machine's uid; one map for each client, which is one for each worker. */
const looks = new WeakMap<KubeClient, Map<string, Look>>();

/** A pass looks at its Machine once; the steps that follow within a moment, and call nothing in the cloud, go by that look. */
export function keepLook(kube: KubeClient, read: ReadMachine): void {
  const known = looks.get(kube) ?? new Map<string, Look>();
  looks.set(kube, known);
  const { uid } = read.machine.ref;
  const look = { read, at: Date.now() };
  known.set(uid, look);
  setTimeout(() => {
    if (known.get(uid) === look) known.delete(uid);
  }, FRESH_MS).unref();
}

/** The look that this worker had at the Machine a moment ago, if nothing was written since. */
export function recentLook(kube: KubeClient, uid: string): ReadMachine | undefined {
  const look = looks.get(kube)?.get(uid);
  return look !== undefined && Date.now() - look.at < FRESH_MS ? look.read : undefined;
}

/** It is being written: what was seen is not so any more. */
export function dropLook(kube: KubeClient, uid: string): void {
  looks.get(kube)?.delete(uid);
}
