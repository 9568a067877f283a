import type { MachineDeployment } from '../../../../k8s/model/machine-deployment.ts';
import type { ObjectRef } from '../../../../k8s/model/object-ref.ts';
import type { MachineReading, MachineSetReading } from '../../../../k8s/model/reading.ts';
import { asKnownToSets } from '../../../../k8s/model/template-hash.ts';
import { systemClock, type Clock } from '../../../../providers/clock.ts';
import { findObject, listObjects, type Found } from '../../access/find-object.ts';
import { openKube, type KubeAccess } from '../../access/kube-access.ts';
import type { GlobalOptions } from '../../flags/global-options.ts';

/** What the commands see and act through. */
export interface RolloutParts {
  readonly access: KubeAccess;
  readonly clock: Clock;
  readonly print: (line: string) => void;
}

export function rolloutParts(options: GlobalOptions): RolloutParts {
  return { access: openKube(options), clock: systemClock, print: console.log };
}

export type FoundDeployment = Found<'machineDeployment'>;

export function findDeployment({ access }: RolloutParts, name: string): Promise<FoundDeployment> {
  return findObject(access, 'machineDeployment', name);
}

/** The sets of a deployment, by their revision, the oldest first. */
export async function setsOf(parts: RolloutParts, { read }: FoundDeployment): Promise<MachineSetReading[]> {
  const { ref } = read.meta;
  const mine = (await setsBeside(parts, ref)).filter(({ machineSet }) => machineSet.deployment?.uid === ref.uid);
  return mine.sort((a, b) => a.machineSet.revision - b.machineSet.revision);
}

/** The deployment; its template goes by the hash that its sets have for it. */
export function knownDeployment({ read }: FoundDeployment, sets: readonly MachineSetReading[]): MachineDeployment {
  return asKnownToSets(
    read.machineDeployment,
    sets.map(({ machineSet }) => machineSet),
  );
}

/** The sets of a deployment's namespace, whoever has them. */
export async function setsBeside({ access }: RolloutParts, ref: ObjectRef): Promise<MachineSetReading[]> {
  const found = await listObjects(access, 'machineSet', { namespace: ref.namespace });
  const kind = access.apis.setsOf(ref);
  return found.flatMap((each) => (each.kind === kind ? each.read : []));
}

/** The Machines of a deployment's namespace: which of them are of its sets, these tell. */
export async function machinesOf({ access }: RolloutParts, { read }: FoundDeployment): Promise<MachineReading[]> {
  const { namespace } = read.meta.ref;
  return (await listObjects(access, 'machine', { namespace })).map((each) => each.read);
}

/** As kubectl names it: `machinedeployment.machine.openshift.io/pool`. */
export function nameOf({ kind, read }: FoundDeployment): string {
  const [group = ''] = kind.resource.apiVersion.split('/');
  return `${kind.resource.kind.toLowerCase()}.${group}/${read.meta.ref.name}`;
}
