import { describe, expect, it } from '@jest/globals';
import type { HealthLimits } from '../../k8s/model/machine-health-check.ts';
import { begunOf, Course, found, MINUTE, notReady, NOW, rowOf, suspect } from './check-for-tests.ts';
import { describeUnhealthy, limitUnhealthy } from './too-many.ts';

function limited(limits: Partial<HealthLimits>, unhealthy: number, expected = 5) {
  const seen = found({ expected, healthy: expected - unhealthy });
  return limitUnhealthy({ ...seen, limits: { ...seen.limits, ...limits } });
}

describe('how many may be unhealthy', () => {
  it.each<[string, Partial<HealthLimits>, number, number | 'none']>([
    ['100%', { maxUnhealthy: { percent: 100 } }, 5, 0],
    ['40% of five', { maxUnhealthy: { percent: 40 } }, 2, 0],
    ['40% of five', { maxUnhealthy: { percent: 40 } }, 3, 'none'],
    ['50% of five, rounded down', { maxUnhealthy: { percent: 50 } }, 2, 0],
    ['50% of five, rounded down', { maxUnhealthy: { percent: 50 } }, 3, 'none'],
    ['3', { maxUnhealthy: { count: 3 } }, 1, 2],
    ['0', { maxUnhealthy: { count: 0 } }, 1, 'none'],
    ['0', { maxUnhealthy: { count: 0 } }, 0, 0],
    ['[2-3]', { unhealthyRange: { from: 2, to: 3 } }, 1, 'none'],
    ['[2-3]', { unhealthyRange: { from: 2, to: 3 } }, 2, 1],
    ['[2-3]', { unhealthyRange: { from: 2, to: 3 } }, 3, 0],
    ['[2-3]', { unhealthyRange: { from: 2, to: 3 } }, 4, 'none'],
    ['[2-3]', { unhealthyRange: { from: 2, to: 3 } }, 0, 0],
  ])('of five is %s; with %j, %i unhealthy leave %s', (_words, limits, unhealthy, left) => {
    const { allowed, brake } = limited(limits, unhealthy);
    expect(brake === undefined ? allowed : 'none').toBe(left);
    expect(allowed).toBeGreaterThanOrEqual(0);
  });

  it('is told with the numbers', () => {
    expect(limited({ maxUnhealthy: { percent: 40 } }, 3).brake?.message).toBe(
      '3 of 5 machines are not healthy, which is more than 2 (spec.maxUnhealthy is 40%): none is remediated',
    );
    expect(limited({ maxUnhealthy: { count: 0 } }, 1).brake?.message).toContain('1 of 5 machines is not healthy');
    expect(describeUnhealthy(0, 1)).toBe('0 of 1 machine is not healthy');
  });

  it.each([
    [1, 'until more machines are unhealthy (RemediationAllowed)'],
    [4, 'until fewer machines are unhealthy (RemediationAllowed)'],
  ])('has %i wait, outside of a range from two to three, %s', (count, words) => {
    const limits = { ...found().limits, unhealthyRange: { from: 2, to: 3 } };
    const long = notReady({ changedAt: NOW - 60 * MINUTE });
    const suspects = Array.from({ length: count }, (_, at) => suspect(`m-${at}`, { causes: [long] }));
    expect(rowOf(new Course().look(NOW, found({ limits, suspects })), 'm-0').next).toBe(`waits ${words}`);
  });

  it('holds up all, also those that a person wants remediated; and is told once', () => {
    const course = new Course();
    const limits = { ...found().limits, maxUnhealthy: { count: 1 } };
    const long = notReady({ changedAt: NOW - 60 * MINUTE });
    const suspects = ['a', 'b'].map((name) => suspect(name, { causes: [long] }));
    const seen = found({ limits, suspects });
    const first = course.look(NOW, seen);
    expect(begunOf(first)).toEqual([]);
    expect(first.events.filter(({ reason }) => reason === 'RemediationRestricted')).toHaveLength(1);
    expect(course.look(NOW + MINUTE, seen).events).toEqual([]);
    expect(begunOf(course.look(NOW + 2 * MINUTE, found({ limits, suspects: suspects.slice(1) })))).toEqual(['b']);
  });

  it('is not told anew each time that one machine more or less is unhealthy; only where that was over for ten minutes', () => {
    const course = new Course();
    const limits = { ...found().limits, maxUnhealthy: { count: 1 } };
    const at = (minutes: number, unhealthy: number): string[] => {
      const suspects = ['a', 'b'].slice(0, unhealthy).map((name) => suspect(name, { isDeleting: true, causes: [] }));
      const { events } = course.look(NOW + minutes * MINUTE, found({ limits, suspects }));
      return events.map(({ reason }) => reason);
    };
    expect(at(0, 2)).toEqual(['RemediationRestricted']);
    for (const minutes of [1, 2, 3, 9]) expect([...at(minutes, 1), ...at(minutes + 0.5, 2)]).toEqual([]);
    // It lasts.
    expect(at(60, 2)).toEqual([]);
    expect(at(61, 1)).toEqual([]);
    expect(at(70.5, 2)).toEqual(['RemediationRestricted']);
  });
});
