/** Where in its life a machine waits: `status.waiting.step`. */
export type WaitStep =
  | 'AttachLoadBalancers'
  | 'BecomeUsable'
  | 'DeleteMachine'
  | 'DetachLoadBalancers'
  | 'DetachVolumes'
  | 'Drain'
  | 'Finalizers'
  | 'InspectInstance'
  | 'JoinCluster'
  | 'Kubernetes'
  | 'Launch'
  | 'LifecycleHooks'
  | 'Paused'
  | 'ReadObject'
  | 'Reboot'
  | 'Release'
  | 'SettleLaunch'
  | 'TakeTurn'
  | 'Terminate'
  | 'Uncordon'
  | 'VacateNode';

/** Where a paused machine waits: by it the end of its pause is seen. */
export const PAUSED_STEP = 'Paused' satisfies WaitStep;
