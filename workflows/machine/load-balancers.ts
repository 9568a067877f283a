import type { Pass } from './pass.ts';

/** The condition that tells whether the instance is behind its load balancers. */
export const LOAD_BALANCERS_ATTACHED = 'LoadBalancersAttached';

/** What a launch was frozen with tells; an adopted instance's load balancers stand in the spec, which an activity reads. */
export function mayBeBalanced({ status: { launch } }: Pass): boolean {
  return launch === undefined || (launch.parameters.loadBalancers ?? []).length > 0;
}
