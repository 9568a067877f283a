import { describe, expect, it } from '@jest/globals';
import {
  begunOf,
  Course,
  failed,
  found,
  MINUTE,
  notReady,
  NOW,
  reasonsOf,
  SET,
  setSight,
  suspect,
} from './check-for-tests.ts';
import type { Suspect } from './health-activities.ts';
import { emptyHealthMemory } from './health-memory.ts';

function longBad(name: string): Suspect {
  return suspect(name, { causes: [notReady({ changedAt: NOW - 60 * MINUTE })] });
}

describe('500 machines', () => {
  const all = Array.from({ length: 450 }, (_, at) => `m-${at}`);
  const dead = all.slice(0, 3);
  const sets = { [SET.uid]: setSight() };

  it('of which 447 seem to be gone at once: only the three that are proved dead are replaced', () => {
    const course = new Course();
    course.look(NOW - 1000, found({ expected: 500, sets }));
    const silent = all
      .slice(3)
      .map((name, at) => suspect(name, { causes: [notReady({ changedAt: NOW + (at % 10) * 1000 })] }));
    const ended = dead.map((name) => suspect(name, { isProved: true, causes: [failed()] }));
    const first = course.look(NOW + 10_000, found({ expected: 500, sets, suspects: [...silent, ...ended] }));
    expect(begunOf(first).sort()).toEqual(dead);
    expect(reasonsOf(first)).toEqual(['ManyAtOnce']);
    expect(first.brakes[0]?.message).toContain('447 of 500');
    const leaving = ended.map((one) => ({ ...one, isDeleting: true }) as const);
    const begun = course.lookUntil(NOW + 11_000, NOW + 30 * MINUTE, () =>
      found({ expected: 500, sets, suspects: [...silent, ...leaving] }),
    );
    expect(begun).toEqual([]);
    // They come back.
    const back = course.look(NOW + 31 * MINUTE, found({ expected: 500, sets }));
    expect(back).toMatchObject({ begin: [], brakes: [], inFlight: { count: 0 } });
    course.look(NOW + 240 * MINUTE, found({ expected: 500, sets }));
    const { lookedAt: _at, rules: _rules, pace: _pace, ...rest } = course.memory;
    expect(rest).toEqual(emptyHealthMemory());
  });

  it('of which 20 are not Ready: all are replaced, five at a time', () => {
    const course = new Course();
    const remediation = { ...found().remediation, maxInFlight: { count: 5 } };
    let sick = all.slice(0, 20);
    const seenOf = (suspects: Suspect[]) => found({ expected: 500, sets, remediation, suspects });
    let began = 0;
    for (let round = 0; sick.length > 0; round += 1) {
      const decision = course.look(NOW + round * MINUTE, seenOf(sick.map((name) => longBad(name))));
      expect(decision.inFlight.count).toBe(5);
      expect(reasonsOf(decision)).toEqual(sick.length > 5 ? ['AtLimit'] : []);
      began += decision.begin.length;
      sick = sick.filter((name) => !begunOf(decision).includes(name));
    }
    expect(began).toBe(20);
  });
});

describe('10,000 machines, of which more are ill than one look can tell of', () => {
  const sets = { [SET.uid]: setSight() };
  const sick = (count: number, flapping = 0): Suspect[] =>
    Array.from({ length: count }, (_, at) => suspect(`m-${at}`, { causes: [notReady({ changedAt: NOW + flapping })] }));

  it('are a storm where most of those that are told are bad by one cause; it lasts while so many are', () => {
    const course = new Course();
    course.look(NOW - 1000, found({ expected: 10_000, sets }));
    const seen = found({ expected: 10_000, sets, suspects: sick(1000), untold: 2000, healthy: 7000 });
    const first = course.look(NOW + 1000, seen);
    expect(reasonsOf(first)).toEqual(['ManyAtOnce']);
    expect(course.look(NOW + 10 * MINUTE, seen).begin).toEqual([]);
    const fewer = found({ expected: 10_000, sets, suspects: sick(900) });
    course.look(NOW + 11 * MINUTE, fewer);
    expect(reasonsOf(course.look(NOW + 12 * MINUTE, fewer))).not.toContain('ManyAtOnce');
  });

  it('are none where the check says that there is none', () => {
    const remediation = { ...found().remediation, stormThreshold: { percent: 100 } };
    const seen = found({ expected: 10_000, sets, remediation, suspects: sick(1000), untold: 2000, healthy: 7000 });
    expect(reasonsOf(new Course().look(NOW + 10 * MINUTE, seen))).not.toContain('ManyAtOnce');
  });

  it('do not make the memory of the check great, be it that they come and go, or that all are remediated', () => {
    const course = new Course();
    const remediation = { ...found().remediation, maxInFlight: { percent: 100 }, stormThreshold: { percent: 100 } };
    const facts = { expected: 10_000, sets, remediation };
    for (let round = 0; round < 20; round += 1) {
      const from = (round % 10) * 1000;
      const some = Array.from({ length: 1000 }, (_, at) =>
        suspect(`m-${from + at}`, { causes: [notReady({ changedAt: NOW + round * 20_000 })] }),
      );
      course.look(NOW + round * 20_000, found({ ...facts, suspects: some, untold: 2000, healthy: 7000 }));
    }
    const long = sick(1000).map((one) => ({ ...one, causes: [notReady({ changedAt: NOW - 60 * MINUTE })] }));
    const last = course.look(NOW + 7 * MINUTE, found({ ...facts, generation: 2, suspects: long, untold: 2000 }));
    expect(last.inFlight).toEqual({ count: 500, limit: 500 });
    expect(JSON.stringify(course.memory).length).toBeLessThan(1_000_000);
  });
});
