import { describe, expect, it } from '@jest/globals';
import { EC2_LIMITS } from '../../../providers/aws/documented-limits.ts';
import { limitOf } from '../../../providers/rate-limits.ts';
import { CloudError } from './cloud-error.ts';
import { RequestLimits, type LimitedCall } from './request-limits.ts';

const LAUNCH: LimitedCall = { account: 'one', region: 'r', action: 'RunInstances', instances: 1 };

class Limited {
  now = 0;
  readonly #limits = new RequestLimits(
    (action) => limitOf(EC2_LIMITS, action),
    () => this.now,
  );

  /** How many of so many calls at once are let in. */
  admitted(calls: number, more: Partial<LimitedCall> = {}): number {
    let admitted = 0;
    for (let i = 0; i < calls; i += 1) {
      try {
        this.#limits.admit({ ...LAUNCH, ...more });
        admitted += 1;
      } catch (error) {
        if (!(error instanceof CloudError) || error.code !== 'RequestLimitExceeded') throw error;
      }
    }
    return admitted;
  }
}

describe('limits as EC2 has them', () => {
  it('let a burst through, then as many as come back each second, and no more than a burst after a pause', () => {
    const limited = new Limited();
    expect(limited.admitted(20)).toBe(5);
    limited.now = 1_000;
    expect(limited.admitted(20)).toBe(2);
    limited.now = 1_400;
    expect(limited.admitted(20)).toBe(0);
    limited.now = 60_000;
    expect(limited.admitted(20)).toBe(5);
  });

  it('take nothing for a call that is refused', () => {
    const limited = new Limited();
    expect(limited.admitted(1, { action: 'TerminateInstances', instances: 990 })).toBe(1);
    expect(limited.admitted(50, { action: 'TerminateInstances', instances: 11 })).toBe(0);
    expect(limited.admitted(50, { action: 'TerminateInstances', instances: 1 })).toBe(10);
  });

  it('are those of each account, region and action by itself', () => {
    const limited = new Limited();
    expect(limited.admitted(20)).toBe(5);
    expect(limited.admitted(20, { account: 'two' })).toBe(5);
    expect(limited.admitted(20, { region: 'other' })).toBe(5);
    expect(limited.admitted(200, { action: 'DescribeInstances' })).toBe(100);
    expect(limited.admitted(200, { action: 'DescribeUnfilteredInstances' })).toBe(50);
    expect(limited.admitted(200, { action: 'CreateTags' })).toBe(100);
    expect(limited.admitted(200, { action: 'ModifyInstanceAttribute' })).toBe(50);
  });
});
