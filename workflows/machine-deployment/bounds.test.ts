import { describe, expect, it } from '@jest/globals';
import { boundsOf } from './bounds.ts';

const rolling = (replicas: number, maxSurge: number | string, maxUnavailable: number | string) =>
  boundsOf({ replicas, strategy: { type: 'RollingUpdate', maxSurge, maxUnavailable } });

describe('the bounds', () => {
  it('are rounded as those of Deployments', () => {
    expect(rolling(10, '25%', '25%')).toEqual({ maxSurge: 3, maxUnavailable: 2 });
    expect(rolling(1, 0, '50%')).toEqual({ maxSurge: 0, maxUnavailable: 1 });
    expect(rolling(3, '0%', '10%')).toEqual({ maxSurge: 0, maxUnavailable: 1 });
    expect(rolling(3, 1, 0)).toEqual({ maxSurge: 1, maxUnavailable: 0 });
    expect(rolling(9, 2, 2)).toEqual({ maxSurge: 2, maxUnavailable: 2 });
    expect(rolling(2, 0, 5)).toEqual({ maxSurge: 0, maxUnavailable: 2 });
  });

  it('are 0 by what is no number', () => {
    expect(rolling(3, 'many', 'all')).toEqual({ maxSurge: 0, maxUnavailable: 1 });
  });

  it('are those of its type where machines are not replaced step by step', () => {
    const others = { maxSurge: 2, maxUnavailable: 2 };
    expect(boundsOf({ replicas: 5, strategy: { type: 'Recreate', ...others } })).toEqual({
      maxSurge: 0,
      maxUnavailable: 5,
    });
    expect(boundsOf({ replicas: 5, strategy: { type: 'OnDelete', ...others } })).toEqual({
      maxSurge: 1,
      maxUnavailable: 0,
    });
  });
});
