import type { StoredObject } from '../../k8s/dialects/kind.ts';
import { DEFAULT_CLUSTER_RULES, parseClusterRules, type RulesPlace } from '../../k8s/model/cluster-rules.ts';
import type { ConditionRule, MachineHealthCheck } from '../../k8s/model/machine-health-check.ts';
import { CONFIG_MAPS } from '../../k8s/resources.ts';
import type { FoundCheck } from '../../workflows/machine-health-check/health-activities.ts';
import type { KubeClient } from '../../k8s/client.ts';
import type { RulesRead } from '../../k8s/model/condition-rules.ts';
import type { ActivityDeps } from '../deps.ts';
import { readAllowed } from '../read-machines.ts';
import { readNamed } from '../read-stored.ts';
import { given } from '../../providers/given.ts';
import type { Rules } from './see-health.ts';

/** What a check goes by: its own rules, or else the cluster's. */
interface ReadRules extends Pick<FoundCheck, 'clusterRules' | 'rulesProblem'> {
  readonly rules: Rules;
}

/** @param known the cluster's rules as they were read last: they stay in force where they cannot be read now */
export async function rulesOf(
  { kube, apis }: Pick<ActivityDeps, 'kube' | 'apis'>,
  { ref, nodeRules, machineRules, limits }: MachineHealthCheck,
  known: readonly ConditionRule[] = DEFAULT_CLUSTER_RULES,
): Promise<ReadRules> {
  if (nodeRules !== undefined) return { rules: { nodeRules, machineRules, limits } };
  const read = await readClusterRules(kube, apis.kindOf('machineHealthCheck', ref).clusterRules);
  const clusterRules = 'problem' in read ? known : read.rules;
  return {
    rules: { nodeRules: clusterRules, machineRules, limits },
    clusterRules,
    ...given({ rulesProblem: 'problem' in read ? read.problem : undefined }),
  };
}

async function readClusterRules(kube: KubeClient, place: RulesPlace | undefined): Promise<RulesRead> {
  if (place === undefined) return { rules: DEFAULT_CLUSTER_RULES };
  const { namespace, name, key } = place;
  const { object, refused } = await readAllowed((...asked) => readNamed(kube, ...asked), CONFIG_MAPS, namespace, name);
  const told = (problem: string): RulesRead => ({ problem: `ConfigMap ${namespace}/${name}: ${problem}` });
  if (refused !== undefined) return told(refused);
  if (object === undefined) return { rules: DEFAULT_CLUSTER_RULES };
  const read = parseClusterRules((object as ConfigMap).data ?? {}, key);
  return 'problem' in read ? told(read.problem) : read;
}

interface ConfigMap extends StoredObject {
  readonly data?: Readonly<Record<string, string>>;
}
