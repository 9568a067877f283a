import type { MachineDeployment, RolloutStrategy } from '../../k8s/model/machine-deployment.ts';
import { scaledValue } from '../../k8s/model/scaled-value.ts';

/** How far a deployment may be from its replicas, in Machines. */
export interface Bounds {
  /** Beyond replicas, those included that are being deleted. */
  readonly maxSurge: number;
  /** Below replicas, of those that are available. */
  readonly maxUnavailable: number;
}

interface BoundsGiven extends Pick<MachineDeployment, 'replicas'> {
  readonly strategy: Pick<RolloutStrategy, 'type' | 'maxSurge' | 'maxUnavailable'>;
}

/** OnDelete: what somebody deletes is replaced at once, one at a time. */
const ON_DELETE_SURGE = 1;

/**
 * The bounds as numbers. Rounded as Kubernetes' Deployments do: the surge up, what is unavailable down, and one may be
 * unavailable where both come to 0.
 */
export function boundsOf({ replicas, strategy }: BoundsGiven): Bounds {
  switch (strategy.type) {
    case 'Recreate':
      return { maxSurge: 0, maxUnavailable: replicas };
    case 'OnDelete':
      return { maxSurge: ON_DELETE_SURGE, maxUnavailable: 0 };
    case 'RollingUpdate': {
      const maxSurge = scaledValue(strategy.maxSurge, replicas, Math.ceil);
      const maxUnavailable = Math.min(replicas, scaledValue(strategy.maxUnavailable, replicas, Math.floor));
      return maxSurge + maxUnavailable === 0 ? { maxSurge, maxUnavailable: 1 } : { maxSurge, maxUnavailable };
    }
  }
}
