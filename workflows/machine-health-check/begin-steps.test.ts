import { describe, expect, it } from '@jest/globals';
import { REQUEST_MARK } from './health-activities.ts';
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
  notReady,
  NOW,
  REPLACE,
  reasonsOf,
  rowOf,
  SET,
  setSight,
  suspect,
  wished,
} from './check-for-tests.ts';
import type { FoundCheck, SetSight, Suspect } from './health-activities.ts';
import { emptyHealthMemory } from './health-memory.ts';
import type { RemediationStep } from '../../k8s/model/machine-health-check.ts';
import { given, unlessEmpty } from '../../providers/given.ts';

const REBOOT = { action: 'Reboot', drainTimeoutMs: 10 * MINUTE, maxReboots: 1 } as const;
const TEMPLATE = {
  action: 'Template',
  template: { apiVersion: 'example.com/v1', kind: 'RepairTemplate', name: 't' },
} as const;
const LONG_AGO = NOW - 60 * MINUTE;
const OTHER_SET = { ...SET, name: 'others', uid: 'uid-of-others' };
const ill = (name: string, changes: Partial<Suspect> = {}) =>
  suspect(name, { causes: [notReady({ changedAt: LONG_AGO })], ...changes });
const policy = (count: number, ...steps: RemediationStep[]) => ({
  ...found().remediation,
  maxInFlight: { count },
  ...given({ steps: unlessEmpty(steps) }),
});
const of = (suspects: readonly Suspect[], changes: Partial<FoundCheck> = {}): FoundCheck =>
  found({ suspects, sets: { [SET.uid]: setSight(), [OTHER_SET.uid]: setSight() }, ...changes });

describe('what begins', () => {
  it('is the remediation of what has been bad for too long, whatever else is bad of it', () => {
    const both = [notReady({ changedAt: LONG_AGO }), notReady({ key: 'fresh', changedAt: NOW })];
    const decision = new Course().look(NOW, of([suspect('m', { causes: both })]));
    expect(decision.begin).toMatchObject([{ machine: { name: 'm' }, causes: [notReady().key] }]);
    expect(begunOf(new Course().look(NOW, of([suspect('m', { causes: [notReady({ changedAt: NOW })] })])))).toEqual([]);
  });

  it('says for which cause: of a machine that a storm holds by another one, for the one that is not the storm', () => {
    const storm = Array.from({ length: 6 }, (_, at) => ill(`m-${at}`));
    const also = ill('also', { causes: [notReady({ changedAt: LONG_AGO - MINUTE }), failed()] });
    const decision = new Course().look(NOW, of([...storm, also]));
    expect(reasonsOf(decision)).toEqual(['ManyAtOnce']);
    expect(decision.begin).toMatchObject([{ machine: { name: 'also' }, cause: failed().words }]);
  });

  it('tells how many wait for their turn only', () => {
    const decision = new Course().look(
      NOW,
      of(
        ['a', 'b', 'c'].map((name) => ill(name)),
        { remediation: policy(1) },
      ),
    );
    expect(begunOf(decision)).toEqual(['a']);
    expect(decision.brakes).toMatchObject([
      { reason: 'AtLimit', message: expect.stringContaining('): 2 more machines wait') },
    ]);
  });

  it('leaves a set for others whose machine has never joined, for an hour, also after looks at which nothing begins', () => {
    const course = new Course();
    const late = (name: string, at: number) => suspect(name, { causes: [neverJoined(at - 60 * MINUTE)] });
    expect(begunOf(course.look(NOW, of([late('first', NOW)])))).toEqual(['first']);
    course.look(NOW + MINUTE, of([]));
    course.look(NOW + 2 * MINUTE, of([]));
    const at = NOW + 3 * MINUTE;
    const one = { remediation: policy(1) };
    expect(
      begunOf(course.look(at, of([late('again', at), ill('other', { set: OTHER_SET, causes: [failed()] })], one))),
    ).toEqual(['other']);
  });

  it('has the first that may be replaced go early, where one that never joined either is left alone', () => {
    const late = (name: string, minutes: number, changes: Partial<Suspect> = {}) =>
      suspect(name, { causes: [neverJoined(NOW - minutes * MINUTE)], ...changes });
    const left = late('left', 60, { skip: '' });
    const all = [left, late('late', 30), ill('old', { set: OTHER_SET })];
    expect(begunOf(new Course().look(NOW, of(all, { remediation: policy(1) })))).toEqual(['late']);
  });

  it('has the first go early for which a step is left, where one that never joined either was rebooted too often', () => {
    const late = (name: string, minutes: number, changes: Partial<Suspect> = {}) =>
      suspect(name, { causes: [neverJoined(NOW - minutes * MINUTE)], ...changes });
    const spent = late('spent', 60, { reboot: { times: [iso(NOW - MINUTE)] } });
    const all = [spent, late('late', 30), ill('old', { set: OTHER_SET })];
    const reboot = { action: 'Reboot', drainTimeoutMs: 10 * MINUTE, maxReboots: 1 } as const;
    expect(begunOf(new Course().look(NOW, of(all, { remediation: policy(1, reboot) })))).toEqual(['late']);
  });

  it('leaves no set for others whose machine was ill by something else', () => {
    const course = new Course();
    expect(begunOf(course.look(NOW, of([ill('first')])))).toEqual(['first']);
    course.look(NOW + MINUTE, of([]));
    const late = suspect('late', { causes: [neverJoined(LONG_AGO)] });
    const next = course.look(
      NOW + 2 * MINUTE,
      of([ill('ill', { causes: [failed()] }), late], { remediation: policy(1) }),
    );
    expect(begunOf(next)).toEqual(['late']);
  });
});

