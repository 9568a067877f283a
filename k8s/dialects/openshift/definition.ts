import { join } from 'node:path';
import { findKubernetesFolder } from '../../install/manifests.ts';
import type { Resource } from '../../resources.ts';

/** Path of the definition of one of the kinds that come with Millwright. */
export function definitionOf({ apiVersion, plural }: Resource): string {
  const [group = ''] = apiVersion.split('/');
  return join(findKubernetesFolder(), 'crds', `${group}_${plural}.yaml`);
}
