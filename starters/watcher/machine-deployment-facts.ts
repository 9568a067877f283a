import type { Api, MachineDeploymentKind, StoredObject } from '../../k8s/dialects/kind.ts';
import { conditionOf } from '../../k8s/model/condition.ts';
import type { MachineDeploymentStatus } from '../../k8s/model/machine-deployment.ts';
import { isTroubled } from '../../k8s/model/trouble.ts';
import { given } from '../../providers/given.ts';
import type { LabelSelector } from '../../k8s/model/machine-set.ts';
import { askedFor } from './machine-set-facts.ts';
import { keysOfNamed, type NamedKeys } from './object-key.ts';
import { ownFacts, type OwnFacts } from './own-facts.ts';

/** What the watcher keeps of a MachineDeployment. */
export interface MachineDeploymentFacts extends OwnFacts<'machineDeployment'>, Pick<NamedKeys, 'clusterKey'> {
  readonly selector: LabelSelector;
  /** As of a set. */
  readonly askedFor: string;
  /** Why its rollout stands still or waits, where that is trouble: the reason of its condition Progressing. */
  readonly rolloutTrouble?: string;
}

export function machineDeploymentFacts(
  object: StoredObject,
  kind: MachineDeploymentKind,
  api: Api,
): MachineDeploymentFacts {
  const read = kind.read(object);
  const { machineDeployment, status } = read;
  const { ref, selector } = machineDeployment;
  const { clusterName } = read;
  return {
    ...ownFacts(read, kind),
    selector,
    askedFor: askedFor(machineDeployment),
    ...given({ rolloutTrouble: rolloutTroubleOf(status) }),
    ...keysOfNamed(api, ref.namespace, { clusterName, machineClass: undefined }),
  };
}

function rolloutTroubleOf({ conditions = [] }: Partial<MachineDeploymentStatus>): string | undefined {
  const progressing = conditionOf(conditions, 'Progressing');
  return progressing !== undefined && isTroubled(progressing) ? progressing.reason : undefined;
}
