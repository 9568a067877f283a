import type { StoredObject } from '../k8s/dialects/kind.ts';
import type { MachineDeployment } from '../k8s/model/machine-deployment.ts';
import type { MachineSet } from '../k8s/model/machine-set.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import { timestamp } from '../providers/clock.ts';
import type { ActivityDeps } from './deps.ts';
import type { ReadMachine } from './effective-spec.ts';
import { completeMachine } from './read-machines.ts';
import { readNamed } from './read-stored.ts';

type Deps = Pick<ActivityDeps, 'kube' | 'apis' | 'providers' | 'clock'>;

/** A Machine that a set would make, completed by its class and its Cluster. */
export function futureMachineOf(
  { kube, apis, providers, clock }: Deps,
  set: MachineSet,
  ref: ObjectRef,
): Promise<ReadMachine> {
  const made = asStored({ clock }, apis.setsOf(ref).newMachine(set, ref.name), ref);
  const read = apis.machinesOf(ref).read(made);
  return completeMachine({ providers, readSource: (...asked) => readNamed(kube, ...asked) }, apis.apiOf(ref), read);
}

/** The set that a deployment would make of its template as it is now. */
export function futureSetOf(
  { apis, clock }: Pick<Deps, 'apis' | 'clock'>,
  deployment: MachineDeployment,
  revision: number,
): MachineSet {
  const { ref } = deployment;
  const { newMachineSet, setNameOf } = apis.kindOf('machineDeployment', ref);
  const made = newMachineSet(deployment, { name: setNameOf(deployment), revision });
  return apis.setsOf(ref).read(asStored({ clock }, made, ref)).machineSet;
}

/** As if the API server had it. */
function asStored(
  { clock }: Pick<Deps, 'clock'>,
  object: { readonly metadata: object },
  { uid }: ObjectRef,
): StoredObject {
  const made = { uid, generation: 1, resourceVersion: '', creationTimestamp: timestamp(clock) };
  return { ...object, metadata: { ...object.metadata, ...made } } as StoredObject;
}
