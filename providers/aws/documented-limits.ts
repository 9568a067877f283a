/**
 * The limits of EC2 per account, region and action, as AWS documents them for every new account ("Request throttling for
 * the Amazon EC2 API" in EC2's developer guide). AWS raises them on request; `--cloud-rates` tells Millwright of it.
 */

import type { RateRule } from '../rate-limits.ts';

/** The first that fits counts. */
export const EC2_LIMITS: readonly RateRule[] = [
  { actions: 'RunInstances', limit: { burst: 5, perSecond: 2, instances: { burst: 1_000, perSecond: 2 } } },
  { actions: 'TerminateInstances', limit: { burst: 100, perSecond: 5, instances: { burst: 1_000, perSecond: 20 } } },
  { actions: 'CreateTags', limit: { burst: 100, perSecond: 10 } },
  { actions: 'DeleteTags', limit: { burst: 100, perSecond: 10 } },
  { actions: 'DescribeUnfiltered*', limit: { burst: 50, perSecond: 10 } },
  { actions: 'Describe*', limit: { burst: 100, perSecond: 20 } },
  { actions: '*', limit: { burst: 50, perSecond: 5 } },
];

/**
 * The name that a call's limit goes by: a describe without filter and without page has a limit of its own, as
 * `DescribeUnfilteredSubnets`.
 */
export function limitedName(action: string, isNarrowed: boolean): string {
  return isNarrowed ? action : action.replace(/^Describe/, 'DescribeUnfiltered');
}
