/** Limits of calls as EC2 has them: buckets of requests and of instances, for each account, region and action. */

import type { RateLimit, TokenBucket } from '../../../providers/rate-limits.ts';
import { CloudError } from './cloud-error.ts';

/** A call as the limits see it. */
export interface LimitedCall {
  readonly account: string;
  readonly region: string;
  readonly action: string;
  /** How many instances it makes or changes. */
  readonly instances: number;
}

/** What is in a bucket. */
export interface Level {
  tokens: number;
  at: number;
}

/** The level of this bucket now: full where it is new, else with what came back since the last look. */
export function levelOf(
  levels: Map<string, Level>,
  key: string,
  { burst, perSecond }: TokenBucket,
  now: number,
): Level {
  const level = levels.get(key) ?? { tokens: burst, at: now };
  level.tokens = Math.min(burst, level.tokens + (Math.max(0, now - level.at) / 1000) * perSecond);
  level.at = now;
  levels.set(key, level);
  return level;
}

export class RequestLimits {
  readonly #levels = new Map<string, Level>();
  readonly #limitOf: (action: string) => RateLimit | undefined;
  readonly #now: () => number;

  /** @param now milliseconds */
  constructor(limitOf: (action: string) => RateLimit | undefined, now: () => number) {
    this.#limitOf = limitOf;
    this.#now = now;
  }

  /** Takes the call's tokens. Throws RequestLimitExceeded where there are too few; then none is taken. */
  admit({ account, region, action, instances }: LimitedCall): void {
    const limit = this.#limitOf(action);
    if (limit === undefined) return;
    const key = `${account} ${region} ${action}`;
    const now = this.#now();
    const requests = levelOf(this.#levels, `${key} requests`, limit, now);
    const ofInstances = limit.instances && levelOf(this.#levels, `${key} instances`, limit.instances, now);
    if (requests.tokens < 1 || (ofInstances !== undefined && ofInstances.tokens < instances)) {
      throw new CloudError('RequestLimitExceeded', 'Request limit exceeded.');
    }
    requests.tokens -= 1;
    if (ofInstances !== undefined) ofInstances.tokens -= instances;
  }
}
