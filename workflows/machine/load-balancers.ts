import { asSummary } from '../summary.ts';
import type { BalanceAnswer } from './machine-activities.ts';
import type { Pass } from './pass.ts';
import { cloudCalls } from './ports.ts';
import { unanswered } from './unanswered.ts';

/** The condition that tells whether the instance is behind its load balancers. */
export const LOAD_BALANCERS_ATTACHED = 'LoadBalancersAttached';

/** What a launch was frozen with tells; an adopted instance's load balancers stand in the spec, which an activity reads. */
export function mayBeBalanced({ status: { launch } }: Pass): boolean {
  return launch === undefined || (launch.parameters.loadBalancers ?? []).length > 0;
}

/** Puts the instance behind its load balancers, or takes it from there. No answer is a failure, too. */
export async function askBalancers(pass: Pass, id: string, how: 'attach' | 'detach'): Promise<BalanceAnswer> {
  const calls = cloudCalls(pass.settings);
  const activity = how === 'attach' ? calls.attachLoadBalancers : calls.detachLoadBalancers;
  try {
    return await activity.executeWithOptions(
      { summary: asSummary(`${how} ${id} ${how === 'attach' ? 'to' : 'from'} its load balancers`) },
      [{ ...pass.target, id }],
    );
  } catch (error) {
    return { outcome: 'failed', failure: unanswered(error, `asking the load balancers to ${how} ${id}`) };
  }
}
