import { describe, expect, it } from '@jest/globals';
import { DEFAULT_MACHINE_SETTINGS } from '../machine/settings.ts';
import {
  ANNOTATE,
  begunOf,
  CHECK_UID,
  Course,
  failed,
  found,
  iso,
  MINUTE,
  neverJoined,
  NOT_READY_KEY,
  notReady,
  NOW,
  reasonsOf,
  REPLACE,
  rowOf,
  SET,
  setSight,
  suspect,
  wished,
  withoutSet,
} from './check-for-tests.ts';
import type { RemediationStep } from '../../k8s/model/machine-health-check.ts';
import type { FoundCheck, SeenCause, Suspect } from './health-activities.ts';
import { emptyHealthMemory } from './health-memory.ts';
import { given } from '../../providers/given.ts';

const { timeoutMs: _timeoutMs, ...FOR_EVER } = ANNOTATE;

const LONG_AGO = NOW - 60 * MINUTE;

/** Bad for an hour, at the first look. */
function longBad(name: string, changes: Partial<Suspect> = {}): Suspect {
  return suspect(name, { causes: [notReady({ changedAt: LONG_AGO })], ...changes });
}

const decideOnce = (seen: Partial<FoundCheck>) => new Course().look(NOW, found(seen));

describe('a machine that is not Ready', () => {
  it('is remediated after five minutes, and not before', () => {
    const course = new Course();
    course.look(NOW - 1000, found());
    const sick = found({ suspects: [suspect('m', { causes: [notReady({ changedAt: NOW })] })] });
    const first = course.look(NOW, sick);
    expect(rowOf(first, 'm')).toEqual({
      name: 'm',
      cause: 'Ready of its Node is Unknown (NodeStatusUnknown)',
      since: iso(NOW),
      next: 'is remediated when that has lasted for 5 min',
      dueAt: iso(NOW + 5 * MINUTE),
    });
    const begun = new Course(course.memory).lookUntil(first.lookAt, NOW + 10 * MINUTE, () => sick);
    expect(begun[0]).toEqual({ name: 'm', at: NOW + 5 * MINUTE });
  });

  it('says of a machine that comes and goes when that is enough, which is sooner', () => {
    const course = new Course();
    const sick = found({ suspects: [suspect('m', { causes: [notReady()] })] });
    course.look(NOW, sick);
    course.look(NOW + 4 * MINUTE, sick);
    course.look(NOW + 4 * MINUTE + 1000, found());
    const again = course.look(NOW + 5 * MINUTE, sick);
    const { dueAt = '', next } = rowOf(again, 'm') ?? {};
    expect(Date.parse(dueAt)).toBeLessThan(NOW + 10 * MINUTE);
    expect(next).toBe('is remediated when it was bad for more than half of the last 15 min, as it comes and goes');
  });

  it('says why, in the words of the cause and how long it lasted', () => {
    const { begin } = decideOnce({ suspects: [longBad('m')] });
    expect(begin).toEqual([
      {
        machine: { name: 'm', uid: 'uid-of-m' },
        step: REPLACE,
        cause: 'Ready of its Node is Unknown (NodeStatusUnknown) for 1 h',
        causes: [NOT_READY_KEY],
      },
    ]);
  });

  it('is due on time, though a script says every 30 s that it has just begun', () => {
    const course = new Course();
    course.look(NOW - 1000, found());
    const seen = (now: number) =>
      found({ suspects: [suspect('m', { causes: [notReady({ changedAt: now - ((now - NOW) % 30_000) })] })] });
    expect(course.lookUntil(NOW, NOW + 6 * MINUTE, seen)[0]).toEqual({ name: 'm', at: NOW + 5 * MINUTE });
  });

  it('is bad since our first sight of it, where it says a time at which it was seen to be good by the same rules', () => {
    const course = new Course();
    course.look(NOW - MINUTE, found());
    const decision = course.look(NOW, found({ suspects: [longBad('m')] }));
    expect([begunOf(decision), rowOf(decision, 'm').since]).toEqual([[], iso(NOW)]);
  });

  it('is not remediated once it is well, however long it waited', () => {
    const course = new Course();
    course.look(NOW, found({ paused: true, suspects: [longBad('m')] }));
    expect(begunOf(course.look(NOW + MINUTE, found()))).toEqual([]);
    expect(begunOf(course.look(NOW + 2 * MINUTE, found({ suspects: [suspect('m')] })))).toEqual([]);
  });
});

