import { describe, expect, it } from '@jest/globals';
import { awayTimes } from './away.ts';
import { failed, iso, MINUTE, neverJoined, notReady, NOT_READY_KEY, NOW, suspect } from './check-for-tests.ts';
import type { Outage, SeenCause, Suspect } from './health-activities.ts';
import { emptyHealthMemory, type HealthMemory, type Sighting } from './health-memory.ts';
import { noteTold, rulesKeyOf, seeIllnesses, sightingsLookAt, type Illness } from './sightings.ts';
import { given } from '../../providers/given.ts';

const UID = 'uid-of-m';

/** One Machine, looked at again and again. */
class Watched {
  memory: HealthMemory = emptyHealthMemory();
  readonly outages: Outage[] = [];

  /** @param bad undefined: it is good */
  look(
    at: number,
    bad: SeenCause | readonly SeenCause[] | undefined,
    generation = 1,
    goodSince?: number,
  ): Illness | undefined {
    const causes = [bad ?? []].flat();
    const suspects = causes.length === 0 ? [] : [suspect('m', { causes })];
    const turnedGood = goodSince === undefined ? undefined : { [UID]: { [NOT_READY_KEY]: goodSince } };
    const seen = { suspects, generation, ...given({ turnedGood }) };
    const found = seeIllnesses(this.memory, seen, awayTimes(this.outages), at);
    const { sightings } = found;
    this.memory = JSON.parse(
      JSON.stringify({ ...this.memory, sightings, lookedAt: at, rules: rulesKeyOf(seen) }),
    ) as HealthMemory;
    return found.illnesses.get(UID)?.[0];
  }

  /** What is remembered of its Node that is not Ready. */
  get known(): Sighting | undefined {
    return this.memory.sightings[UID]?.[NOT_READY_KEY];
  }

  /** Looks every so often; it is bad or not as is told. Answers when it is unhealthy first. */
  watch(from: number, to: number, every: number, cause: (at: number) => SeenCause | undefined): number | undefined {
    for (let at = from; at <= to; at += every) if (this.look(at, cause(at))?.isUnhealthy === true) return at;
    return undefined;
  }
}

