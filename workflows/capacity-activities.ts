import type { ObjectTarget } from './object-target.ts';

/** The port of those that cluster-autoscaler scales: sets and deployments. */
export interface CapacityActivities {
  /**
   * Says on the object what a Node of it will be like, as far as nobody else says so. Safe to repeat. `unknown`: nobody tells what that is, and
   * cluster-autoscaler can make nothing of it while it has no Node.
   */
  tellCapacity(target: ObjectTarget): Promise<CapacityAnswer>;
}

export type CapacityAnswer = { readonly outcome: 'told' } | { readonly outcome: 'unknown'; readonly message: string };