describe('a step that is taken again', () => {
  const steps = [ANNOTATE, { ...ANNOTATE, key: 'another.example' }, REPLACE];
  const askedOf = (course: Course) => course.memory.slots['uid-of-m']?.asked.times;
  const refused = { outcome: 'refused', message: 'no' } as const;

  it('is counted', () => {
    const course = new Course();
    const check = of([ill('m')], { remediation: policy(1, ...steps) });
    course.look(NOW, check, refused);
    course.look(NOW + MINUTE, check, refused);
    expect(askedOf(course)).toBe(2);
  });

  it('is counted anew where it is the next one, although it does the same', () => {
    const course = new Course();
    const check = of([ill('m')], { remediation: policy(1, ...steps) });
    course.look(NOW, check, refused);
    course.look(NOW + MINUTE, check);
    const later = course.look(NOW + 12 * MINUTE, check);
    expect(later.begin).toMatchObject([{ step: { key: 'another.example' } }]);
    expect(askedOf(course)).toBe(1);
  });

  it('is taken anew where the check was edited, and another annotation or a reboot has its place', () => {
    const begun = (...steps: RemediationStep[]) => {
      const course = new Course();
      course.look(NOW, of([ill('m')], { remediation: policy(1, ANNOTATE, REPLACE) }));
      const own = ill('m', { isExternal: true, claim: { name: 'check', uid: CHECK_UID }, marks: [ANNOTATE.key] });
      return course.look(NOW + 2 * MINUTE, of([own], { remediation: policy(1, ...steps) })).begin;
    };
    const other = { ...ANNOTATE, key: 'another.example' };
    expect(begun(other, REPLACE)).toMatchObject([{ step: other }]);
    expect(begun(REBOOT, REPLACE)).toMatchObject([{ step: REBOOT }]);
    expect(begun(ANNOTATE, REPLACE)).toEqual([]);
    const course = new Course();
    course.look(NOW, of([ill('m')], { remediation: policy(1, TEMPLATE, REPLACE) }));
    const claimed = ill('m', { claim: { name: 'check', uid: CHECK_UID } });
    const edited = of([claimed], { remediation: policy(1, ANNOTATE, REPLACE) });
    expect(course.look(NOW + 2 * MINUTE, edited).begin).toMatchObject([{ step: ANNOTATE }]);
  });

  it('is counted anew where the check was edited, and another one has its place', () => {
    const course = new Course();
    course.look(NOW, of([ill('m')], { remediation: policy(1, ANNOTATE, REPLACE) }), refused);
    course.look(NOW + MINUTE, of([ill('m')], { remediation: policy(1, ANNOTATE, REPLACE) }), refused);
    const edited = course.look(NOW + 2 * MINUTE, of([ill('m')], { remediation: policy(1, REPLACE) }));
    expect(edited.begin).toMatchObject([{ step: { action: 'Replace' } }]);
    expect(askedOf(course)).toBe(1);
  });
});