describe('since when something is bad', () => {
  it.each([
    ['where it does not say when it began, our first sight', undefined, NOW],
    ['when it says it began, after the last look at which it was good', NOW - 20_000, NOW - 20_000],
    ['our first sight, where it says a time at which it was seen to be good', NOW - 5 * MINUTE, NOW],
    ['our first sight, where it says a time to come', NOW + MINUTE, NOW],
    ['the good look, where a time in whole seconds lies just before it', NOW - MINUTE - 900, NOW - MINUTE],
    ['the good look, where two clocks differ by two seconds', NOW - MINUTE - 2000, NOW - MINUTE],
    ['our first sight, where they differ by more', NOW - MINUTE - 2001, NOW],
  ])('is %s', (_words, changedAt, since) => {
    const watched = new Watched();
    watched.look(NOW - MINUTE, undefined);
    expect(watched.look(NOW, notReady(given({ changedAt })))?.since).toBe(since);
  });

  it.each([
    ['what it says', NOW - 60 * MINUTE, NOW - 90 * MINUTE, NOW - 60 * MINUTE],
    ['our sight of it, where its Node was made later than it says', NOW - 60 * MINUTE, NOW - 30 * MINUTE, NOW],
    ['what it says, where nobody knows when its Node was made', NOW - 60 * MINUTE, NaN, NOW - 60 * MINUTE],
  ])('is at the very first look %s', (_words, changedAt, notBefore, since) => {
    expect(new Watched().look(NOW, notReady({ changedAt, notBefore }))?.since).toBe(since);
  });

  it('is what it says at the first look by other rules', () => {
    const watched = new Watched();
    watched.look(NOW - MINUTE, undefined, 1);
    expect(watched.look(NOW, notReady({ changedAt: NOW - 60 * MINUTE }), 2)?.since).toBe(NOW - 60 * MINUTE);
  });

  it('goes on where the time-out of its rule is edited, and how often it was bad before is counted anew', () => {
    const longer = (changes: Partial<SeenCause> = {}) =>
      notReady({ key: 'node Ready=False,Unknown 600000', timeoutMs: 10 * MINUTE, ...changes });
    const watched = new Watched();
    watched.watch(NOW - 20 * MINUTE, NOW - 16 * MINUTE, MINUTE, () => notReady());
    watched.look(NOW - 15 * MINUTE, undefined);
    watched.watch(NOW, NOW + 4 * MINUTE, MINUTE, () => notReady());
    expect(watched.look(NOW + 4 * MINUTE, longer({ changedAt: NOW + 4 * MINUTE }), 2)).toMatchObject({ since: NOW });
    expect(Object.values(watched.memory.sightings[UID] ?? {})).toEqual([
      { timeoutMs: 10 * MINUTE, since: NOW, changedAt: NOW + 4 * MINUTE },
    ]);
  });

  describe('where the time-out of a rule is edited', () => {
    const FAR_KEY = 'node Ready=False,Unknown 600000';
    const far = notReady({ key: FAR_KEY, timeoutMs: 10 * MINUTE });
    const began = (since: number, timeoutMs = 5 * MINUTE) => ({ timeoutMs, since });
    const before = {
      timeoutMs: 60 * MINUTE,
      spells: [{ from: NOW - 3 * MINUTE, to: NOW - MINUTE, badMs: 2 * MINUTE }],
    };
    const SICK = notReady({ key: 'node Sick=True 300000', condition: 'node Sick' });
    const look = (sightings: HealthMemory['sightings'], ...suspects: Suspect[]) => {
      const memory = { ...emptyHealthMemory(), sightings, lookedAt: NOW - 1000, rules: rulesKeyOf({ generation: 1 }) };
      return seeIllnesses(memory, { suspects, generation: 2 }, [], NOW);
    };
    const m = (...causes: SeenCause[]) => suspect('m', { causes });
    const edited = m(far);

    it('what else is bad goes on as well', () => {
      const known = { [NOT_READY_KEY]: began(NOW - 4 * MINUTE), [SICK.key]: began(NOW - 2 * MINUTE) };
      const found = look({ [UID]: known }, m(far, SICK));
      expect(found.illnesses.get(UID)?.map(({ since }) => since)).toEqual([NOW - 4 * MINUTE, NOW - 2 * MINUTE]);
      expect(Object.keys(found.sightings[UID] ?? {}).sort()).toEqual([FAR_KEY, SICK.key]);
    });

    it('one that was well, and one that is well by now, keep what they had', () => {
      const others = { well: { [NOT_READY_KEY]: before }, 'uid-of-sick': { [NOT_READY_KEY]: began(NOW - MINUTE) } };
      const all = { [UID]: { [NOT_READY_KEY]: began(NOW - 4 * MINUTE) }, ...others };
      const { sightings } = look(all, edited, suspect('sick', { causes: [SICK] }));
      expect(sightings['well']).toEqual(others.well);
      expect(sightings['uid-of-sick']).toHaveProperty([NOT_READY_KEY, 'spells']);
      expect(sightings['uid-of-sick']).not.toHaveProperty([FAR_KEY]);
    });

    it('one that came and went keeps that by the rule as it was', () => {
      const { sightings } = look({ [UID]: { [NOT_READY_KEY]: before } }, edited);
      expect(sightings[UID]).toMatchObject({ [NOT_READY_KEY]: before, [FAR_KEY]: { since: NOW } });
    });

    it('what was bad by another rule already goes on by that', () => {
      const told = { ...began(NOW - MINUTE, 10 * MINUTE), isTold: true as const };
      const known = { [FAR_KEY]: told, [NOT_READY_KEY]: began(NOW - 4 * MINUTE) };
      expect(look({ [UID]: known }, edited).illnesses.get(UID)).toMatchObject([{ since: NOW - MINUTE, isTold: true }]);
    });

    it('a rule that comes besides takes nothing from one that stays', () => {
      const known = { [NOT_READY_KEY]: began(NOW - 4 * MINUTE) };
      const found = look({ [UID]: known }, m(notReady(), far)).illnesses.get(UID);
      expect(found?.map(({ since }) => since)).toEqual([NOW - 4 * MINUTE, NOW]);
    });

    it('a failure whose reason ends in another number is another one', () => {
      const known = { 'failed 1': began(NOW - 4 * MINUTE, 0) };
      expect(look({ [UID]: known }, m(failed({ key: 'failed 2' }))).illnesses.get(UID)).toMatchObject([{ since: NOW }]);
    });
  });

  it('is kept by whatever it says later, and it is due on time', () => {
    const watched = new Watched();
    watched.look(NOW - 1000, undefined);
    const due = watched.watch(NOW, NOW + 60 * MINUTE, 30_000, (at) => notReady({ changedAt: at }));
    expect(due).toBe(NOW + 5 * MINUTE);
    expect(watched.look(NOW + 6 * MINUTE, notReady())).toMatchObject({ isUnhealthy: true, isFlapping: false });
  });

  it('ends with a good look', () => {
    const watched = new Watched();
    watched.watch(NOW, NOW + 4 * MINUTE, MINUTE, () => notReady());
    watched.look(NOW + 4.5 * MINUTE, undefined);
    const again = watched.look(NOW + 5 * MINUTE, notReady());
    expect(again).toMatchObject({ since: NOW + 5 * MINUTE, isUnhealthy: false });
  });

  it.each([
    ['counts from what it says, where nobody looked for long and that moved', 3, 2, 2],
    ['goes on, where nobody looked for long and that did not move', 3, 0, 0],
    ['goes on, where somebody looked in between', 2, 1, 0],
    ['goes on, where somebody looked half its time-out ago', 2.5, 2, 0],
    ['goes on, where nobody looked for long and it says an earlier time', 3, -1, 0],
  ])('%s', (_words, gap, changed, since) => {
    const watched = new Watched();
    watched.look(NOW, notReady({ changedAt: NOW }));
    const seen = watched.look(NOW + gap * MINUTE, notReady({ changedAt: NOW + changed * MINUTE }));
    expect(seen?.since).toBe(NOW + since * MINUTE);
  });

  it('goes on, where the API server was away for the most of the time in which nobody looked', () => {
    const watched = new Watched();
    watched.look(NOW, notReady({ changedAt: NOW }));
    watched.look(NOW + MINUTE, notReady({ changedAt: NOW }));
    watched.outages.push({ from: iso(NOW + MINUTE), until: iso(NOW + 5 * MINUTE) });
    const seen = watched.look(NOW + 5.2 * MINUTE, notReady({ changedAt: NOW + 5.1 * MINUTE }));
    expect(seen).toMatchObject({ since: NOW, dueAt: NOW + 9 * MINUTE });
  });

  it('goes on, where it says that it changed at the very time of the last look', () => {
    const watched = new Watched();
    watched.look(NOW, notReady());
    watched.look(NOW + MINUTE, notReady());
    expect(watched.look(NOW + 4 * MINUTE, notReady({ changedAt: NOW + MINUTE }))?.since).toBe(NOW);
  });

  it('goes on, where nothing has to be waited for: for how long nobody looked is of no matter', () => {
    const watched = new Watched();
    const atOnce = (changedAt: number) => notReady({ timeoutMs: 0, changedAt });
    watched.look(NOW, atOnce(NOW));
    expect(watched.look(NOW + 3 * MINUTE, atOnce(NOW + 2 * MINUTE))?.since).toBe(NOW);
  });

  it('is not put off by a clock that is ahead of ours', () => {
    const watched = new Watched();
    watched.look(NOW, notReady({ changedAt: NOW + 2 * MINUTE }));
    expect(watched.look(NOW + 3 * MINUTE, notReady({ changedAt: NOW + 2 * MINUTE }))?.since).toBe(NOW);
    // It may have been good in between.
    watched.look(NOW + 6 * MINUTE, notReady({ changedAt: NOW + 60 * MINUTE }));
    expect(watched.look(NOW + 8 * MINUTE, notReady({ changedAt: NOW + 60 * MINUTE }))?.since).toBe(NOW + 6 * MINUTE);
    const first = new Watched();
    first.look(NOW, notReady({ changedAt: NOW + MINUTE }));
    expect(first.look(NOW + 2 * MINUTE, notReady())?.since).toBe(NOW);
  });

  it('is all that is remembered, where it was never bad before', () => {
    const watched = new Watched();
    watched.look(NOW, notReady());
    expect(watched.memory.sightings).toEqual({ [UID]: { [NOT_READY_KEY]: { timeoutMs: 5 * MINUTE, since: NOW } } });
  });

  it('is a fact, where that is one', () => {
    const watched = new Watched();
    watched.look(NOW, undefined);
    const launchedAt = NOW - 11 * MINUTE;
    expect(watched.look(NOW + MINUTE, neverJoined(launchedAt))).toMatchObject({ since: launchedAt, isUnhealthy: true });
  });

  it('is never later than now, on a clock that went back', () => {
    const watched = new Watched();
    watched.look(NOW, notReady());
    expect(watched.look(NOW - 5000, notReady())).toMatchObject({ since: NOW - 5000, isUnhealthy: false });
    expect(watched.look(NOW + 1000, notReady())?.since).toBe(NOW);
    watched.look(NOW - 5000, undefined);
    expect(JSON.stringify(watched.memory)).not.toContain('-');
  });
});

