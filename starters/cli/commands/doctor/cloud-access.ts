import { cloudOf } from '../../../../activities/cloud-of.ts';
import { completeMachine, createSharedRead, listIfServed, listMachines } from '../../../../activities/read-machines.ts';
import { placeKey, type Place } from '../../../../activities/place.ts';
import type { ReadMachine } from '../../../../activities/effective-spec.ts';
import type { KubeClient } from '../../../../k8s/client.ts';
import type { ApiRegistry } from '../../../../k8s/dialects/registry.ts';
import { systemClock } from '../../../../providers/clock.ts';
import { ProviderError } from '../../../../providers/provider-error.ts';
import type { ProviderRegistry } from '../../../../providers/registry.ts';

/** Credentials that some Machines or MachineSets call a cloud with. */
export interface CloudAccess extends Place {
  /** E.g. `Machine default/web-1`. */
  readonly usedBy: string[];
}

/** Why it cannot be told which credentials some Machines or MachineSets use. */
export interface UntoldAccess {
  readonly message: string;
  readonly objects: string[];
}

interface Deps {
  readonly kube: KubeClient;
  readonly apis: ApiRegistry;
  readonly providers: ProviderRegistry;
}

/**
 * Each distinct provider, Secret and region once, of all Machines and of what all MachineSets would make.
 * @param inNamespace of this Kubernetes namespace only
 */
export async function findCloudAccesses(
  deps: Deps,
  inNamespace: string | undefined,
): Promise<{ readonly accesses: readonly CloudAccess[]; readonly untold: readonly UntoldAccess[] }> {
  const accesses = new Map<string, CloudAccess>();
  const untold = new Map<string, UntoldAccess>();
  const note = (object: string, { machine, spec }: ReadMachine): void => {
    try {
      const place = cloudOf(deps, machine, spec);
      const key = placeKey(place);
      const access = accesses.get(key) ?? { ...place, usedBy: [] };
      access.usedBy.push(object);
      accesses.set(key, access);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      const { message } = error;
      const one = untold.get(message) ?? { message, objects: [] };
      one.objects.push(object);
      untold.set(message, one);
    }
  };
  for (const read of await listMachines(deps)) {
    const { namespace, name } = read.machine.ref;
    if (inNamespace !== undefined && namespace !== inNamespace) continue;
    note(`Machine ${namespace}/${name}`, read);
  }
  const readSource = createSharedRead(deps.kube, systemClock);
  for (const api of deps.apis.apis) {
    const { machine, machineSet } = api;
    if (machine === undefined || machineSet === undefined) continue;
    for (const stored of await listIfServed(deps.kube, machineSet.resource)) {
      const { machineSet: set } = machineSet.read(stored);
      const { namespace, name, uid } = set.ref;
      if (set.malformed !== undefined || (inNamespace !== undefined && namespace !== inNamespace)) continue;
      const made = machineSet.newMachine(set, name);
      // It would get an identity of its own.
      const identity = { uid, resourceVersion: '', generation: 1, creationTimestamp: '' };
      const read = machine.read({ ...made, metadata: { ...made.metadata, ...identity } });
      note(
        `MachineSet ${namespace}/${name}`,
        await completeMachine({ providers: deps.providers, readSource }, api, read),
      );
    }
  }
  return { accesses: [...accesses.values()], untold: [...untold.values()] };
}
