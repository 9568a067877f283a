import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import type { Kind } from './kinds.ts';
import type { KubeObject } from './kube-object.ts';
import { deniedByPolicy } from './refusals.ts';

type Policy = NonNullable<MachineObject['spec']['deletionPolicy']>;

/** From the most careful to the least: while a deletion is under way a policy only goes on in this order. */
const ORDER: readonly Policy[] = ['graceful', 'unsafe', 'forced'];

/** Refuses a change of an object, its status aside, that a policy under `k8s/policies` refuses: of those, what people run into here. */
export function refuseByPolicies({ resource }: Kind, before: KubeObject, after: KubeObject): void {
  if (resource.plural !== MACHINES.plural || resource.apiVersion !== MACHINES.apiVersion) return;
  const [old, now] = [specOf(before), specOf(after)];
  const isUnderWay = after.metadata.deletionTimestamp !== undefined || (old.delete === true && now.delete === true);
  const [was, is] = [old.deletionPolicy ?? 'graceful', now.deletionPolicy ?? 'graceful'];
  if (!isUnderWay || ORDER.indexOf(is) >= ORDER.indexOf(was)) return;
  const why = `spec.deletionPolicy cannot be changed from ${was} to ${is} while the deletion is under way: it may only be lowered, from graceful to unsafe to forced`;
  throw deniedByPolicy(resource, after.metadata.name, 'machine-deletion-policy.millwright.dev', why);
}

function specOf(object: KubeObject): Partial<MachineObject['spec']> {
  return object['spec'] ?? {};
}