describe('when it has lasted for too long', () => {
  it.each([
    ['after the time-out', [], 5],
    ['at once, where nothing has to be waited for', 'now', 0],
    ['later by an outage in between', [[1, 3]], 7],
    ['later by the part of an outage that lies in between', [[-1, 1]], 6],
    [
      'later by each of two outages that overlap, once',
      [
        [1, 3],
        [2, 4],
      ],
      8,
    ],
    ['no later by an outage that was before', [[-3, -1]], 5],
    ['not while an outage lasts', [[2, Infinity]], Infinity],
  ] as const)('is %s', (_words, away, minutes) => {
    const watched = new Watched();
    const outages = away === 'now' ? [] : away;
    watched.outages.push(
      ...outages.map(([from, until]) => ({
        from: iso(NOW + from * MINUTE),
        ...given({ until: until === Infinity ? undefined : iso(NOW + until * MINUTE) }),
      })),
    );
    watched.look(NOW - 10 * MINUTE, undefined);
    const seen = watched.look(NOW, notReady(away === 'now' ? { timeoutMs: 0 } : {}));
    expect(seen?.dueAt).toBe(NOW + minutes * MINUTE);
  });

  it('has lasted at its very time, and has not come and gone', () => {
    const watched = new Watched();
    watched.look(NOW, notReady());
    expect(watched.look(NOW + 5 * MINUTE - 1, notReady())).toMatchObject({ isUnhealthy: false, isFlapping: false });
    expect(watched.look(NOW + 5 * MINUTE, notReady())).toMatchObject({ isUnhealthy: true, isFlapping: false });
  });

  it('is at once, where nothing has to be waited for, also while an outage lasts', () => {
    const watched = new Watched();
    watched.outages.push({ from: iso(NOW - MINUTE) });
    expect(watched.look(NOW, failed())).toMatchObject({ dueAt: NOW, isUnhealthy: true, isFlapping: false });
  });

  it('stays due, where the outage came after that', () => {
    const watched = new Watched();
    watched.look(NOW, notReady());
    watched.outages.push({ from: iso(NOW + 6 * MINUTE) });
    expect(watched.look(NOW + 7 * MINUTE, notReady())).toMatchObject({ isUnhealthy: true, dueAt: NOW + 5 * MINUTE });
  });
});

