/** Ids in the ARNs that a spec may give instead of them. */

import { invalidField, shortJson } from '../invalid-spec.ts';
import type { ResourceReference } from './provider-spec.ts';

/** What can be named by its id or by its ARN, and the word for it in an ARN of EC2. */
export type ResourceKind = 'image' | 'subnet' | 'security-group';

/**
 * The id a reference gives, by itself or in its ARN; undefined: it gives filters.
 * @param field e.g. `providerSpec.value.ami`
 * @throws ProviderError InvalidArgument where the ARN is of something else
 */
export function idOf(reference: ResourceReference, kind: ResourceKind, field: string): string | undefined {
  const { id, arn } = reference;
  if (id !== undefined) return id;
  if (arn === undefined) return undefined;
  const inArn = new RegExp(`^arn:[^:]+:ec2:[^:]*:[^:]*:${kind}/([A-Za-z0-9-]+)$`).exec(arn)?.[1];
  if (inArn !== undefined) return inArn;
  throw invalidField(`${field}.arn`, `${field}.arn: must be the ARN of EC2 for a ${kind}, is ${shortJson(arn)}`);
}