describe('the replacement of a replacement that failed', () => {
  /** A check that begins with one at a time, and machines of another set that wait for that. */
  function afterStorm() {
    const seen = (suspects: Suspect[], set: Partial<SetSight>) =>
      of(suspects, { remediation: policy(3), sets: { [SET.uid]: setSight(set) } });
    const others = ['a', 'b', 'c'].map((name) => suspect(name, { set: OTHER_SET, causes: [failed()] }));
    return { course: new Course({ ...emptyHealthMemory(), pace: 1 }), seen, others };
  }

  const one = { remediation: policy(1) };
  const failedOne = suspect('new', { createdAt: iso(NOW + 1000), causes: [failed({ since: NOW + 2000 })] });
  const unready = [{ uid: failedOne.uid, createdAt: failedOne.createdAt }];
  const sets = { [SET.uid]: setSight({ unready }) };

  it('waits where another program remedies that one', () => {
    const course = new Course();
    course.look(NOW, of([ill('old')], one));
    const external = of([{ ...failedOne, isExternal: true }], { ...one, sets });
    const decision = course.look(NOW + 10 * MINUTE, external);
    expect(begunOf(decision)).toEqual([]);
    expect(rowOf(decision, 'new').next).toContain('for another program');
    expect(begunOf(course.look(NOW + 11 * MINUTE, of([failedOne], { ...one, sets })))).toEqual(['new']);
  });

  it('holds the only place of a check that begins with one at a time after a storm, however often it fails', () => {
    const course = new Course({ ...emptyHealthMemory(), pace: 1 });
    const three = { remediation: policy(3) };
    expect(course.look(NOW, of([ill('old')], three)).inFlight).toEqual({ count: 1, limit: 1 });
    const other = suspect('other', { set: OTHER_SET, causes: [failed({ key: 'failed later' })] });
    const begun = [1, 2, 3, 4].map((nth) => {
      const at = NOW + 10 * nth * MINUTE;
      const again = suspect(`new-${nth}`, {
        createdAt: iso(at - 9 * MINUTE),
        causes: [failed({ since: at - 8 * MINUTE })],
      });
      const unready = [{ uid: again.uid, createdAt: again.createdAt }];
      const failing = of([again, other], { ...three, sets: { [SET.uid]: setSight({ unready }) } });
      const first = begunOf(course.look(at, failing));
      const short = { [SET.uid]: setSight({ missing: 1 }) };
      const leaving = of([{ ...again, isDeleting: true as const }, other], { ...three, sets: short });
      return [first, begunOf(course.look(at + MINUTE, leaving)), course.last?.inFlight];
    });
    expect(begun).toEqual([1, 2, 3, 4].map((nth) => [[`new-${nth}`], [], { count: 1, limit: 1 }]));
  });

  it('is told with the place that it has, while it waits', () => {
    const course = new Course();
    course.look(NOW, of([ill('old')], one));
    const other = suspect('other', { set: OTHER_SET, causes: [failed()] });
    const { brakes } = course.look(
      NOW + 10_000,
      of([failedOne, other], { ...one, sets: { ...sets, [OTHER_SET.uid]: setSight() } }),
    );
    const message = expect.stringContaining(
      'under way (of old, whose replacement new is no better), and at most 1 may be',
    );
    expect(brakes).toMatchObject([{ reason: 'AtLimit', message }]);
  });

  it('is no success where its set is scaled down instead: after a storm the next ones begin one at a time still', () => {
    const { course, seen, others } = afterStorm();
    expect(begunOf(course.look(NOW, seen([ill('old'), ...others], { wanted: 10 })))).toHaveLength(1);
    const [first = ''] = Object.values(course.memory.slots).map(({ name }) => name);
    expect(first).toBe('old');
    const waiting = course.look(NOW + MINUTE, seen(others, { wanted: 10, missing: 1 }));
    expect([begunOf(waiting), waiting.inFlight]).toEqual([[], { count: 1, limit: 1 }]);
    const told = course.look(
      NOW + MINUTE + 1000,
      seen(others, { wanted: 9, unready: [{ uid: 'uid-of-new', createdAt: iso(NOW + 1000) }] }),
    );
    expect([begunOf(told), told.inFlight]).toEqual([[], { count: 1, limit: 1 }]);
    const down = course.look(NOW + 2 * MINUTE, seen(others, { wanted: 9 }));
    expect([begunOf(down).length, down.inFlight]).toEqual([1, { count: 1, limit: 1 }]);
  });

  it('is no success where its set was scaled down while it went', () => {
    const { course, seen, others } = afterStorm();
    course.look(NOW, seen([ill('old'), ...others], { wanted: 10 }));
    course.look(NOW + 1000, seen([{ ...ill('old'), isDeleting: true }, ...others], { wanted: 9 }));
    const down = course.look(NOW + 2 * MINUTE, seen(others, { wanted: 9 }));
    expect([begunOf(down).length, down.inFlight]).toEqual([1, { count: 1, limit: 1 }]);
  });

  it('keeps others of the control plane waiting as well', () => {
    const course = new Course();
    const two = { remediation: policy(2) };
    course.look(NOW, of([ill('old', { isControlPlane: true })], two));
    const again = { ...failedOne, isControlPlane: true as const };
    expect(begunOf(course.look(NOW + 10 * MINUTE, of([again], { ...two, sets })))).toEqual(['new']);
    const other = suspect('other', { isControlPlane: true, set: OTHER_SET, causes: [failed()] });
    const asked = course.look(NOW + 10 * MINUTE + 1000, of([again, other], { ...two, sets }));
    expect(rowOf(asked, 'other').next).toContain('another control-plane machine');
    const decision = course.look(NOW + 11 * MINUTE, of([{ ...again, isDeleting: true }, other], two));
    expect(begunOf(decision)).toEqual([]);
    expect(rowOf(decision, 'other').next).toContain('another control-plane machine');
  });
});

