import type { StoredObject } from '../../k8s/dialects/kind.ts';
import { CLUSTER_RULES, DEFAULT_CLUSTER_RULES, parseClusterRules } from '../../k8s/model/cluster-rules.ts';
import type { ConditionRule, MachineHealthCheck } from '../../k8s/model/machine-health-check.ts';
import { CONFIG_MAPS } from '../../k8s/resources.ts';
import type { FoundCheck } from '../../workflows/machine-health-check/health-activities.ts';
import type { KubeClient } from '../../k8s/client.ts';
import type { RulesRead } from '../../k8s/model/condition-rules.ts';
import type { ActivityDeps } from '../deps.ts';
import { readAllowed } from '../read-machines.ts';
import { readNamed } from '../read-stored.ts';
import type { Rules } from './see-health.ts';

/** What a check goes by: its own rules, or else the cluster's. */
interface ReadRules extends Pick<FoundCheck, 'clusterRules' | 'rulesProblem'> {
  readonly rules: Rules;
}

/** @param known the cluster's rules as they were read last: they stay in force where they cannot be read now */
export async function rulesOf(
  { kube }: Pick<ActivityDeps, 'kube'>,
  { nodeRules, machineRules, limits }: MachineHealthCheck,
  known: readonly ConditionRule[] = DEFAULT_CLUSTER_RULES,
): Promise<ReadRules> {
  if (nodeRules !== undefined) return { rules: { nodeRules, machineRules, limits } };
  const read = await readClusterRules(kube);
  const clusterRules = 'problem' in read ? known : read.rules;
  const rules = { nodeRules: clusterRules, machineRules, limits };
  if (!('problem' in read)) return { rules, clusterRules };
  const { namespace, name } = CLUSTER_RULES;
  const rulesProblem = `ConfigMap ${namespace}/${name}: ${read.problem}`;
  return { rules, clusterRules, rulesProblem };
}

async function readClusterRules(kube: KubeClient): Promise<RulesRead> {
  const { namespace, name, key } = CLUSTER_RULES;
  const { object, refused } = await readAllowed((...asked) => readNamed(kube, ...asked), CONFIG_MAPS, namespace, name);
  if (refused !== undefined) return { problem: refused };
  return object === undefined ? { rules: DEFAULT_CLUSTER_RULES } : parseClusterRules((object as ConfigMap).data?.[key]);
}

interface ConfigMap extends StoredObject {
  readonly data?: Readonly<Record<string, string>>;
}
