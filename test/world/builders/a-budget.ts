import type { StoredBudget } from '../kubernetes/eviction.ts';
import { metadataOf } from './metadata.ts';

/** A PodDisruptionBudget of the pods with the label `app: <name>`, that its controller has not seen yet. */
export function aBudget(name: string, spec: Partial<NonNullable<StoredBudget['spec']>> = {}) {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: metadataOf(name, {}),
    spec: { selector: { matchLabels: { app: name } }, ...spec },
  };
}