describe('a replacement that has joined, and is no better than what it replaced', () => {
  const replacement = ill('m', { createdAt: iso(LONG_AGO - MINUTE), marks: [ANNOTATE.key] });
  /** So many were replaced in its set before, none of which was better. */
  const courseAfter = (replacements: number) => {
    const madeWhole = [{ maker: SET.uid, since: LONG_AGO - 5 * MINUTE, at: LONG_AGO, replacements }];
    return new Course({ ...emptyHealthMemory(), madeWhole });
  };

  it('waits no longer than others where its deletion was refused', () => {
    const course = courseAfter(0);
    expect(begunOf(course.look(NOW, of([replacement]), { outcome: 'refused', message: 'no' }))).toEqual(['m']);
    expect(begunOf(course.look(NOW + 5000, of([replacement])))).toEqual(['m']);
  });

  it('is due when its step is, where somebody wants it left alone for less long', () => {
    const skip = iso(NOW + MINUTE);
    const decision = courseAfter(6).look(NOW, of([{ ...replacement, skip }]));
    expect(begunOf(decision)).toEqual([]);
    expect(rowOf(decision, 'm')).toMatchObject({
      next: expect.stringContaining(`waits until ${skip}: somebody wants it left alone`),
      dueAt: iso(NOW + 5 * MINUTE),
    });
    expect(decision.lookAt).toBe(NOW + MINUTE);
  });

  it('was due when its wait was over, where the check is paused since', () => {
    const course = courseAfter(6);
    course.look(NOW, of([replacement]));
    const decision = course.look(NOW + 6 * MINUTE, of([replacement], { paused: true }));
    expect(begunOf(decision)).toEqual([]);
    expect(rowOf(decision, 'm')).toMatchObject({
      next: 'waits until the check is not paused any more',
      dueAt: iso(NOW + 5 * MINUTE),
    });
  });

  it.each([
    ['does not wait', 50_000, 'waits until 2026-01-01T12:05:00.000Z to be replaced'],
    ['waits', 49_999, 'waits for the control plane to know again which Nodes answer'],
  ])('%s for an outage of the API server that ended %i ms before it is due', (_what, beforeMs, words) => {
    const dueAt = NOW + 5 * MINUTE;
    const outages = [{ from: iso(NOW), until: iso(dueAt - beforeMs) }];
    const decision = courseAfter(6).look(dueAt - 1000, { ...of([replacement]), outages });
    expect(begunOf(decision)).toEqual([]);
    expect(rowOf(decision, 'm').next).toContain(words);
  });

  it('is due when an outage of the API server lets it', () => {
    const outages = [{ from: iso(NOW - 10_000), until: iso(NOW) }];
    const decision = courseAfter(0).look(NOW, { ...of([replacement]), outages });
    expect(begunOf(decision)).toEqual([]);
    expect(rowOf(decision, 'm')).toMatchObject({
      next: expect.stringContaining('waits for the control plane to know again which Nodes answer'),
      dueAt: iso(NOW + 50_000),
    });
  });

  it.each([
    ['another program has it for longer', 10, 0, '12:10', ''],
    ['another program has it for as long', 1, 0, '12:01', ''],
    [
      'it waits for longer than another program has it',
      10,
      4,
      '12:16',
      ': each replacement that is no better is replaced later than the one before',
    ],
  ])('is replaced when both times are over, where %s', (_where, minutes, before, until, why) => {
    const steps = [{ ...ANNOTATE, timeoutMs: minutes * MINUTE }, REPLACE];
    const check = of([replacement], { remediation: policy(1, ...steps) });
    const course = courseAfter(before);
    expect(course.look(NOW, check).begin).toMatchObject([{ step: steps[0] }]);
    const [, next] = rowOf(course.look(NOW + MINUTE / 2, check), 'm').next.split('; it ');
    expect(next).toBe(`waits until 2026-01-01T${until}:00.000Z to be replaced${why}`);
    const dueAt = Date.parse(`2026-01-01T${until}:00Z`);
    expect(begunOf(course.look(dueAt - 1, check))).toEqual([]);
    expect(course.look(dueAt, check).begin).toMatchObject([{ step: REPLACE }]);
  });
});

