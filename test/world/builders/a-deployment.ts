import type { StoredDeployment } from '../../../k8s/model/deployment.ts';
import { given } from '../../../providers/given.ts';
import { metadataOf } from './metadata.ts';

type Spec = NonNullable<StoredDeployment['spec']>;

export interface DeploymentFacts {
  readonly name?: string;
  /** What its owner asks of drains. @default nothing */
  readonly asked?: string;
  /** @default 1 */
  readonly replicas?: number;
  readonly strategy?: Spec['strategy'];
  readonly paused?: boolean;
  readonly uid?: string;
  readonly generation?: number;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly templateAnnotations?: Readonly<Record<string, string>>;
  /** @default its rollout is over */
  readonly status?: StoredDeployment['status'];
}

/** A Deployment of pods with the label `app: <name>`. */
export function aDeployment(facts: DeploymentFacts = {}) {
  const {
    name = 'web',
    asked,
    replicas = 1,
    strategy,
    paused,
    uid,
    generation = 1,
    templateAnnotations,
    status,
  } = facts;
  const annotations = { ...given({ 'millwright.dev/drain': asked }), ...facts.annotations };
  const template = { metadata: { labels: { app: name }, ...given({ annotations: templateAnnotations }) } };
  const over = { replicas, updatedReplicas: replicas, availableReplicas: replicas };
  return {
    apiVersion: 'apps/v1' as const,
    kind: 'Deployment' as const,
    metadata: metadataOf(name, { annotations, generation, ...given({ uid }) }),
    spec: { replicas, selector: { matchLabels: { app: name } }, template, ...given({ strategy, paused }) },
    status: { observedGeneration: generation, ...over, ...status },
  };
}
