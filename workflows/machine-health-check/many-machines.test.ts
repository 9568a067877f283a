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
  const sets = { [SET.uid]: setSight({ replicas: 500, living: 500 }) };

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
    course.look(NOW + 60 * MINUTE, found({ expected: 500, sets }));
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