describe('a machine of the control plane', () => {
  const CONTROL = { isControlPlane: true as const, set: OTHER_SET };
  const CLAIM = { name: 'other', uid: 'uid-of-another' };
  it.each<[string, Partial<Suspect>, boolean]>([
    ['waits while another one is being deleted', { ...CONTROL, isDeleting: true }, false],
    ['waits while another check sees to another one', { ...CONTROL, claim: CLAIM }, false],
    [
      'waits for none that this check itself has claimed',
      { ...CONTROL, claim: { name: 'check', uid: CHECK_UID } },
      true,
    ],
    ['waits for none that is not well yet', CONTROL, true],
    ['waits for none of another kind that is being deleted', { isDeleting: true }, true],
    ['waits for none of another kind to which another check sees', { claim: CLAIM }, true],
  ])('%s', (_words, changes, begins) => {
    const fresh = { causes: [notReady({ changedAt: NOW })] };
    const others = [suspect('another', { ...fresh, ...changes }), suspect('worker', fresh)];
    const decision = new Course().look(NOW, of([ill('m', CONTROL), ...others], { remediation: policy(3) }));
    expect(begunOf(decision)).toEqual(begins ? ['m'] : []);
    if (!begins) expect(rowOf(decision, 'm').next).toContain('for another control-plane machine');
  });
});

describe('why a machine is replaced', () => {
  const spent = { reboot: { times: [iso(NOW - MINUTE)] } };

  it('tells of reboots that were too many where one would have come first, and not where it would have come later', () => {
    const causeBy = (...steps: RemediationStep[]) =>
      new Course().look(NOW, of([ill('m', spent)], { remediation: policy(1, ...steps) })).begin[0]?.cause;
    expect(causeBy(REBOOT, REPLACE)).toContain('maxReboots');
    expect(causeBy(REPLACE, REBOOT)).not.toContain('maxReboots');
  });

  it('tells of none where the reboot of this remediation was the last one that it may have', () => {
    const course = new Course();
    const look = (minutes: number, changes: Partial<Suspect> = {}) =>
      course.look(NOW + minutes * MINUTE, of([ill('m', changes)], { remediation: policy(1, REBOOT, REPLACE) }));
    const told = look(0).begin[0]?.reboot ?? '';
    const sentAt = iso(NOW + MINUTE);
    const reboot = { wanted: told, told, state: 'Sent', sentAt, times: [sentAt] } as const;
    const [replaced] = look(11, { claim: { name: 'check', uid: CHECK_UID }, reboot }).begin;
    expect(replaced).toMatchObject({ step: REPLACE });
    expect(replaced?.cause).not.toContain('maxReboots');
  });

  it.each<[string, readonly RemediationStep[], RemediationStep, 'done' | 'refused']>([
    ['another program was to remedy it before', [ANNOTATE, REPLACE], REPLACE, 'done'],
    ['its reboot is asked for once more', [REBOOT, REPLACE], REBOOT, 'refused'],
  ])('tells of no reboot that was of no use where %s', (_where, steps, step, outcome) => {
    const course = new Course();
    const check = of([ill('m')], { remediation: policy(1, ...steps) });
    course.look(NOW, check, { outcome, message: 'no' });
    const cause = 'Ready of its Node is Unknown (NodeStatusUnknown) for 1 h 10 min';
    expect(course.look(NOW + 10 * MINUTE, check).begin).toMatchObject([{ step, cause }]);
  });
});

