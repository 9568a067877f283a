import type { InstanceOwner } from './provider.ts';

/** The Machine that a call is made for, as errors name it. */
export function describeOwner({ namespace, name, uid }: InstanceOwner): string {
  return `machine ${namespace}/${name} (${uid})`;
}
