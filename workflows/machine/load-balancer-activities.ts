import type { InstanceAddress, LoadBalancer } from '../../providers/provider.ts';
import type { CloudFailure } from './launch-record.ts';
import type { MachineTarget } from './machine-activities.ts';

/** What a machine asks of the load balancers that its instance is behind. */
export interface LoadBalancerActivities {
  /** Puts the instance behind the load balancers of its launch, or of its spec where there was no launch. */
  attachLoadBalancers(request: BalanceInstance): Promise<BalanceAnswer>;
  /** Takes the instance from behind its load balancers. */
  detachLoadBalancers(request: BalanceInstance): Promise<BalanceAnswer>;
}

export interface BalanceInstance extends MachineTarget {
  readonly id: string;
  /** The workflow saw the launch answer with this id. @default a look proves whose it is before it is touched */
  readonly isKnownOwn?: true;
  /**
   * Its addresses, as the cloud told this workflow: those in a status may have been written by others.
   * @default the cloud is asked; of an instance that has ended it tells none
   */
  readonly told?: readonly InstanceAddress[];
}

export type BalanceAnswer =
  /** Names of the load balancers it is about; empty: there are none. */
  | { readonly outcome: 'done'; readonly loadBalancers: readonly string[] }
  | { readonly outcome: 'failed'; readonly failure: CloudFailure };

/** What an instance is behind. */
export interface Balanced {
  readonly loadBalancers: readonly LoadBalancer[];
  /** As the cloud told them; of one that has ended it tells none any more. @default not known */
  readonly addresses?: readonly InstanceAddress[];
}