it('a step that is not due yet is told with its time', () => {
  const course = new Course();
  const check = of([ill('m', { marks: [ANNOTATE.key] })], { remediation: policy(1, ANNOTATE, REPLACE) });
  course.look(NOW, check);
  expect(rowOf(course.look(NOW + MINUTE, check), 'm').next).toMatch(/until 2026-01-01T12:10:00.000Z to be replaced$/);
});

describe('a machine that was rebooted as often as it may be, and for which no other step is left', () => {
  it('is looked at when it may be rebooted again, and says what it waits for', () => {
    const times = [iso(NOW - 24 * 60 * MINUTE + 1000)];
    const decision = new Course().look(NOW, of([ill('m', { reboot: { times } })], { remediation: policy(1, REBOOT) }));
    expect(rowOf(decision, 'm').next).toContain('for the next reboot');
    expect(decision.lookAt).toBe(NOW + 1000);
  });
});

it('a machine that is not bad for long enough yet is not looked at because somebody wants it left alone for a moment', () => {
  const seen = of([suspect('m', { causes: [notReady({ changedAt: NOW })], skip: iso(NOW + 1000) })]);
  expect(new Course().look(NOW, seen).lookAt).toBe(NOW + 100_000);
});

it('a machine that is being deleted is not asked for anything more, and says no more than that', () => {
  const course = new Course();
  course.look(NOW, of([ill('m')]));
  const first = course.look(NOW + 1000, of([ill('m', { isDeleting: true })]));
  expect([begunOf(first), first.lookAt]).toEqual([[], NOW + MINUTE + 1000]);
  const decision = course.look(NOW + 10 * MINUTE, of([ill('m', { isDeleting: true })]));
  expect(begunOf(decision)).toEqual([]);
  expect(rowOf(decision, 'm').next).toBe('it is being deleted, as this check asked for it');
});