describe('who is left alone', () => {
  const failedAutoscaler = { lacksRoom: true, causes: [failed({ changedAt: NOW - 4 * MINUTE })] } as const;
  const sets = { [SET.uid]: setSight({ mayBeScaledDown: true }) };
  it.each<[string, Suspect, string]>([
    ['one that is being deleted', longBad('m', { isDeleting: true }), 'is being deleted'],
    ['one whose Cluster is paused', longBad('m', { pausedBy: 'Cluster default/c' }), 'Cluster default/c is paused'],
    ['one that somebody wants left alone', longBad('m', { skip: '' }), 'left alone'],
    ['one that somebody wants left alone until a time', longBad('m', { skip: iso(NOW + MINUTE) }), iso(NOW + MINUTE)],
    ['one that somebody wants left alone until no time', longBad('m', { skip: 'tomorrow' }), 'until tomorrow'],
    ['one that another program remedies', longBad('m', { isExternal: true }), 'another program'],
    ['one that another check claims', longBad('m', { claim: { name: 'other', uid: 'u' } }), 'health check other'],
    ['one that nobody controls', withoutSet(longBad('m')), 'no controller owns it'],
    ['one for which cluster-autoscaler may find room', suspect('m', failedAutoscaler), 'cluster-autoscaler'],
  ])('is %s', (_words, one, words) => {
    const decision = decideOnce({ suspects: [one], sets });
    expect(decision.begin).toEqual([]);
    expect(rowOf(decision, 'm').next).toContain(words);
  });

  it.each<[string, Suspect]>([
    ['somebody wanted left alone until now', longBad('m', { skip: iso(NOW) })],
    ['this check claims', longBad('m', { claim: { name: 'c', uid: CHECK_UID } })],
    [
      'cluster-autoscaler had its turn with',
      suspect('m', { ...failedAutoscaler, causes: [failed({ changedAt: NOW - 10 * MINUTE })] }),
    ],
    [
      'cluster-autoscaler has its turn with and a person wants remediated',
      suspect('m', { ...failedAutoscaler, causes: [failed({ changedAt: NOW }), wished()] }),
    ],
  ])('is not one that %s', (_words, one) => {
    expect(begunOf(decideOnce({ suspects: [one], sets }))).toEqual(['m']);
  });

  describe('is told before it is due as well', () => {
    const recent = (changes: Partial<Suspect> = {}) =>
      suspect('m', { causes: [notReady({ changedAt: NOW - MINUTE })], ...changes });
    const DUE = NOW + 4 * MINUTE;
    const BASE = 'when that has lasted for 5 min, it waits ';

    it.each<[string, Suspect, Partial<FoundCheck>, string, number | undefined]>([
      ['nobody controls it', withoutSet(recent()), {}, 'for a person: no controller owns it', undefined],
      ['somebody wants it left alone', recent({ skip: '' }), {}, 'until nobody wants it left alone', undefined],
      [
        'it is left alone for longer',
        recent({ skip: iso(DUE + MINUTE) }),
        {},
        `until ${iso(DUE + MINUTE)}`,
        DUE + MINUTE,
      ],
      [
        'another check claims it',
        recent({ claim: { name: 'other', uid: 'u' } }),
        {},
        'for the health check',
        undefined,
      ],
      ['another program remedies it', recent({ isExternal: true }), {}, 'for another program', undefined],
      ['its check is paused', recent(), { paused: true }, 'until the check is not paused', undefined],
    ])('where %s', (_why, one, more, words, dueAt) => {
      const decision = decideOnce({ suspects: [one], ...more });
      const row = rowOf(decision, 'm');
      expect([row?.next.startsWith(BASE + words), row?.dueAt]).toEqual([
        true,
        dueAt === undefined ? undefined : iso(dueAt),
      ]);
      // It costs no look.
      expect(decision.lookAt).toBe(decideOnce({ suspects: [recent()] }).lookAt);
    });

    it('but not where that is over by then', () => {
      const row = rowOf(decideOnce({ suspects: [recent({ skip: iso(DUE) })] }), 'm');
      expect(row).toMatchObject({ next: 'is remediated when that has lasted for 5 min', dueAt: iso(DUE) });
    });
  });

  it('is seen to again when that is over', () => {
    const skipped = decideOnce({ suspects: [longBad('m', { skip: iso(NOW + MINUTE) })] });
    expect(skipped.lookAt).toBe(NOW + MINUTE);
    const autoscaler = decideOnce({ suspects: [suspect('m', failedAutoscaler)], sets });
    expect(autoscaler.lookAt).toBe(NOW + 6 * MINUTE);
  });

  it('is told of once, where nobody controls it', () => {
    const course = new Course();
    const seen = found({ suspects: [withoutSet(longBad('m'))] });
    expect(course.look(NOW, seen).events.map(({ reason }) => reason)).toEqual([
      'DetectedUnhealthy',
      'SkippedNoController',
    ]);
    expect(course.look(NOW + MINUTE, seen).events).toEqual([]);
  });

  it.each<[string, readonly RemediationStep[], string[]]>([
    ['another program has all the time that it wants before', [FOR_EVER, REPLACE], []],
    [
      'another program has some time before',
      [ANNOTATE, REPLACE],
      [
        'Machine m is not replaced where no other step helps: then it waits for a person: no controller owns it, so that nobody would make another one',
      ],
    ],
    [
      'nothing comes before',
      [REPLACE, FOR_EVER],
      ['Machine m is left alone: waits for a person: no controller owns it, so that nobody would make another one'],
    ],
  ])('is said not to be replaced, where %s', (_words, steps, expected) => {
    const remediation = { ...found().remediation, steps };
    const { events } = decideOnce({ remediation, suspects: [withoutSet(longBad('m'))] });
    const skipped = events.filter(({ reason }) => reason === 'SkippedNoController');
    expect(skipped.map(({ message }) => message)).toEqual(expected);
  });

  it('is said not to be replaced once, whatever else of it turns bad, and again where it fails', () => {
    const course = new Course();
    const look = (minutes: number, ...causes: SeenCause[]) =>
      course
        .look(NOW + minutes * MINUTE, found({ suspects: [withoutSet(suspect('m', { causes }))] }))
        .events.map(({ reason }) => reason);
    const [first, second] = [notReady({ changedAt: LONG_AGO }), notReady({ key: 'other', changedAt: LONG_AGO })];
    expect(look(0, first)).toEqual(['DetectedUnhealthy', 'SkippedNoController']);
    expect(look(10, first, second)).toEqual([]);
    expect(look(16, first, second)).toEqual(['DetectedUnhealthy']);
    expect(look(17, first, second, failed())).toEqual(['DetectedUnhealthy', 'SkippedNoController']);
  });

  it('tells what is wrong with it also where a person wants it remediated', () => {
    const cause = `${notReady().words}; besides, ${wished().words}`;
    const both = suspect('m', { causes: [notReady({ changedAt: NOW - MINUTE }), wished()] });
    expect(rowOf(decideOnce({ paused: true, suspects: [both] }), 'm')).toMatchObject({
      cause,
      since: iso(NOW - MINUTE),
      next: 'waits until the check is not paused any more',
    });
  });

  it('that has failed says so, whatever was wrong with it before', () => {
    const causes = [notReady({ changedAt: LONG_AGO }), failed({ since: NOW - MINUTE })];
    expect(decideOnce({ suspects: [suspect('m', { causes })] }).begin).toMatchObject([{ cause: failed().words }]);
    const row = rowOf(decideOnce({ paused: true, suspects: [suspect('m', { causes })] }), 'm');
    expect(row).toMatchObject({ cause: failed().words, since: iso(NOW - 60 * MINUTE), dueAt: iso(NOW - 55 * MINUTE) });
    const wanted = rowOf(
      decideOnce({ paused: true, suspects: [suspect('m', { causes: [...causes, wished()] })] }),
      'm',
    );
    expect(wanted.cause).toBe(`${failed().words}; besides, ${wished().words}`);
  });

  it('is due when what holds it up is over', () => {
    const skip = iso(NOW + 7 * MINUTE);
    expect(rowOf(decideOnce({ suspects: [longBad('m', { skip })] }), 'm').dueAt).toBe(skip);
  });

  it('that never had a Node tells how long ago its launch was', () => {
    const { events } = decideOnce({ suspects: [suspect('m', { causes: [neverJoined(NOW - 11 * MINUTE)] })] });
    expect(events[0]?.message).toBe('Machine m is unhealthy: its Node did not come, 11 min ago');
  });

  const fresh = (name: string) => suspect(name, { causes: [notReady({ changedAt: NOW })] });
  it.each<[string, Suspect[], true | undefined]>([
    ['one that is unhealthy, and that nobody controls', [withoutSet(longBad('m'))], true],
    ['such a one, whatever else nobody controls', [withoutSet(longBad('m')), withoutSet(fresh('n'))], true],
    ['none that a controller owns', [longBad('m', { pausedBy: 'it' })], undefined],
    ['none that is not bad for long enough yet', [withoutSet(fresh('n'))], undefined],
  ])('is left to people: %s', (_words, suspects, isLeft) => {
    expect(decideOnce({ suspects }).isLeftToPeople).toBe(isLeft);
  });

  it('is not left to people while another program is to remedy it, nor while nothing of it is bad for long enough any more', () => {
    const remediation = { ...found().remediation, steps: [ANNOTATE, { ...ANNOTATE, key: 'another.example' }] };
    const course = new Course();
    const look = (minutes: number, one: Suspect) =>
      course.look(NOW + minutes * MINUTE, found({ remediation, suspects: [withoutSet(one)] }));
    const begun = look(0, longBad('m'));
    expect([begunOf(begun), begun.isLeftToPeople]).toEqual([['m'], undefined]);
    const recovering = look(10, suspect('m', { causes: [notReady({ key: 'fresh' })] }));
    expect(rowOf(recovering, 'm').next).toContain('; it waits until that has lasted for 5 min');
    expect(recovering.isLeftToPeople).toBeUndefined();
  });

  it('is not one without a controller that is to be annotated only', () => {
    const remediation = { ...found().remediation, steps: [ANNOTATE] };
    expect(begunOf(decideOnce({ remediation, suspects: [withoutSet(longBad('m'))] }))).toEqual(['m']);
  });

  it('is everyone while the check is paused; what lasts goes on to last', () => {
    const course = new Course();
    const paused = course.look(NOW, found({ paused: true, suspects: [suspect('m')] }));
    expect(paused.begin).toEqual([]);
    for (let minute = 1; minute < 6; minute += 1) {
      const seen = found({ paused: true, suspects: [suspect('m')] });
      expect(course.look(NOW + minute * MINUTE, seen).begin).toEqual([]);
    }
    expect(begunOf(course.look(NOW + 6 * MINUTE, found({ suspects: [suspect('m')] })))).toEqual(['m']);
  });
});

