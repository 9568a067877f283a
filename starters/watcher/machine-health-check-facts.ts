import type { MachineHealthCheckKind, StoredObject } from '../../k8s/dialects/kind.ts';
import { conditionOf } from '../../k8s/model/condition.ts';
import type { LabelSelector } from '../../k8s/model/machine-set.ts';
import { ownFacts, type OwnFacts } from './own-facts.ts';

/** What the watcher keeps of a health check. */
export interface MachineHealthCheckFacts extends OwnFacts<'machineHealthCheck'> {
  readonly selector: LabelSelector;
  /** It cannot be read: what it had claimed is nobody's. */
  readonly isMalformed: boolean;
  /** Types of the conditions of Machines that it has rules on. */
  readonly machineConditions: readonly string[];
  /** It has no rules of its own. */
  readonly goesByClusterRules: boolean;
  /** How many Machines its status says that it selects. */
  readonly covered: number;
  /** It remediates none, since too many are unhealthy. */
  readonly isShortCircuited: boolean;
  /** It takes many unhealthy machines for a storm, and remediates none for that cause. */
  readonly isStormy: boolean;
}

export function machineHealthCheckFacts(object: StoredObject, kind: MachineHealthCheckKind): MachineHealthCheckFacts {
  const read = kind.read(object);
  const { machineHealthCheck, status } = read;
  const { selector, nodeRules, machineRules } = machineHealthCheck;
  return {
    ...ownFacts(read, kind),
    selector,
    isMalformed: machineHealthCheck.malformed !== undefined,
    machineConditions: machineRules.map(({ type }) => type),
    goesByClusterRules: nodeRules === undefined,
    covered: status.expectedMachines ?? 0,
    isShortCircuited: conditionOf(status.conditions, 'RemediationAllowed')?.reason === 'TooManyUnhealthy',
    isStormy: conditionOf(status.conditions, 'StormSuspected')?.status === 'True',
  };
}
