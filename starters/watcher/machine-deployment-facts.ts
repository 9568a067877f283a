import type { Api, MachineDeploymentKind, StoredObject } from '../../k8s/dialects/kind.ts';
import type { LabelSelector } from '../../k8s/model/machine-set.ts';
import { askedFor } from './machine-set-facts.ts';
import { keysOfNamed, type NamedKeys } from './object-key.ts';
import { ownFacts, type OwnFacts } from './own-facts.ts';

/** What the watcher keeps of a MachineDeployment. */
export interface MachineDeploymentFacts extends OwnFacts<'machineDeployment'>, Pick<NamedKeys, 'clusterKey'> {
  readonly selector: LabelSelector;
  /** As of a set. */
  readonly askedFor: string;
}

export function machineDeploymentFacts(
  object: StoredObject,
  kind: MachineDeploymentKind,
  api: Api,
): MachineDeploymentFacts {
  const read = kind.read(object);
  const { machineDeployment } = read;
  const { ref, selector } = machineDeployment;
  const { clusterName } = read;
  return {
    ...ownFacts(read, kind),
    selector,
    askedFor: askedFor(machineDeployment),
    ...keysOfNamed(api, ref.namespace, { clusterName, machineClass: undefined }),
  };
}