describe('what comes and goes', () => {
  const flapping = (bad: number, of: number) => (at: number) =>
    (at - NOW) % of < bad ? notReady({ changedAt: at - ((at - NOW) % of) }) : undefined;

  it('is unhealthy when it was bad for more than half of three time-outs', () => {
    const watched = new Watched();
    const due = watched.watch(NOW, NOW + 60 * MINUTE, 10_000, flapping(40_000, 60_000));
    // Two thirds of the time: 7.5 minutes are together after 11 of them.
    expect(due).toBeGreaterThanOrEqual(NOW + 11 * MINUTE);
    expect(due).toBeLessThanOrEqual(NOW + 12 * MINUTE);
    expect(watched.look((due ?? 0) + 10_000, notReady())?.isFlapping).toBe(true);
  });

  it.each([
    [20_000, 60_000],
    [2000, 6000],
  ])('is not, where it was bad for %i of each %i milliseconds', (bad, of) => {
    expect(new Watched().watch(NOW, NOW + 60 * MINUTE, of / 6, flapping(bad, of))).toBeUndefined();
  });

  describe('within seconds, where looks come two seconds late', () => {
    /** Bad for so long of each 12.5 s, by a time-out of 10 s; answers in which of ten rounds it was unhealthy first. */
    function unhealthyIn(badMs: number, says: boolean): number | undefined {
      const watched = new Watched();
      watched.look(NOW - 10_000, undefined);
      for (let round = 0; round < 10; round += 1) {
        const from = NOW + round * 12_500;
        const seconds = (at: number) => Math.floor(at / 1000) * 1000;
        const bad = notReady({ timeoutMs: 10_000, changedAt: seconds(from) });
        for (const at of [from + 2000, from + badMs - 100])
          if (watched.look(at, bad)?.isUnhealthy === true) return round;
        const end = from + badMs;
        watched.look(end + 2000, undefined, 1, says ? seconds(end) : undefined);
      }
      return undefined;
    }

    it('it is bad until it says that it turned good', () => {
      // 13.5 of any 30 s at most; by the looks alone it would be 19.5.
      expect([true, false].map((says) => unhealthyIn(4500, says))).toEqual([undefined, 2]);
    });

    it('and nobody found it bad for the whole time-out, that counts as well', () => {
      expect(unhealthyIn(8500, false)).toBeLessThanOrEqual(2);
    });
  });

  it('ends where it says so, but not before it was seen to be bad, and not after it was seen to be good', () => {
    const spell = (goodSince: number) => {
      const watched = new Watched();
      watched.look(NOW, notReady());
      watched.look(NOW + MINUTE, notReady());
      watched.look(NOW + 2 * MINUTE, undefined, 1, goodSince);
      return watched.known?.spells?.map(({ to }) => to);
    };
    expect(spell(NOW + 90_000)).toEqual([NOW + 90_000]);
    expect(spell(NOW + 30_000)).toEqual([NOW + MINUTE]);
    expect(spell(NOW + 3 * MINUTE)).toEqual([NOW + 2 * MINUTE]);
  });

  it('is remembered as eight spells at most, whose sum is kept', () => {
    const watched = new Watched();
    const due = watched.watch(NOW, NOW + 60 * MINUTE, 1000, flapping(4000, 6000));
    expect(due).toBeLessThanOrEqual(NOW + 12 * MINUTE);
    expect(watched.memory.sightings[UID]?.[notReady().key]?.spells?.length).toBeLessThanOrEqual(8);
  });

  it('tells the same time at each look', () => {
    const watched = new Watched();
    watched.watch(NOW, NOW + 4 * MINUTE, MINUTE, () => notReady());
    watched.look(NOW + 4.5 * MINUTE, undefined);
    const dues = [5, 6, 7, 8, 9].map((minute) => watched.look(NOW + minute * MINUTE, notReady())?.dueAt);
    // 4.5 minutes before, and 3 of the spell that lasts.
    expect(new Set(dues)).toEqual(new Set([NOW + 8 * MINUTE + 1]));
  });

  it('is not what was bad once, and for long', () => {
    const watched = new Watched();
    watched.watch(NOW, NOW + 4 * MINUTE, MINUTE, () => notReady());
    for (let minute = 5; minute < 10; minute += 1) watched.look(NOW + minute * MINUTE, notReady());
    watched.look(NOW + 10 * MINUTE, undefined);
    expect(watched.look(NOW + 11 * MINUTE, notReady())).toMatchObject({ dueAt: NOW + 16 * MINUTE, isUnhealthy: false });
  });

  it('is forgotten after three time-outs', () => {
    const watched = new Watched();
    watched.look(NOW, notReady());
    watched.look(NOW + MINUTE, undefined);
    expect(watched.memory.sightings).not.toEqual({});
    watched.look(NOW + 17 * MINUTE, undefined);
    expect(watched.memory.sightings).toEqual({});
  });

  it('of it only what was seen counts, where nobody looked for long', () => {
    const watched = new Watched();
    watched.look(NOW, notReady());
    watched.look(NOW + MINUTE, notReady());
    watched.look(NOW + 10 * MINUTE, undefined);
    expect(watched.memory.sightings[UID]?.[notReady().key]?.spells).toEqual([
      { from: NOW, to: NOW + MINUTE, badMs: MINUTE },
    ]);
  });

  it('is remembered where nobody looked for long and it turned bad anew', () => {
    const watched = new Watched();
    watched.look(NOW, notReady());
    watched.look(NOW + MINUTE, notReady());
    watched.look(NOW + 10 * MINUTE, notReady({ changedAt: NOW + 9 * MINUTE }));
    expect(watched.known).toMatchObject({
      since: NOW + 9 * MINUTE,
      spells: [{ from: NOW, to: NOW + MINUTE, badMs: MINUTE }],
    });
  });

  it('is remembered while something else is bad', () => {
    const watched = new Watched();
    watched.look(NOW, [notReady(), failed()]);
    watched.look(NOW + MINUTE, failed());
    expect(watched.known?.spells).toEqual([{ from: NOW, to: NOW + MINUTE, badMs: MINUTE }]);
    expect(watched.memory.sightings[UID]).toHaveProperty([failed().key]);
  });

  it('began before the rules were edited by which it is bad, in the check or in the cluster', () => {
    const since = NOW - 4 * MINUTE;
    const rules = [{ type: 'Ready', statuses: ['False', 'Unknown'] as const, timeoutMs: MINUTE }];
    const quick = notReady({ key: 'node Ready=False,Unknown 60000', timeoutMs: MINUTE, changedAt: since });
    const before = seeIllnesses(emptyHealthMemory(), { suspects: [], generation: 1 }, [], since - MINUTE);
    const memory = {
      ...emptyHealthMemory(),
      sightings: before.sightings,
      lookedAt: NOW - MINUTE,
      rules: rulesKeyOf({ generation: 1 }),
    };
    const seen = { suspects: [suspect('m', { causes: [quick] })], generation: 1, clusterRules: rules };
    const after = seeIllnesses(memory, seen, [], NOW);
    expect(after.illnesses.get(UID)?.[0]).toMatchObject({ since, isUnhealthy: true });
  });
});

