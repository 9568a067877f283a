import type { Api, MachineDeploymentKind, StoredObject } from '../../k8s/dialects/kind.ts';
import type { LabelSelector } from '../../k8s/model/machine-set.ts';
import { keysOfNamed, type NamedKeys } from './object-key.ts';
import { ownFacts, type OwnFacts } from './own-facts.ts';

/** What the watcher keeps of a MachineDeployment. */
export interface MachineDeploymentFacts extends OwnFacts<'machineDeployment'>, Pick<NamedKeys, 'clusterKey'> {
  readonly selector: LabelSelector;
}

export function machineDeploymentFacts(
  object: StoredObject,
  kind: MachineDeploymentKind,
  api: Api,
): MachineDeploymentFacts {
  const read = kind.read(object);
  const { ref, selector } = read.machineDeployment;
  const { clusterName } = read;
  return {
    ...ownFacts(read, kind),
    selector,
    ...keysOfNamed(api, ref.namespace, { clusterName, machineClass: undefined }),
  };
}
