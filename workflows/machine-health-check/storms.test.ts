import { describe, expect, it } from '@jest/globals';
import { given } from '../../providers/given.ts';
import {
  begunOf,
  Course,
  failed,
  found,
  iso,
  MINUTE,
  neverJoined,
  notReady,
  NOT_READY,
  NOW,
  reasonsOf,
  rowOf,
  SET,
  setSight,
  suspect,
  wished,
} from './check-for-tests.ts';
import type { FoundCheck, SeenCause, Suspect } from './health-activities.ts';
import { emptyHealthMemory, type HealthMemory } from './health-memory.ts';

/** So many machines that turned bad then. */
function bad(count: number, since: number, changes: Partial<Suspect> = {}): Suspect[] {
  return Array.from({ length: count }, (_, at) =>
    suspect(`m-${at}`, { causes: [notReady({ changedAt: since })], ...changes }),
  );
}

const LONG_AGO = NOW - 60 * MINUTE;

describe('a storm', () => {
  it.each<[string, number, Suspect[], boolean]>([
    ['is more than half of the machines', 10, bad(6, LONG_AGO), true],
    ['is not half of them', 10, bad(5, LONG_AGO), false],
    ['is three of three', 3, bad(3, LONG_AGO), true],
    ['is not two of two', 2, bad(2, LONG_AGO), false],
    ['is none of what is proved', 10, bad(6, LONG_AGO, { isProved: true }), false],
    ['is none of what somebody deletes', 10, bad(6, LONG_AGO, { isDeleting: true }), false],
    [
      'is not several causes',
      10,
      bad(6, LONG_AGO).map((one, at) => ({
        ...one,
        causes: [notReady({ condition: `node Sick${at % 2}`, changedAt: LONG_AGO })],
      })),
      false,
    ],
    [
      'is what happens within five minutes',
      10,
      bad(6, LONG_AGO).map((one, at) => ({ ...one, causes: [notReady({ changedAt: LONG_AGO + at * MINUTE })] })),
      true,
    ],
    [
      'is not what happens one after another',
      10,
      bad(6, LONG_AGO).map((one, at) => ({ ...one, causes: [notReady({ changedAt: LONG_AGO + at * 61_000 })] })),
      false,
    ],
    [
      'is not what happens one after another, whichever is told of first',
      10,
      bad(6, LONG_AGO)
        .map((one, at) => ({ ...one, causes: [notReady({ changedAt: LONG_AGO + at * 61_000 })] }))
        .reverse(),
      false,
    ],
    ['is the same in a zone', 10, bad(6, LONG_AGO, { zone: 'a' }), true],
    ['is none of wishes', 10, bad(6, LONG_AGO).map((one) => ({ ...one, causes: [wished()] })), false],
    ['is one of failures for one reason', 10, bad(6, LONG_AGO).map((one) => ({ ...one, causes: [failed()] })), true],
  ])('%s', (_words, expected, suspects, isStorm) => {
    const decision = new Course().look(NOW, found({ expected, suspects }));
    expect(reasonsOf(decision).includes('ManyAtOnce')).toBe(isStorm);
    if (isStorm) expect(decision.begin).toEqual([]);
  });

  it.each([
    ['False and Unknown, with a time-out each', 1, true],
    ['False by two rules, the same machines', 2, false],
  ])('counts the machines of one condition: %s', (_words, rulesEach, isStorm) => {
    const key = (rule: number) => `node Ready=${rule === 0 ? 'False 300000' : 'Unknown 600000'}`;
    const suspects = Array.from({ length: rulesEach === 1 ? 6 : 5 }, (_, at) =>
      suspect(`m-${at}`, {
        causes: Array.from({ length: rulesEach }, (_rule, rule) =>
          notReady({ key: key(rulesEach === 1 ? at % 2 : rule), changedAt: LONG_AGO }),
        ),
      }),
    );
    expect(reasonsOf(new Course().look(NOW, found({ suspects }))).includes('ManyAtOnce')).toBe(isStorm);
  });

  it('goes by since when a machine is bad by the first of several rules on one condition', () => {
    const suspects = bad(6, LONG_AGO).map((one, at) => ({
      ...one,
      causes: [
        notReady({ key: 'node Ready=Unknown 600000', timeoutMs: 10 * MINUTE, changedAt: LONG_AGO }),
        notReady({ key: 'node Ready=False 300000', changedAt: LONG_AGO - at * 10 * MINUTE }),
      ],
    }));
    expect(reasonsOf(new Course().look(NOW, found({ suspects })))).not.toContain('ManyAtOnce');
  });

  it('is no scale-up: machines that have not joined yet, and have time', () => {
    const fresh = [1, 2, 3].map((n) => suspect(`m-${n}`, { causes: [neverJoined(NOW - 10_000)] }));
    expect(reasonsOf(new Course().look(NOW, found({ expected: 3, suspects: fresh })))).toEqual([]);
    const late = [1, 2, 3].map((n) => suspect(`m-${n}`, { causes: [neverJoined(NOW - 20 * MINUTE)] }));
    expect(reasonsOf(new Course().look(NOW, found({ expected: 3, suspects: late })))).toEqual(['ManyAtOnce']);
  });

  it('is seen before any of it is due, and holds those that are due by it only', () => {
    const course = new Course();
    const storm = bad(6, NOW);
    expect(reasonsOf(course.look(NOW, found({ suspects: storm })))).toEqual(['ManyAtOnce']);
    const later = course.look(
      NOW + 10 * MINUTE,
      found({
        suspects: [
          ...storm.slice(0, 5),
          { ...storm[5]!, causes: [...storm[5]!.causes, wished()] },
          suspect('dead', { isProved: true }),
          suspect('other', { causes: [failed()] }),
        ],
        remediation: { ...found().remediation, maxInFlight: { count: 9 } },
      }),
    );
    expect(begunOf(later).sort()).toEqual(['m-5', 'other']);
    expect(rowOf(later, 'm-0').next).toContain('storm');
  });

  it('lets go when no more than half are bad, and the pace begins at one and doubles', () => {
    const course = new Course();
    const remediation = { ...found().remediation, maxInFlight: { count: 4 } };
    const seen = (suspects: Suspect[]) => found({ suspects, remediation });
    course.look(NOW, seen(bad(6, LONG_AGO)));
    course.look(NOW + 5000, seen(bad(5, LONG_AGO)));
    const calm = course.look(NOW + MINUTE, seen(bad(5, LONG_AGO)));
    expect(begunOf(calm)).toHaveLength(1);
    expect(calm.inFlight).toEqual({ count: 1, limit: 1 });
    expect(calm.brakes[0]?.message).toContain('after a storm');
    // One is under way, and no other one begins before that is a success.
    expect(course.look(NOW + 1.5 * MINUTE, seen(bad(5, LONG_AGO)))).toMatchObject({ inFlight: { count: 1, limit: 1 } });
    const two = course.look(NOW + 2 * MINUTE, seen(bad(5, LONG_AGO).slice(1)));
    expect([begunOf(two).length, two.inFlight.limit]).toEqual([2, 2]);
    const four = course.look(NOW + 3 * MINUTE, seen(bad(5, LONG_AGO).slice(3)));
    expect(four.inFlight.limit).toBe(4);
    expect(course.memory).not.toHaveProperty('pace');
  });

  it('is none where machines that a person has seen are given up as failed; what fails by itself is one, which tells of the cloud', () => {
    const unjoined = (changes: readonly SeenCause[]) =>
      Array.from({ length: 6 }, (_, at) =>
        suspect(`m-${at}`, { causes: [neverJoined(NOW - 15 * MINUTE), ...changes] }),
      );
    const course = new Course();
    expect(reasonsOf(course.look(NOW, found({ suspects: unjoined([]) })))).toEqual(['ManyAtOnce']);
    // Nobody has said anything: the first one that fails is held as before, and there is no storm beside.
    const [one, ...others] = unjoined([]);
    const failing = { ...one!, causes: [...one!.causes, failed({ changedAt: NOW + 30_000 })] };
    const first = course.look(NOW + 30_000, found({ suspects: [failing, ...others] }));
    expect([begunOf(first), reasonsOf(first)]).toEqual([[], ['ManyAtOnce']]);
    const all = course.look(NOW + 40_000, found({ suspects: unjoined([failed({ changedAt: NOW + 40_000 })]) }));
    expect([begunOf(all), reasonsOf(all)]).toEqual([[], ['ManyAtOnce']]);
    const proceedAt = iso(NOW + MINUTE);
    expect(reasonsOf(course.look(NOW + 2 * MINUTE, found({ proceedAt, suspects: unjoined([]) })))).not.toContain(
      'ManyAtOnce',
    );
    const gaveUp = failed({ changedAt: NOW + 3 * MINUTE });
    const after = course.look(NOW + 3 * MINUTE, found({ proceedAt, suspects: unjoined([gaveUp]) }));
    expect(reasonsOf(after)).not.toContain('ManyAtOnce');
    // Its trouble has lasted since the launch.
    expect(rowOf(after, 'm-0')).toMatchObject({ since: iso(NOW - 15 * MINUTE), cause: 'it is Failed (UpdateError)' });
    const alone = Array.from({ length: 6 }, (_, at) => suspect(`n-${at}`, { causes: [gaveUp] }));
    const storm = new Course().look(NOW + 4 * MINUTE, found({ proceedAt, suspects: alone }));
    expect(reasonsOf(storm)).toEqual(['ManyAtOnce']);
    expect(storm.brakes[0]?.message).toContain('The cloud, or what they are made of, is likelier at fault');
  });

  it('gives those that are left 50 s to come back, counted from the last one that did; not where a person says proceed', () => {
    const course = new Course();
    course.look(NOW, found({ suspects: bad(6, LONG_AGO) }));
    const first = course.look(NOW + 1000, found({ suspects: bad(5, LONG_AGO) }));
    expect([first.begin, first.lookAt, reasonsOf(first)]).toEqual([[], NOW + 51_000, ['ManyAtOnce']]);
    expect(first.brakes[0]?.message).toContain('5 machines are bad still by what struck many at once');
    const again = course.look(NOW + 40_000, found({ suspects: bad(4, LONG_AGO) }));
    expect([again.begin, again.lookAt]).toEqual([[], NOW + 90_000]);
    // One more turned bad, which is no return.
    expect(course.look(NOW + 60_000, found({ suspects: bad(5, LONG_AGO) })).lookAt).toBe(NOW + 90_000);
    const { memory } = course;
    expect(begunOf(course.look(NOW + 90_000, found({ suspects: bad(4, LONG_AGO) })))).toHaveLength(1);
    const many = new Course(memory).look(NOW + 70_000, found({ suspects: bad(6, LONG_AGO) }));
    expect([reasonsOf(many), many.lookAt > NOW + 90_000]).toEqual([['ManyAtOnce'], true]);
    const told = found({ suspects: bad(4, LONG_AGO), proceedAt: iso(NOW + 62_000) });
    expect(begunOf(new Course(memory).look(NOW + 70_000, told))).toHaveLength(1);
    const over = new Course(memory).look(NOW + 70_000, found());
    expect([reasonsOf(over), over.lookAt]).toEqual([[], Infinity]);
  });

  it('lets go when a person says so, and comes back for what is new only', () => {
    const course = new Course();
    course.look(NOW, found({ suspects: bad(6, LONG_AGO) }));
    const proceedAt = iso(NOW + MINUTE);
    const gone = course.look(NOW + 2 * MINUTE, found({ proceedAt, suspects: bad(6, LONG_AGO) }));
    expect(reasonsOf(gone)).not.toContain('ManyAtOnce');
    expect(begunOf(gone)).toHaveLength(1);
    expect(reasonsOf(course.look(NOW + 3 * MINUTE, found({ proceedAt, suspects: bad(6, LONG_AGO) })))).toEqual([
      'AtLimit',
    ]);
    course.look(NOW + 20 * MINUTE, found({ proceedAt }));
    const again = course.look(NOW + 21 * MINUTE, found({ proceedAt, suspects: bad(6, NOW + 21 * MINUTE) }));
    expect(reasonsOf(again)).toEqual(['ManyAtOnce']);
  });

  it('does not let go by what a person said when it began; and what was bad by then is no news', () => {
    const course = new Course();
    course.look(NOW, found({ suspects: bad(6, LONG_AGO) }));
    const said = found({ proceedAt: iso(NOW), suspects: bad(6, LONG_AGO) });
    expect(reasonsOf(course.look(NOW + MINUTE, said))).toEqual(['ManyAtOnce']);
    const known = found({ proceedAt: iso(LONG_AGO), suspects: bad(6, LONG_AGO) });
    expect(reasonsOf(new Course().look(NOW, known))).toEqual(['AtLimit']);
  });

  it('is not let go of beforehand: what a person says counts from when it is said to be, but for clocks that are ahead', () => {
    const course = new Course();
    const seen = (proceedAt: number) => found({ proceedAt: iso(proceedAt), suspects: bad(6, LONG_AGO) });
    course.look(NOW, found({ suspects: bad(6, LONG_AGO) }));
    const later = NOW + 6 * MINUTE + 1000;
    expect(reasonsOf(course.look(NOW + MINUTE, seen(later)))).toEqual(['ManyAtOnce']);
    expect(reasonsOf(course.look(NOW + MINUTE + 1000, seen(later)))).toEqual(['AtLimit']);
  });

  it('goes on where the time-out of its rule is edited', () => {
    const course = new Course();
    const edited = (count: number) =>
      bad(count, LONG_AGO).map((one) => ({
        ...one,
        causes: one.causes.map((cause) => ({
          ...cause,
          key: 'node Ready=False,Unknown 360000',
          timeoutMs: 6 * MINUTE,
        })),
      }));
    course.look(NOW, found({ suspects: bad(6, LONG_AGO) }));
    course.look(NOW + MINUTE, found({ suspects: bad(6, LONG_AGO) }));
    const after = course.look(NOW + 30 * MINUTE, found({ generation: 2, suspects: edited(6) }));
    expect([reasonsOf(after), after.begin]).toEqual([['ManyAtOnce'], []]);
    expect(course.memory.storms).toMatchObject([{ cause: NOT_READY, latchedAt: NOW }]);
  });

  it('does not hold a machine that the cloud says is dead', () => {
    const dead = suspect('dead', { isProved: true, causes: [notReady({ changedAt: LONG_AGO })] });
    const decision = new Course().look(NOW, found({ suspects: [...bad(6, LONG_AGO), dead] }));
    expect(reasonsOf(decision)).toEqual(['ManyAtOnce']);
    expect(begunOf(decision)).toEqual(['dead']);
  });

  it('counts a machine that this check deletes: that was bad before', () => {
    const course = new Course();
    const six = bad(6, NOW, { causes: [failed()] });
    expect(begunOf(course.look(NOW, found({ suspects: six.slice(0, 5) })))).toEqual(['m-0', 'm-1']);
    const deleting = six.map((one, at) => (at === 0 ? { ...one, isDeleting: true as const } : one));
    expect(reasonsOf(course.look(NOW + MINUTE, found({ suspects: deleting })))).toEqual(['ManyAtOnce']);
  });

  it('may come by another cause while one lasts', () => {
    const course = new Course();
    const many = (...causes: SeenCause[]) => found({ suspects: bad(6, LONG_AGO, { causes }) });
    course.look(NOW, many(failed()));
    const both = course.look(NOW + MINUTE, many(failed(), notReady()));
    expect(reasonsOf(both)).toEqual(['ManyAtOnce', 'ManyAtOnce']);
    expect(both.brakes.map(({ message }) => /by one cause \((.*?)\), more/.exec(message)?.[1])).toEqual([
      `of Machine m-0: ${failed().words}`,
      `of Machine m-0: ${notReady().words}`,
    ]);
  });

  describe('that comes as fast as machines are replaced', () => {
    const remediation = { ...found().remediation, maxInFlight: { count: 2 } };
    /** Machines that turn bad one every 40 s, by a rule of one minute, and are gone 30 s after they were to be. */
    const turned = (n: number) => NOW + n * 40_000;
    const gone = (n: number) => turned(n) + 90_000;
    const at = (now: number, last = Infinity) => {
      const suspects = Array.from({ length: 10 }, (_, n) =>
        suspect(`m-${n}`, {
          causes: [notReady({ timeoutMs: MINUTE, changedAt: turned(n) })],
          ...given({ isDeleting: (now > turned(n) + MINUTE && n < 4) || undefined }),
        }),
      ).filter((_one, n) => n <= last && turned(n) <= now && now < gone(n));
      return found({ expected: 10, suspects, remediation });
    };
    const lookOn = (course: Course, from: number, to: number, last?: number): string[] => {
      const began: string[] = [];
      for (let now = from; now <= to; now += 10_000) began.push(...begunOf(course.look(now, at(now, last))));
      return began;
    };

    it('counts those that were', () => {
      const course = new Course();
      expect(lookOn(course, NOW, turned(5) - 10_000)).toEqual(['m-0', 'm-1', 'm-2', 'm-3']);
      const storm = course.look(turned(5), at(turned(5)));
      expect(reasonsOf(storm)).toEqual(['ManyAtOnce']);
      expect(storm.brakes[0]?.message).toMatch(
        /^3 machines are bad still by what struck many at once .*, with time to come back until 2026-01-01T12:04:10.000Z; this holds none from then on, or from when somebody says/,
      );
      expect(lookOn(course, turned(5), turned(5) + 40_000, 5)).toEqual([]);
    });

    it('counts each for one storm: when that is over, those that are left are replaced', () => {
      const course = new Course();
      lookOn(course, NOW, gone(3), 5);
      const over = gone(3) + 50_000;
      const left = found({ suspects: at(gone(3), 5).suspects, remediation });
      expect(left.suspects.map(({ name }) => name)).toEqual(['m-4', 'm-5']);
      expect(reasonsOf(course.look(over - 1, left))).toEqual(['ManyAtOnce']);
      const decision = course.look(over, left);
      expect(reasonsOf(decision)).toEqual(['AtLimit']);
      expect(begunOf(decision)).toEqual(['m-4']);
    });

    it('counts them among all where their set makes none in their place', () => {
      // Four of nine were bad, of which two are gone.
      const replaced = [0, 1].map((n) => ({ uid: `uid-of-gone-${n}`, at: NOW, since: { [NOT_READY]: NOW } }));
      const storm = (missing: number) =>
        reasonsOf(
          new Course({ ...emptyHealthMemory(), replaced }).look(
            NOW + 10_000,
            found({ expected: 7, suspects: bad(2, NOW), sets: { [SET.uid]: setSight({ missing, isHeld: true }) } }),
          ),
        );
      expect(storm(2)).not.toContain('ManyAtOnce');
      expect(storm(0)).toContain('ManyAtOnce');
    });

    it('counts none of which a person says that it may go on', () => {
      const course = new Course();
      lookOn(course, NOW, turned(5) - 10_000);
      const seen = { ...at(turned(5)), proceedAt: iso(turned(4)) };
      expect(reasonsOf(course.look(turned(5), seen))).toEqual([]);
    });

    it('counts none of those that were replaced and had been bad when a person said that it may go on', () => {
      const replaced = [0, 1].map((n) => ({ uid: `uid-of-gone-${n}`, at: NOW, since: { [NOT_READY]: NOW - MINUTE } }));
      const storm = (proceedAt: number) => {
        const seen = found({ expected: 4, suspects: bad(1, NOW), proceedAt: iso(proceedAt) });
        return reasonsOf(new Course({ ...emptyHealthMemory(), replaced }).look(NOW + 10_000, seen));
      };
      expect(storm(NOW - MINUTE)).toEqual([]);
      expect(storm(NOW - MINUTE - 1000)).toEqual(['ManyAtOnce']);
    });

    it('counts a place once, however often its replacements fail', () => {
      const course = new Course();
      let one = suspect('m', { causes: [failed({ since: NOW })] });
      const begun: string[] = [];
      for (let now = NOW; now < NOW + 30 * MINUTE; now += 5000) {
        const sets = { [SET.uid]: setSight({ unready: [one] }) };
        const decision = course.look(now, found({ expected: 6, suspects: [one], sets }));
        expect(reasonsOf(decision)).toEqual([]);
        if (decision.begin.length === 0) continue;
        begun.push(...begunOf(decision));
        one = suspect(`m-${begun.length}`, { createdAt: iso(now + 1000), causes: [failed({ since: now + 2000 })] });
      }
      expect(begun).toEqual(['m', 'm-1', 'm-2', 'm-3', 'm-4']);
    });

    describe('has one that was made since stand for the oldest of those that are gone:', () => {
      const stormOf = (replaced: HealthMemory['replaced'], ...suspects: Suspect[]) => {
        const course = new Course({ ...emptyHealthMemory(), replaced });
        return reasonsOf(course.look(NOW, found({ expected: 4, suspects, remediation }))).includes('ManyAtOnce');
      };
      const since = NOW - 2 * MINUTE;
      const wasBad = (uid: string, at: number, cause = NOT_READY) => ({ uid, at, since: { [cause]: since } });
      const madeAt = (name: string, createdAt: number) =>
        suspect(name, { createdAt: iso(createdAt), causes: [notReady({ changedAt: since, notBefore: since })] });
      const old = madeAt('old', NOW - 600 * MINUTE);

      it('not for those that were bad by another cause', () => {
        const replaced = [wasBad('other', NOW - MINUTE, 'another'), wasBad('one', NOW - MINUTE)];
        expect(stormOf(replaced, madeAt('made', NOW - 30_000), old)).toBe(false);
        expect(stormOf(replaced, madeAt('made', NOW - 90_000), old)).toBe(true);
      });

      it('also where it was made before others were gone', () => {
        const replaced = [wasBad('one', NOW - 60_000), wasBad('two', NOW - 10_000)];
        expect(stormOf(replaced, madeAt('made', NOW - 30_000))).toBe(false);
        expect(stormOf(replaced, madeAt('made', NOW - 90_000))).toBe(true);
      });
    });

    it('counts none that was proved dead, and none after its window', () => {
      const proved = new Course();
      const dead = (now: number) => ({
        ...at(now),
        suspects: at(now).suspects.map((one, n) => (n < 2 ? { ...one, isProved: true as const } : one)),
      });
      for (let now = NOW; now < turned(5); now += 10_000) proved.look(now, dead(now));
      expect(reasonsOf(proved.look(turned(5), at(turned(5))))).toEqual([]);
      const late = new Course();
      lookOn(late, NOW, gone(3), 3);
      const now = gone(3) + 5 * MINUTE;
      const fresh = [7, 8].map((n) => suspect(`m-${n}`, { causes: [notReady({ changedAt: now })] }));
      expect(reasonsOf(late.look(now, found({ suspects: fresh, remediation })))).toEqual([]);
      expect(late.memory.replaced).toEqual([]);
    });
  });

  it('is told once', () => {
    const course = new Course();
    const seen = found({ suspects: bad(6, NOW) });
    expect(course.look(NOW, seen).events).toMatchObject([{ reason: 'RemediationRestricted' }]);
    expect(course.look(NOW + MINUTE, seen).events).toEqual([]);
  });
});