describe('the order', () => {
  it('is: proved dead, never joined the first time, longest unhealthy, never joined again', () => {
    const neverJoined = (since: number) => ({
      key: 'never joined',
      kind: 'neverJoined' as const,
      words: 'its Node did not come',
      timeoutMs: 10 * MINUTE,
      since,
    });
    const suspects = [
      suspect('late', { causes: [notReady({ changedAt: NOW - 20 * MINUTE })] }),
      suspect('early', { causes: [notReady({ changedAt: NOW - 40 * MINUTE })] }),
      suspect('joins-2', { causes: [neverJoined(NOW - 50 * MINUTE)] }),
      suspect('joins-1', { causes: [neverJoined(NOW - 55 * MINUTE)] }),
      suspect('dead', { isProved: true, causes: [failed({ changedAt: NOW })] }),
    ];
    const remediation = { ...found().remediation, maxInFlight: { count: 9 } };
    const decision = decideOnce({ suspects, remediation });
    expect(begunOf(decision)).toEqual(['dead', 'joins-1', 'early', 'late', 'joins-2']);
    expect(decision.memory.neverJoined).toEqual({ [SET.uid]: NOW });
  });

  it('is told why: that the cloud says what is no suspicion, unless its failure says so', () => {
    const suspects = [
      suspect('stopped', { isProved: true, causes: [notReady({ changedAt: NOW - 20 * MINUTE })] }),
      suspect('failed', { isProved: true, causes: [failed({ changedAt: NOW })] }),
      suspect('silent', { causes: [notReady({ changedAt: NOW - 20 * MINUTE })] }),
    ];
    const remediation = { ...found().remediation, maxInFlight: { count: 9 } };
    const decision = decideOnce({ suspects, remediation });
    const proof = ', and the cloud says that its instance does not run';
    const isTold = (words: string) => words.includes(proof);
    expect(decision.begin.map(({ machine, cause }) => [machine.name, isTold(cause)])).toEqual([
      ['stopped', true],
      ['failed', false],
      ['silent', false],
    ]);
    expect(Object.fromEntries(decision.unhealthy.map(({ name, cause }) => [name, isTold(cause)]))).toEqual({
      stopped: true,
      failed: false,
      silent: false,
    });
  });

  it('forgets after an hour that one never joined', () => {
    const memory = { ...emptyHealthMemory(), neverJoined: { [SET.uid]: NOW - 60 * MINUTE } };
    expect(new Course(memory).look(NOW, found()).memory).toMatchObject({ neverJoined: {} });
  });

  it('lets control-plane machines go one at a time, and others by them', () => {
    const remediation = { ...found().remediation, maxInFlight: { count: 5 } };
    const suspects = ['cp-1', 'cp-2'].map((name) => longBad(name, { isControlPlane: true }));
    const decision = decideOnce({ remediation, suspects: [...suspects, longBad('worker')] });
    expect(begunOf(decision)).toEqual(['cp-1', 'worker']);
    expect(rowOf(decision, 'cp-2').next).toContain('another control-plane machine');
    expect(reasonsOf(decision)).toEqual([]);
  });
});

