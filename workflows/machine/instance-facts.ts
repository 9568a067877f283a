import { conditionOf } from '../../k8s/model/condition.ts';
import type { Machine, MachineStatus } from '../../k8s/model/machine.ts';
import type { Instance, InstanceAddress, InstanceState } from '../../providers/provider.ts';
import type { MachineMemory } from './memory.ts';

/** True where the instance ended, or is about to and cannot come back. */
export function isGone(state: InstanceState): boolean {
  return state === 'terminated' || state === 'shutting-down';
}

/** Looks proved that the instance is gone. */
export function wasProvedGone({ conditions }: Pick<MachineStatus, 'conditions'>): boolean {
  const exists = conditionOf(conditions, 'InstanceExists');
  const isGoneFor = exists?.reason === 'InstanceMissing' || exists?.reason === 'InstanceTakenBack';
  return isGoneFor && exists.status === 'False';
}

/**
 * The instance that a look-up by uid and token means: one that lives, whatever attempt it is of; else the one of this
 * token, which ended.
 */
export function pickInstance(instances: readonly Instance[], token?: string): Instance | undefined {
  const oldestFirst = [...instances].sort((a, b) => ((a.launchedAt ?? a.id) < (b.launchedAt ?? b.id) ? -1 : 1));
  return oldestFirst.find((i) => !isGone(i.state)) ?? oldestFirst.find((i) => token !== undefined && i.token === token);
}

/** True where a launch of ours, and this instance with it, are on record. */
export function isLaunchedHere({ status }: Pick<Machine, 'status'>, id: string): boolean {
  return status.launch !== undefined && status.instance?.id === id;
}

/**
 * For requests: this workflow saw the launch answer with the instance. A status proves nothing, since others may write it; of any
 * other instance a look has to tell whose it is before something is done to it.
 */
export function knownOwn(
  { memory }: { readonly memory: { readonly launchedOnce?: string } },
  id: string,
): { readonly isKnownOwn?: true } {
  return memory.launchedOnce === id ? { isKnownOwn: true } : {};
}

/** The addresses of this instance as the cloud told them; undefined: it did not tell this workflow. */
export function toldAddresses(
  { memory: { addresses } }: { readonly memory: Pick<MachineMemory, 'addresses'> },
  id: string | undefined,
): readonly InstanceAddress[] | undefined {
  return addresses?.of === id ? addresses?.told : undefined;
}

/** True where the instance is known to be gone: the cloud said so, or it was proved. */
export function hasEnded(status: Pick<MachineStatus, 'instance' | 'conditions'>): boolean {
  return status.instance?.state === 'terminated' || wasProvedGone(status);
}
