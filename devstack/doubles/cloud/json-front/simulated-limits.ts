import type { RateLimit } from '../../../../providers/rate-limits.ts';

/** The simulated cloud's limits of calls, where it has any: those that EC2 documents. */
export const SIMULATED_LIMITS: Readonly<Record<string, RateLimit>> = {
  launch: { burst: 5, perSecond: 2, instances: { burst: 1_000, perSecond: 2 } },
  terminate: { burst: 100, perSecond: 5, instances: { burst: 1_000, perSecond: 20 } },
  tag: { burst: 100, perSecond: 10 },
  describe: { burst: 100, perSecond: 20 },
  catalog: { burst: 100, perSecond: 20 },
};