describe('a storm of so many machines that not each is told of', () => {
  /** So many by one cause, among others that failed by causes of their own. */
  const told = (byOneCause: number, others: number): Suspect[] => [
    ...bad(byOneCause, LONG_AGO),
    ...Array.from({ length: others }, (_, at) => suspect(`o-${at}`, { causes: [failed({ key: `failed ${at}` })] })),
  ];
  const isStorm = (changes: Partial<FoundCheck>, percent = 50) => {
    const remediation = { ...found().remediation, stormThreshold: { percent } };
    const decision = new Course().look(NOW, found({ expected: 1000, remediation, untold: 700, ...changes }));
    return reasonsOf(decision).includes('ManyAtOnce');
  };

  it('is more than half of those that are told', () => {
    expect(isStorm({ suspects: told(16, 14) })).toBe(true);
    expect(isStorm({ suspects: told(15, 15) })).toBe(false);
  });

  it('is fewer of them, where so many of all machines are no coincidence any more', () => {
    expect(isStorm({ suspects: told(11, 30) }, 1)).toBe(true);
    expect(isStorm({ suspects: told(10, 30) }, 1)).toBe(false);
  });

  it('is none, where the check says that there is none', () => {
    expect(isStorm({ suspects: told(30, 0) }, 100)).toBe(false);
  });

  it('is more than half of all machines, where each is told of', () => {
    const { untold: _none, ...seen } = found({ expected: 1000, suspects: told(30, 0) });
    expect(reasonsOf(new Course().look(NOW, seen))).not.toContain('ManyAtOnce');
  });
});