describe('of machines that are well again', () => {
  const spell = (to: number) => ({ from: to - MINUTE, to, badMs: MINUTE });
  const known = (...ends: number[]) => ({ [NOT_READY_KEY]: { timeoutMs: 60 * MINUTE, spells: ends.map(spell) } });
  /** What is remembered after a look at which these machines are bad. */
  const lookAt = (sightings: HealthMemory['sightings'], suspects: Suspect[] = []) => {
    const memory = { ...emptyHealthMemory(), sightings, lookedAt: NOW - 1000, rules: rulesKeyOf({ generation: 1 }) };
    return seeIllnesses(memory, { suspects, generation: 1 }, [], NOW).sightings;
  };
  const rememberedOf = (sightings: HealthMemory['sightings']) => Object.keys(lookAt(sightings));
  /** The lower its number, the longer it is well; the first one comes last. */
  const wellFor = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`well-${at}`, known(NOW - (count - at) * 1000)]).reverse(),
    );

  it.each([300, 500])('%i are remembered', (count) => {
    expect(rememberedOf(wellFor(count))).toHaveLength(count);
  });

  it('those are forgotten beyond five hundred that have been well for the longest', () => {
    const remembered = rememberedOf(wellFor(503));
    expect(remembered).toHaveLength(500);
    expect(['well-0', 'well-1', 'well-2', 'well-3'].map((uid) => remembered.includes(uid))).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  it('the last time counts at which anything of one was bad', () => {
    const lately = {
      ...known(NOW - 50 * MINUTE, NOW - 1500),
      other: { timeoutMs: 60 * MINUTE, spells: [spell(NOW - 40 * MINUTE)] },
    };
    const otherwise = { ...known(NOW - 50 * MINUTE), other: { timeoutMs: 60 * MINUTE, spells: [spell(NOW - 1500)] } };
    const remembered = rememberedOf({ ...wellFor(500), lately, otherwise });
    expect(remembered).toHaveLength(500);
    expect(['lately', 'otherwise', 'well-0', 'well-1'].filter((uid) => remembered.includes(uid))).toEqual([
      'lately',
      'otherwise',
    ]);
  });

  it('one that is bad is none of them, and what else was bad of it is not forgotten', () => {
    const other = { timeoutMs: 60 * MINUTE, spells: [spell(NOW - 50 * MINUTE)] };
    const bad = { 'uid-of-bad': { other } };
    const remembered = lookAt({ ...bad, ...wellFor(500) }, [suspect('bad')]);
    expect(Object.keys(remembered)).toHaveLength(501);
    expect(remembered['uid-of-bad']).toMatchObject({ other });
  });
});