describe('the API server', () => {
  it.each([
    ['is away', undefined, ['RecentOutage'], NOW + 50_000],
    ['was away a moment ago', NOW - 10_000, ['RecentOutage'], NOW + 40_000],
    ['was away a minute ago', NOW - 60_000, [], NOW + 5000],
  ] as const)('holds all remediations up while it %s', (_words, until, reasons, lookAt) => {
    const outages = [
      { from: iso(NOW - 2 * MINUTE), ...given({ until: until === undefined ? undefined : iso(until) }) },
    ];
    const decision = decideOnce({ outages, suspects: [longBad('m')] });
    expect(reasonsOf(decision)).toEqual(reasons);
    expect(begunOf(decision)).toEqual(reasons.length === 0 ? ['m'] : []);
    expect(decision.lookAt).toBe(lookAt);
  });

  it('is told to hold up what is due before the control plane knows again which Nodes answer', () => {
    const outages = [{ from: iso(NOW - 20_000), until: iso(NOW - 10_000) }];
    const dueIn = (ms: number) => suspect('m', { causes: [notReady({ changedAt: NOW - 5 * MINUTE + ms - 10_000 })] });
    const held = rowOf(decideOnce({ outages, suspects: [dueIn(30_000)] }), 'm');
    expect(held).toMatchObject({ next: expect.stringContaining('(ApiServerAway)'), dueAt: iso(NOW + 40_000) });
    const later = rowOf(decideOnce({ outages, suspects: [dueIn(50_000)] }), 'm');
    expect(later).toMatchObject({ next: 'is remediated when that has lasted for 5 min', dueAt: iso(NOW + 50_000) });
  });

  it('is looked at when it is over, also where it holds nothing up', () => {
    const outages = [{ from: iso(NOW - 20_000), until: iso(NOW - 10_000) }];
    const joining = suspect('joining', { causes: [] });
    const decision = decideOnce({ outages, suspects: [joining] });
    expect([reasonsOf(decision), decision.lookAt]).toEqual([['RecentOutage'], NOW + 40_000]);
    expect(decideOnce({ suspects: [joining] }).lookAt).toBe(Infinity);
  });

  it('holds them up for as long as the worker was told', () => {
    const outages = [{ from: iso(NOW - 2 * MINUTE), until: iso(NOW - 10_000) }];
    const settings = { ...DEFAULT_MACHINE_SETTINGS, nodeMonitorGraceSeconds: 5 };
    expect(begunOf(decideOnce({ outages, settings, suspects: [longBad('m')] }))).toEqual(['m']);
  });
});

