import { countOf } from '../../k8s/model/count.ts';
import type { Brake } from './decision.ts';
import type { FoundCheck } from './health-activities.ts';
import { describeShare, shareOf } from './shares.ts';

/** How many more may turn unhealthy; and the brake, where too many are. */
export interface UnhealthyLimit {
  readonly allowed: number;
  readonly brake?: Brake & { readonly reason: 'TooManyUnhealthy' | 'TooFewUnhealthy' };
}

/** Everything that is selected and not plainly healthy counts: machines that are being deleted, or have no Node yet, too. */
export function limitUnhealthy({ expected, healthy, limits }: FoundCheck): UnhealthyLimit {
  const unhealthy = Math.max(0, expected - healthy);
  const { maxUnhealthy, unhealthyRange: range } = limits;
  const most = range?.to ?? Math.floor(shareOf(maxUnhealthy, expected));
  const isTooMany = unhealthy > most;
  const isWithin = !isTooMany && unhealthy >= (range?.from ?? 0);
  const allowed = isWithin ? most - unhealthy : 0;
  if (isWithin || unhealthy === 0) return { allowed };
  const rule =
    range === undefined
      ? `more than ${most} (spec.maxUnhealthy is ${describeShare(maxUnhealthy)})`
      : `not between ${range.from} and ${range.to} (spec.unhealthyInRange)`;
  const message = `${describeUnhealthy(unhealthy, expected)}, which is ${rule}: none is remediated`;
  return { allowed, brake: { reason: isTooMany ? 'TooManyUnhealthy' : 'TooFewUnhealthy', message } };
}

/** E.g. `3 of 50 machines are not healthy`. */
export function describeUnhealthy(unhealthy: number, expected: number): string {
  return `${unhealthy} of ${countOf(expected, 'machine', 'machines')} ${unhealthy === 1 || expected === 1 ? 'is' : 'are'} not healthy`;
}