describe('that it was told', () => {
  const tell = ({ sightings }: HealthMemory, uid = UID) => noteTold(sightings, [{ uid, key: NOT_READY_KEY }]);

  it('is remembered while it lasts, and while it comes and goes', () => {
    const watched = new Watched();
    expect(watched.look(NOW, notReady())?.isTold).toBe(false);
    watched.memory = { ...watched.memory, sightings: tell(watched.memory) };
    expect(watched.look(NOW + MINUTE, notReady())?.isTold).toBe(true);
    watched.look(NOW + 2 * MINUTE, undefined);
    expect(watched.look(NOW + 3 * MINUTE, notReady())?.isTold).toBe(true);
  });

  it('is noted of what is known, and of nothing else', () => {
    const watched = new Watched();
    watched.look(NOW, [notReady(), failed()]);
    const { sightings } = watched.memory;
    expect(tell({ ...watched.memory, sightings: { ...sightings, other: {} } })).toEqual({
      [UID]: { ...sightings[UID], [NOT_READY_KEY]: { ...watched.known, isTold: true } },
      other: {},
    });
    expect(tell(watched.memory, 'another')).toEqual(sightings);
  });
});

describe('what is bad is looked at again', () => {
  const ill = (timeoutMs: number, dueAt: number): Illness => ({
    cause: notReady({ timeoutMs }),
    since: NOW,
    dueAt: NOW + dueAt,
    isUnhealthy: dueAt <= 0,
    isFlapping: false,
    isTold: false,
  });

  it.each<[string, Illness[], number]>([
    ['three times within its time-out', [ill(5 * MINUTE, 5 * MINUTE)], 100_000],
    ['when it is due, where that is sooner', [ill(5 * MINUTE, 1000)], 1000],
    ['after three seconds at the soonest', [ill(6000, 6000)], 3000],
    ['when it is due already', [ill(5 * MINUTE, 0)], 100_000],
    ['when it was due before', [ill(5 * MINUTE, -1000)], 100_000],
    ['as the first of all has to be', [ill(MINUTE, MINUTE), ill(5 * MINUTE, 5 * MINUTE)], 20_000],
    ['never, where nothing has to be waited for', [ill(0, 0)], Infinity],
    ['never, where nothing is bad', [], Infinity],
  ])('%s', (_words, illnesses, after) => {
    expect(sightingsLookAt([illnesses, []], NOW)).toBe(NOW + after);
  });
});