describe('what is foreseen is what happens then', () => {
  const recent = (changes: Partial<Suspect> = {}) =>
    suspect('m', { causes: [notReady({ changedAt: NOW })], ...changes });
  const DUE = NOW + 5 * MINUTE;
  const both = (one: Suspect, steps: RemediationStep[], course = new Course()) => {
    const check = of([one], { remediation: policy(1, ...steps) });
    const before = course.look(NOW, check);
    const first = rowOf(before, 'm');
    const second = course.look(DUE, check);
    return { first, second, begun: begunOf(second), row: rowOf(second, 'm') };
  };

  it('where it was rebooted as often as it may be, and no other step is left', () => {
    const { first, begun, row } = both(recent({ reboot: { times: [iso(NOW - MINUTE)] } }), [REBOOT]);
    expect([begun, row?.next]).toEqual([[], expect.stringContaining('waits for the next reboot')]);
    expect(first?.next).toContain('it waits for the next reboot');
  });

  describe('where it came for one that was replaced', () => {
    const AGAIN = 'each replacement that is no better is replaced later than the one before';
    const late = (name: string, madeAt: number) =>
      suspect(name, { createdAt: iso(madeAt), causes: [neverJoined(madeAt)] });
    const withSet = (suspects: readonly Suspect[], set: Partial<SetSight> = {}) => {
      const unready = suspects.map(({ uid, createdAt }) => ({ uid, createdAt }));
      return found({ suspects, remediation: policy(2, REPLACE), sets: { [SET.uid]: setSight({ unready, ...set }) } });
    };
    const replaced = () => {
      const course = new Course();
      expect(begunOf(course.look(NOW, withSet([ill('m')])))).toEqual(['m']);
      return course;
    };

    it('and its set is paused', () => {
      const course = replaced();
      const bad = suspect('new', { createdAt: iso(NOW + 1000), causes: [failed({ since: NOW + 2000 })] });
      course.look(NOW + 3000, withSet([bad]));
      const decision = course.look(NOW + 4000, withSet([bad], { isHeld: true }));
      expect([begunOf(decision), rowOf(decision, 'new')?.next]).toEqual([[], expect.stringContaining(AGAIN)]);
    });

    it('but not where another one has come for that, and is replaced in its place', () => {
      const course = replaced();
      const bad = suspect('new', { createdAt: iso(NOW + 1000), causes: [failed({ since: NOW + 2000 })] });
      const joined = suspect('joined', {
        createdAt: iso(NOW + 1000),
        causes: [notReady({ changedAt: NOW + MINUTE })],
      });
      const unready = [{ uid: bad.uid, createdAt: bad.createdAt }];
      course.look(NOW + 3000, withSet([bad], { unready }));
      const decision = course.look(NOW + MINUTE + 2000, withSet([bad, joined], { unready }));
      expect(begunOf(decision)).toEqual(['new']);
      expect(rowOf(decision, 'joined')?.next).toBe('is remediated when that has lasted for 5 min');
    });

    it('before its time is over', () => {
      const course = replaced();
      const decision = course.look(NOW + MINUTE, withSet([late('new', NOW + 1000)]));
      expect(rowOf(decision, 'new')).toMatchObject({
        next: expect.stringContaining(AGAIN),
        dueAt: iso(NOW + 11 * MINUTE + 1000),
      });
    });
  });

  it('where one of two came in place of another one: the one that waits, where the other one is under way', () => {
    const madeAt = NOW - 10 * MINUTE;
    const one = { maker: SET.uid, since: madeAt - 2 * MINUTE, at: madeAt, replacements: 0 };
    const course = new Course({ ...emptyHealthMemory(), madeWhole: [one, { ...one }] });
    const made = (name: string, ...causes: Suspect['causes']) => suspect(name, { createdAt: iso(madeAt), causes });
    const steps = policy(2, ANNOTATE, REPLACE);
    const began = course.look(
      NOW,
      of([made('begun', notReady({ changedAt: madeAt + MINUTE }))], { remediation: steps }),
    );
    expect(began.begin).toMatchObject([{ step: ANNOTATE }]);
    const both = [made('begun', notReady({ key: 'fresh' })), made('m', notReady())];
    const { next } = rowOf(course.look(NOW + MINUTE, of(both, { remediation: policy(2, REPLACE) })), 'm');
    expect(next).toContain('each replacement that is no better is replaced later than the one before');
  });

  it('where it may be rebooted again by then', () => {
    const times = [iso(NOW - 24 * 60 * MINUTE + MINUTE)];
    const { set: _set, ...orphan } = recent({ reboot: { times } });
    const { first, second } = both(orphan, [REBOOT, REPLACE]);
    expect(second.begin).toMatchObject([{ step: REBOOT }]);
    expect(first?.next).toBe('is remediated when that has lasted for 5 min');
  });

  it('where others come first for a while', () => {
    const until = DUE + MINUTE;
    const course = new Course({
      ...emptyHealthMemory(),
      setAside: { 'uid-of-m': { until, generation: 1, message: 'no' } },
    });
    const { first, begun } = both(recent(), [REPLACE], course);
    expect(begun).toEqual([]);
    expect(first?.dueAt).toBe(iso(until));
  });

  it('where a reboot helps nobody whose instance does not run, and no other step is left', () => {
    const { first, begun, row } = both(recent({ isProved: true }), [REBOOT]);
    expect([begun, row?.next]).toEqual([[], 'nothing: no step is left']);
    expect(first?.next).not.toContain('is remediated');
  });
});

describe('a check that asks by another template by now', () => {
  const other = { ...TEMPLATE, template: { ...TEMPLATE.template, kind: 'RebuildTemplate' } };
  const own = { claim: { name: 'check', uid: CHECK_UID } };
  const edited = (changes: Partial<Suspect> = {}) => {
    const course = new Course();
    course.look(NOW, of([ill('m', changes)], { remediation: policy(1, TEMPLATE) }));
    // There is no object of the new template.
    course.look(
      NOW + MINUTE,
      of([ill('m', { ...changes, ...own, marks: [REQUEST_MARK] })], { remediation: policy(1, TEMPLATE) }),
    );
    return course.look(NOW + 2 * MINUTE, of([ill('m', { ...changes, ...own })], { remediation: policy(1, other) }));
  };

  it('asks by that, or does not say that it did', () => {
    const decision = edited();
    expect([begunOf(decision), rowOf(decision, 'm')?.next]).toEqual([['m'], expect.anything()]);
  });

  it('takes no wish off that no program has fulfilled', () => {
    const decision = edited({ causes: [wished()] });
    expect(decision.fulfilled).toEqual([]);
  });
});