describe('too many that are unhealthy', () => {
  it('hold all remediations up, and it says so', () => {
    const limits = { ...found().limits, maxUnhealthy: { count: 1 } };
    const decision = decideOnce({ limits, suspects: [longBad('a'), longBad('b')] });
    expect([begunOf(decision), reasonsOf(decision)]).toEqual([[], ['TooManyUnhealthy']]);
  });
});

describe('that others wait', () => {
  it('is told with what is under way, and with a replacement that is no better', () => {
    const course = new Course();
    const one = { remediation: { ...found().remediation, maxInFlight: { count: 1 } } };
    const others = { ...SET, name: 'others', uid: 'uid-of-others' };
    const sets = { [others.uid]: setSight(), [SET.uid]: setSight() };
    const other = longBad('other', { set: others });
    const proved = longBad('old', { isProved: true });
    const first = course.look(NOW, found({ suspects: [proved, other], sets, ...one }));
    expect(first.brakes[0]?.message).toContain('1 remediation is under way (of old), and at most 1 may be');
    const failing = suspect('new', { createdAt: iso(NOW + 1000), causes: [failed({ since: NOW + 2000 })] });
    const unready = [{ uid: failing.uid, createdAt: failing.createdAt }];
    const seen = found({ suspects: [failing, other], sets: { ...sets, [SET.uid]: setSight({ unready }) }, ...one });
    expect(course.look(NOW + 10_000, seen).brakes[0]?.message).toContain(
      '1 remediation is under way (of old, whose replacement new is no better), and at most 1 may be',
    );
  });
});