describe('a zone that is lost', () => {
  const lost = (isAlone = true): Partial<FoundCheck> => ({
    expected: 30,
    lostZones: [{ zone: 'a', nodes: 4, cause: NOT_READY, isAlone }],
  });
  const inZone = bad(4, LONG_AGO, { zone: 'a' });

  it('holds its machines, and no others', () => {
    const elsewhere = suspect('elsewhere', { zone: 'b', causes: [notReady({ changedAt: LONG_AGO })] });
    const decision = new Course().look(NOW, found({ ...lost(), suspects: [...inZone, elsewhere] }));
    expect(reasonsOf(decision)).toEqual(['ZoneLost']);
    expect(decision.brakes[0]?.message).toContain('all 4 Nodes of zone a');
    expect(begunOf(decision)).toEqual(['elsewhere']);
  });

  it('is told once, with its Nodes and those that are not remediated for it', () => {
    const course = new Course();
    const zones = [
      { zone: 'b', nodes: 9, cause: NOT_READY, isAlone: true },
      { zone: 'a', nodes: 8, cause: 'another', isAlone: true },
      { zone: 'a', nodes: 5, cause: NOT_READY, isAlone: true },
    ];
    const first = course.look(NOW, found({ expected: 30, lostZones: zones, suspects: inZone }));
    expect(reasonsOf(first)).toEqual(['ZoneLost']);
    expect(first.brakes[0]?.message).toContain(
      'all 5 Nodes of zone a are bad by one cause (of Machine m-0: Ready of its Node is Unknown',
    );
    expect(first.brakes[0]?.message).toContain('4 machines are not remediated');
    expect(first.events.filter(({ reason }) => reason === 'RemediationRestricted')).toHaveLength(1);
    const again = course.look(NOW + MINUTE, found({ expected: 30, lostZones: zones, suspects: inZone }));
    expect([reasonsOf(again), again.events, again.inFlight.limit]).toEqual([['ZoneLost'], [], 6]);
  });

  it('lasts while its Nodes are bad, though none of them is of a machine here any more', () => {
    const course = new Course();
    course.look(NOW, found({ ...lost(), suspects: inZone }));
    const empty = course.look(NOW + MINUTE, found(lost()));
    expect(empty.brakes[0]?.message).toContain(
      `by one cause (${NOT_READY}), and another zone is healthy. The network or the control plane is likelier at fault: 0 machines`,
    );
    expect(reasonsOf(new Course().look(NOW, found(lost())))).toEqual([]);
  });

  it('may be lost while many of all zones are bad', () => {
    const course = new Course();
    const many = [
      ...inZone,
      ...['x', 'y'].map((name) => suspect(name, { causes: [notReady({ changedAt: LONG_AGO })] })),
    ];
    course.look(NOW, found({ suspects: many }));
    const decision = course.look(NOW + MINUTE, found({ ...lost(), expected: 10, suspects: many }));
    expect(reasonsOf(decision)).toEqual(['ManyAtOnce', 'ZoneLost']);
  });

  it('is no news where some of it was bad when a person said to proceed', () => {
    const later = inZone.map((one, at) => ({ ...one, causes: [notReady({ changedAt: LONG_AGO + at * MINUTE })] }));
    const proceedAt = iso(LONG_AGO + 2.5 * MINUTE);
    expect(reasonsOf(new Course().look(NOW, found({ ...lost(), proceedAt, suspects: later })))).toEqual([]);
  });

  it('is one also where some of its Nodes were bad long before the others turned at once', () => {
    const suspects = inZone.map((one, at) => ({
      ...one,
      causes: [notReady({ changedAt: at === 0 ? LONG_AGO - 60 * MINUTE : LONG_AGO })],
    }));
    expect(reasonsOf(new Course().look(NOW, found({ ...lost(), suspects })))).toEqual(['ZoneLost']);
    // Two at once may be a coincidence.
    const two = suspects.map((one, at) => (at === 1 ? { ...one, causes: suspects[0]?.causes ?? [] } : one));
    expect(reasonsOf(new Course().look(NOW, found({ ...lost(), suspects: two })))).toEqual([]);
  });

  /** Its machines turned bad so many minutes before the last of them did, by a rule of so many minutes each. */
  it.each<[string, boolean, [number, number][]]>([
    ['is one also where it has a single Node', true, [[0, 5]]],
    [
      'is one also where it has two',
      true,
      [
        [0, 5],
        [0, 5],
      ],
    ],
    [
      'is one where the first was unhealthy already when the last turned bad, within the window',
      true,
      [
        [5, 5],
        [0, 5],
        [0, 5],
      ],
    ],
    [
      'is one where another one was unhealthy by then, long before',
      true,
      [
        [10, 10],
        [0, 5],
        [0, 5],
        [0, 5],
      ],
    ],
    [
      'is none where another one was bad long before, and not for too long yet',
      false,
      [
        [20, 40],
        [0, 5],
        [0, 5],
        [0, 5],
      ],
    ],
  ])('%s', (_words, isLost, all) => {
    const suspects = all.map(([before, minutes], at) =>
      suspect(`m-${at}`, {
        zone: 'a',
        causes: [notReady({ timeoutMs: minutes * MINUTE, changedAt: LONG_AGO - before * MINUTE })],
      }),
    );
    const decision = new Course().look(NOW, found({ ...lost(), suspects }));
    expect(reasonsOf(decision).includes('ZoneLost')).toBe(isLost);
  });

  it('is none where its Nodes turned bad hours apart', () => {
    const hours = inZone.map((one, at) => ({
      ...one,
      causes: [notReady({ changedAt: LONG_AGO + at * 10 * MINUTE })],
    }));
    expect(reasonsOf(new Course().look(NOW, found({ ...lost(), suspects: hours })))).toEqual([]);
  });

  it('is none where no zone is healthy', () => {
    expect(reasonsOf(new Course().look(NOW, found({ ...lost(false), suspects: inZone })))).toEqual([]);
  });

  it('lets go when one of its Nodes is well, or a person says so', () => {
    const course = new Course();
    course.look(NOW, found({ ...lost(), suspects: inZone }));
    const { memory } = course;
    const soon = course.look(NOW + 5000, found({ expected: 30, suspects: inZone.slice(1) }));
    expect([reasonsOf(soon), soon.begin]).toEqual([['ZoneLost'], []]);
    expect(soon.brakes[0]?.message).toMatch(/^\d+ machines of zone a are bad still/);
    const well = course.look(NOW + MINUTE, found({ expected: 30, suspects: inZone.slice(1) }));
    expect([reasonsOf(well), begunOf(well).length]).toEqual([['AtLimit'], 1]);
    const told = new Course(memory);
    for (const minute of [1, 2, 3]) {
      const seen = found({ ...lost(), proceedAt: iso(NOW + 1000), suspects: inZone });
      expect(reasonsOf(told.look(NOW + minute * MINUTE, seen))).toEqual(['AtLimit']);
    }
  });
});
