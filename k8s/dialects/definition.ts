import { join } from 'node:path';
import { findKubernetesFolder } from '../kubernetes-folder.ts';
import type { Resource } from '../resources.ts';
import type { AdmissionPolicy, PolicyProbe } from './kind.ts';
import { given } from '../../providers/given.ts';

/** Path of the definition of one of the kinds. */
export function definitionOf({ apiVersion, plural }: Resource): string {
  const [group = ''] = apiVersion.split('/');
  return join(findKubernetesFolder(), 'crds', `${group}_${plural}.yaml`);
}

export function policyOf(name: string, probe?: PolicyProbe): AdmissionPolicy {
  return {
    name: `${name}.millwright.dev`,
    manifest: join(findKubernetesFolder(), 'policies', `${name}.yaml`),
    ...given({ probe }),
  };
}
