import { describe, expect, it } from '@jest/globals';
import { Course, found, iso, MINUTE, notReady, NOT_READY, NOW, suspect } from './check-for-tests.ts';
import { statusOf } from './check-status.ts';
import type { FoundCheck } from './health-activities.ts';

const long = notReady({ changedAt: NOW - 60 * MINUTE });
const sick = (count: number) => Array.from({ length: count }, (_, at) => suspect(`m-${at}`, { causes: [long] }));

function told(changes: Partial<FoundCheck> = {}, at = NOW) {
  const seen = found(changes);
  return statusOf(seen, new Course().look(at, seen), at);
}

function conditions(changes: Partial<FoundCheck>): Record<string, string> {
  const all = told(changes)?.conditions ?? [];
  return Object.fromEntries(all.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}

describe('the status of a health check', () => {
  it('says how many are healthy, and is not written where it says so already', () => {
    const status = told();
    expect(status).toEqual({
      expectedMachines: 10,
      currentHealthy: 10,
      remediationsAllowed: 10,
      remediationsInFlight: 0,
      remediationsInFlightLimit: 2,
      observedGeneration: 1,
      conditions: [
        {
          type: 'RemediationAllowed',
          status: 'True',
          reason: 'RemediationAllowed',
          message: '0 of 10 machines are not healthy, which is not too many',
          lastTransitionTime: iso(NOW),
        },
      ],
      unhealthyMachines: [],
    });
    expect(told({ status: status ?? {} }, NOW + MINUTE)).toBeUndefined();
  });

  it.each<[string, Partial<FoundCheck>]>([
    ['another number of machines', { expected: 11 }],
    ['another generation', { generation: 2 }],
    ['a pause', { paused: true }],
    ['a machine that is not healthy', { suspects: sick(1) }],
  ])('is written for %s', (_words, change) => {
    expect(told({ status: told() ?? {}, ...change })).toBeDefined();
  });

  it.each<[string, Partial<FoundCheck>, Record<string, string>]>([
    ['none that is unhealthy', {}, { RemediationAllowed: 'True RemediationAllowed' }],
    [
      'too many',
      { suspects: sick(2), limits: { ...found().limits, maxUnhealthy: { count: 1 } } },
      { RemediationAllowed: 'False TooManyUnhealthy' },
    ],
    ['more than go at a time', { suspects: sick(4) }, { InFlightLimit: 'True AtLimit' }],
    ['a storm', { suspects: sick(6) }, { StormSuspected: 'True ManyAtOnce' }],
    [
      'a zone that is lost',
      {
        expected: 20,
        suspects: sick(3).map((one) => ({ ...one, zone: 'a' })),
        lostZones: [{ zone: 'a', nodes: 3, cause: NOT_READY, isAlone: true }],
      },
      { StormSuspected: 'True ZoneLost' },
    ],
    ['an outage', { outages: [{ from: iso(NOW - 1000) }] }, { ApiServerAway: 'True RecentOutage' }],
    ['a pause', { paused: true }, { Paused: 'True Paused' }],
    ['broken rules', { rulesProblem: 'no YAML' }, { RulesValid: 'False BrokenRules' }],
  ])('has the conditions of %s', (_words, changes, expected) => {
    expect(conditions(changes)).toEqual({ RemediationAllowed: 'True RemediationAllowed', ...expected });
  });

  it('takes conditions back that are over, and keeps since when others are', () => {
    const before = told({ paused: true });
    const after = told({ status: before ?? {} }, NOW + MINUTE);
    expect(after?.conditions).toMatchObject([{ type: 'RemediationAllowed', lastTransitionTime: iso(NOW) }]);
  });

  it('says the same of a machine at each look, until something happens', () => {
    const course = new Course();
    const seen = found({ suspects: [suspect('m', { causes: [notReady({ changedAt: NOW })] })] });
    const status = statusOf(seen, course.look(NOW, seen), NOW);
    const again = { ...seen, status: status ?? {} };
    for (const minute of [1, 2, 3, 4]) {
      const at = NOW + minute * MINUTE;
      expect(statusOf(again, course.look(at, again), at)).toBeUndefined();
    }
    const due = NOW + 5 * MINUTE;
    expect(statusOf(again, course.look(due, again), due)?.unhealthyMachines[0]?.next).toBe(
      'its deletion was asked for',
    );
  });

  it('names a hundred machines at most', () => {
    expect(told({ expected: 500, suspects: sick(140) })?.unhealthyMachines).toHaveLength(100);
  });
});