describe('what is news', () => {
  const reasons = (course: Course, at: number, seen: FoundCheck) =>
    course.look(at, seen).events.map(({ reason, message }) => `${reason}: ${message}`);

  it('is told once', () => {
    const course = new Course();
    const sick = found({ suspects: [longBad('m')] });
    expect(reasons(course, NOW, sick)).toEqual([
      'DetectedUnhealthy: Machine m is unhealthy: Ready of its Node is Unknown (NodeStatusUnknown) for 1 h',
    ]);
    const short = { sets: { [SET.uid]: setSight({ missing: 1 }) } };
    const deleting = found({ suspects: [longBad('m', { isDeleting: true })], ...short });
    expect(reasons(course, NOW + 1000, deleting)).toEqual([]);
    expect(reasons(course, NOW + MINUTE, found())).toEqual([
      'RemediationSucceeded: Machine m is gone, and its set is whole again; it was remediated for this: Ready of its Node is Unknown (NodeStatusUnknown) for 1 h',
    ]);
    expect(reasons(course, NOW + 2 * MINUTE, found())).toEqual([]);
  });

  it('is not that a Node goes down with its machine, which somebody deletes', () => {
    const deleting = found({ suspects: [longBad('m', { isDeleting: true })] });
    expect(reasons(new Course(), NOW, deleting)).toEqual([]);
  });

  it('is one event of many machines', () => {
    const suspects = Array.from({ length: 40 }, (_, at) => longBad(`m-${at + 10}`));
    const told = new Course().look(NOW, found({ expected: 500, suspects })).events;
    expect(told).toHaveLength(1);
    expect(told[0]?.message).toContain('40 Machines are unhealthy: m-10, m-11,');
    expect(told[0]?.message).toContain('and 30 more');
  });

  it('is that rules of the cluster are broken, until the status says so', () => {
    const broken = found({ rulesProblem: 'no YAML' });
    expect(new Course().look(NOW, broken).events).toMatchObject([{ reason: 'BrokenRules' }]);
    const conditions = [
      { type: 'RulesValid', status: 'False', reason: 'BrokenRules', message: '', lastTransitionTime: iso(NOW) },
    ] as const;
    expect(new Course().look(NOW, { ...broken, status: { conditions } }).events).toEqual([]);
  });
});

describe('the rows of machines that are not healthy', () => {
  it('come by the age of their trouble; last those that only count', () => {
    const suspects = [
      suspect('joining', { causes: [], nodeReady: 'False' }),
      suspect('leaving', { causes: [], isDeleting: true }),
      suspect('b', { causes: [notReady({ changedAt: NOW - 2 * MINUTE })] }),
      suspect('a', { causes: [notReady({ changedAt: NOW - 3 * MINUTE })] }),
    ];
    const { unhealthy } = decideOnce({ suspects });
    expect(unhealthy.map(({ name }) => name)).toEqual(['a', 'b', 'joining', 'leaving']);
    expect(unhealthy.at(-1)).toMatchObject({ cause: 'it is being deleted' });
  });

  it('say of a healthy machine that the claim of this check is still on it', () => {
    const claim = { name: 'check', uid: CHECK_UID };
    const others = { name: 'another', uid: 'uid-of-another' };
    const suspects = [suspect('own', { causes: [], claim }), suspect('theirs', { causes: [], claim: others })];
    const decision = decideOnce({ suspects });
    expect(rowOf(decision, 'own').cause).toBe('it is healthy, and its claim by this check is to be taken off');
    expect(rowOf(decision, 'theirs').cause).toBe('it is not healthy yet');
  });

  it('say that time stands still while the API server is away', () => {
    const decision = decideOnce({ outages: [{ from: iso(NOW - MINUTE) }], suspects: [suspect('m')] });
    expect(rowOf(decision, 'm')).not.toHaveProperty('dueAt');
    expect(rowOf(decision, 'm').next).toContain('stands still');
  });
});
