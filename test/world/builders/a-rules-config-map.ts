import { CLUSTER_RULES } from '../../../k8s/dialects/openshift/health-check-kind.ts';
import { CONFIG_MAPS } from '../../../k8s/resources.ts';

/** The rules of the cluster, by which health checks go that have none of their own, as their text is written. */
export function aRulesConfigMap(text: string) {
  const { namespace, name, key } = CLUSTER_RULES;
  const { apiVersion, kind } = CONFIG_MAPS;
  const metadata = { name, namespace, uid: `uid-of-${name}` };
  return { apiVersion, kind, metadata, data: { [key]: text } };
}
