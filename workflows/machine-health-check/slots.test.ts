import { describe, expect, it } from '@jest/globals';
import type { RemediationStep } from '../../k8s/model/machine-health-check.ts';
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
  rowOf,
  SET,
  setSight,
  suspect,
  withoutSet,
} from './check-for-tests.ts';
import type { FoundCheck, SetSight, Suspect } from './health-activities.ts';
import { emptyHealthMemory } from './health-memory.ts';

const OLD = suspect('old', { causes: [notReady({ changedAt: NOW - 60 * MINUTE })] });
const LEAVING: Suspect = { ...OLD, isDeleting: true };
const EXTERNAL: Suspect = { ...OLD, isExternal: true };
const NEW = { uid: 'uid-of-new', createdAt: iso(NOW + 1000) };

function seen(suspects: readonly Suspect[], set: Partial<SetSight> | 'gone' = {}): FoundCheck {
  return found({ suspects, sets: set === 'gone' ? {} : { [SET.uid]: setSight(set) } });
}

function withSteps(check: FoundCheck, ...steps: RemediationStep[]): FoundCheck {
  return { ...check, remediation: { ...check.remediation, steps } };
}

/** A check that has begun to replace the Machine, and how many remediations are under way at each look after that. */
function replacing(): Course {
  const course = new Course();
  expect(begunOf(course.look(NOW, seen([OLD])))).toEqual(['old']);
  return course;
}

const successes = ({ events }: ReturnType<Course['look']>) =>
  events.flatMap(({ reason, message }) => (reason === 'RemediationSucceeded' ? [message] : []));

describe('a slot', () => {
  it('is held for a Machine that is being deleted in the name of a check that has forgotten it', () => {
    const course = new Course();
    const forgotten = suspect('forgotten', { isDeleting: true, claim: { name: 'check', uid: CHECK_UID } });
    const decision = course.look(NOW, { ...seen([forgotten, OLD]), expected: 5 });
    expect(begunOf(decision)).toEqual([]);
    expect(decision.inFlight).toEqual({ count: 1, limit: 1 });
    expect(course.look(NOW + MINUTE, { ...seen([]), expected: 5 }).inFlight.count).toBe(0);
  });

  it('is not held for one that another check deletes', () => {
    const another = suspect('another', { isDeleting: true, claim: { name: 'other', uid: 'uid-of-another' } });
    expect(new Course().look(NOW, seen([another])).inFlight.count).toBe(0);
  });

  it.each<[string, FoundCheck, number]>([
    ['is held while the old Machine is being deleted', seen([LEAVING]), 1],
    [
      'is held while the old Machine is being deleted, also where it is not selected any more',
      { ...seen([]), leaving: [OLD.uid] },
      1,
    ],
    ['is held while its set misses a Machine', seen([], { missing: 1 }), 1],
    ['is held while the new Machine is not Ready', seen([], { unready: [NEW] }), 1],
    ['is over when the set is whole', seen([]), 0],
    ['is not held for what was not Ready before', seen([], { unready: [{ ...NEW, createdAt: iso(NOW - MINUTE) }] }), 0],
    ['is over when the set is gone', seen([], 'gone'), 0],
    ['is over when the set makes no machines', seen([], { missing: 1, isHeld: true }), 0],
    [
      'is over when the set makes no machines, also where one joins that it had made before',
      seen([], { missing: 1, isHeld: true, unready: [NEW] }),
      0,
    ],
    ['is over when the set was scaled down', seen([]), 0],
    ['is held while the set was scaled down and one joins', seen([], { unready: [NEW] }), 1],
    ['is held while the set was scaled down and misses more', seen([], { missing: 1 }), 1],
  ])('%s', (_words, check, count) => {
    const course = replacing();
    course.look(NOW + 1000, seen([LEAVING], { missing: 1 }));
    const decision = course.look(NOW + MINUTE, check);
    expect(decision.inFlight.count).toBe(count);
    expect(decision.begin).toEqual([]);
    // A change of its set is seen, should nobody tell.
    expect(decision.lookAt).toBe(count === 0 ? Infinity : Math.min(decision.lookAt, NOW + 2 * MINUTE));
  });

  it('is over with its Machine where its set was whole before that was gone, whatever the set makes then', () => {
    const course = replacing();
    course.look(NOW + 1000, seen([LEAVING], { missing: 1, wanted: 3 }));
    course.look(NOW + 2000, seen([LEAVING], { unready: [NEW], wanted: 3 }));
    course.look(NOW + 3000, seen([LEAVING], { wanted: 3 }));
    const later = suspect('later', { createdAt: iso(NOW + 10_000), causes: [neverJoined(NOW - 60 * MINUTE)] });
    const scaledUp = { missing: 1, unready: [later], wanted: 5 };
    const still = course.look(NOW + 20_000, seen([LEAVING], scaledUp));
    expect([still.inFlight.count, successes(still)]).toEqual([1, []]);
    const gone = course.look(NOW + MINUTE, seen([], scaledUp));
    expect(gone.inFlight.count).toBe(0);
    expect(successes(gone)).toEqual([expect.stringContaining('is gone, and its set was whole before that')]);
    // It comes for another reason, and is no replacement that failed.
    expect(begunOf(course.look(NOW + 2 * MINUTE, seen([later], scaledUp)))).toEqual(['later']);
  });

  it('is held where its set wanted fewer while its Machine went, and lacks one then', () => {
    const course = new Course();
    expect(begunOf(course.look(NOW, seen([OLD], { wanted: 3 })))).toEqual(['old']);
    course.look(NOW + 1000, seen([LEAVING], { missing: 1, wanted: 3 }));
    course.look(NOW + 2000, seen([LEAVING], { wanted: 2 }));
    expect(course.look(NOW + MINUTE, seen([], { missing: 1, wanted: 3 })).inFlight.count).toBe(1);
  });

  it('is over, and was no success, where the set wants no replacement', () => {
    const course = replacing();
    expect(course.look(NOW + MINUTE, seen([], { missing: 1, isHeld: true })).events).toEqual([]);
  });

  it('is held by as many as the set misses, so that one that is whole makes room', () => {
    const course = new Course();
    const remediation = { ...found().remediation, maxInFlight: { count: 3 } };
    const olds = ['a', 'b', 'c'].map((name) => ({ ...OLD, name, uid: `uid-of-${name}` }));
    course.look(NOW, { ...seen(olds), remediation });
    const two = course.look(NOW + MINUTE, { ...seen([], { missing: 1, unready: [NEW] }), remediation });
    expect(two.inFlight.count).toBe(2);
    expect(course.look(NOW + 2 * MINUTE, { ...seen([], { unready: [NEW] }), remediation }).inFlight.count).toBe(1);
  });

  it('is held for a Machine of which no answer came and that is not there any more', () => {
    const course = new Course();
    course.look(NOW, seen([OLD]), undefined);
    expect(course.look(NOW + 1000, seen([], { missing: 1 })).inFlight.count).toBe(1);
    expect(course.look(NOW + MINUTE, seen([])).inFlight.count).toBe(0);
  });

  it.each<[string, Suspect[]]>([
    ['is well again', []],
    ['is well again and only counts', [{ ...OLD, causes: [] }]],
    ['turned bad anew', [{ ...OLD, causes: [notReady({ key: 'another' })] }]],
    ['somebody wants left alone now', [{ ...OLD, skip: '' }]],
    ['another check claims', [{ ...OLD, claim: { name: 'c', uid: 'u' } }]],
  ])('is given back, and is no success, where the deletion was refused and the Machine %s', (_words, suspects) => {
    const course = new Course();
    course.look(NOW, seen([OLD]), { outcome: 'refused', message: 'no' });
    const decision = course.look(NOW + 1000, seen(suspects));
    expect(decision).toMatchObject({ begin: [], inFlight: { count: 0 } });
    expect(decision.events.filter(({ reason }) => reason === 'RemediationSucceeded')).toEqual([]);
  });
});

describe('a deletion that was refused', () => {
  it('is asked for again after 5 s, 10 s, 20 s, 40 s; then others come first for 5 min, and it says what came back', () => {
    const other = suspect('other', { causes: [notReady({ changedAt: NOW - 30 * MINUTE })] });
    const both = { ...seen([OLD, other]), remediation: { ...found().remediation, maxInFlight: { count: 1 } } };
    const course = new Course();
    const times: number[] = [];
    let decision = course.look(NOW, both, { outcome: 'refused', message: 'a webhook says no' });
    while (times.length < 4) {
      const at = decision.lookAt;
      decision = course.look(at, both, { outcome: 'refused', message: 'a webhook says no' });
      expect(begunOf(decision).filter((name) => name !== 'old')).toEqual([]);
      if (decision.begin.length > 0) times.push(at);
    }
    const gaps = times.map((at, index) => (at - (times[index - 1] ?? NOW)) / 1000);
    expect(gaps).toEqual([5, 10, 20, 40]);
    const aside = course.look(decision.lookAt, both);
    expect(begunOf(aside)).toEqual(['other']);
    expect(rowOf(aside, 'old').next).toContain('a webhook says no');
    expect(aside.inFlight.count).toBe(1);
    const alone = course.look(decision.lookAt + 5 * MINUTE, seen([OLD]));
    expect(begunOf(alone)).toEqual(['old']);
  });

  it('that is the newest goes to a failed replacement: an older machine may join yet for an older one', () => {
    const slotOf = (name: string, startedAt: number) => ({
      name,
      set: SET,
      cause: 'it was ill',
      startedAt,
      step: 0,
      action: 'Replace' as const,
      asked: { times: 1, at: startedAt, outcome: 'done' as const },
      isLeaving: true as const,
    });
    const course = new Course({
      ...emptyHealthMemory(),
      slots: { first: slotOf('first', NOW - 6000), second: slotOf('second', NOW) },
    });
    const hopeful = { uid: 'uid-of-hopeful', createdAt: iso(NOW - 6000) };
    const failing = suspect('failing', { createdAt: iso(NOW), causes: [failed({ since: NOW + MINUTE })] });
    const unready = [hopeful, { uid: failing.uid, createdAt: failing.createdAt }];
    const decision = course.look(NOW + 10 * MINUTE, seen([failing], { unready }));
    expect(begunOf(decision)).toEqual(['failing']);
    expect(Object.keys(decision.memory.slots).sort()).toEqual(['first', 'uid-of-failing']);
  });

  it('goes on to the next step where the machine is annotated for another program by the check itself', () => {
    const steps = [ANNOTATE, REPLACE];
    const course = new Course();
    course.look(NOW, withSteps(seen([OLD]), ...steps));
    const claimed = { ...EXTERNAL, claim: { name: 'check', uid: CHECK_UID } };
    const later = course.look(NOW + 11 * MINUTE, withSteps(seen([claimed]), ...steps));
    expect(later.begin.map(({ step }) => step.action)).toEqual(['Replace']);
    expect(later.inFlight.count).toBe(1);
  });

  it.each<[string, Partial<FoundCheck>]>([
    ['the check is paused', { paused: true }],
    ['too many are unhealthy', { limits: { ...found().limits, maxUnhealthy: { count: 0 } } }],
    ['the API server is away', { outages: [{ from: iso(NOW + 1000) }] }],
  ])('is not asked for again while %s', (_words, changes) => {
    const course = new Course();
    course.look(NOW, seen([OLD]), { outcome: 'refused', message: 'no' });
    const held = course.look(NOW + MINUTE, { ...seen([OLD]), ...changes });
    expect(held).toMatchObject({ begin: [], inFlight: { count: 1 } });
  });

  it.each<[string, RemediationStep]>([
    ['annotates', ANNOTATE],
    ['reboots', { action: 'Reboot', drainTimeoutMs: 10 * MINUTE, maxReboots: 2 }],
  ])('is not asked for again where the check was edited, and %s by now', (_what, step) => {
    const course = new Course();
    course.look(NOW, seen([OLD]), { outcome: 'refused', message: 'no' });
    const edited = course.look(NOW + MINUTE, { ...withSteps(seen([OLD]), step), generation: 2 });
    expect(edited.begin).toMatchObject([{ step }]);
    expect(edited.inFlight.count).toBe(1);
    // In the place that it has.
    expect(course.memory.slots[OLD.uid]?.startedAt).toBe(NOW);
  });

  it('gives back its place where the check was edited, and no step of it helps any more', () => {
    const course = new Course();
    course.look(NOW, seen([OLD]), { outcome: 'refused', message: 'no' });
    const spent = { ...OLD, reboot: { times: [iso(NOW - MINUTE)] } };
    const reboot = { action: 'Reboot', drainTimeoutMs: MINUTE, maxReboots: 1 } as const;
    const edited = course.look(NOW + MINUTE, { ...withSteps(seen([spent]), reboot), generation: 2 });
    expect([edited.begin, edited.inFlight.count]).toEqual([[], 0]);
    expect(rowOf(edited, 'old').next).toContain('maxReboots');
  });

  it('is asked for again where it had no effect', () => {
    const course = replacing();
    expect(begunOf(course.look(NOW + 4000, seen([OLD])))).toEqual([]);
    expect(begunOf(course.look(NOW + 5000, seen([OLD])))).toEqual(['old']);
  });
});

describe('a machine that lost its controller', () => {
  const ORPHAN = withoutSet(OLD);
  const refused = { outcome: 'refused', message: 'no' } as const;

  it('gives back its place where its deletion was refused, as nobody would make another one', () => {
    const course = new Course();
    course.look(NOW, seen([OLD]), refused);
    expect(course.look(NOW + MINUTE, seen([ORPHAN]))).toMatchObject({ begin: [], inFlight: { count: 0 } });
  });

  it('gives back its place then, too, where the check was edited, and annotates by now: others may come first', () => {
    const course = new Course();
    const remediation = { ...found().remediation, maxInFlight: { count: 1 } };
    course.look(NOW, { ...seen([OLD]), remediation }, refused);
    const dead = suspect('dead', { isProved: true, causes: [failed()] });
    const steps = [ANNOTATE];
    const edited = course.look(NOW + MINUTE, { ...seen([ORPHAN, dead]), remediation: { ...remediation, steps } });
    expect(begunOf(edited)).toEqual(['dead']);
  });

  it('keeps its place where its deletion was not refused, and may be under way', () => {
    for (const causes of [ORPHAN.causes, [...ORPHAN.causes, failed()]]) {
      const decision = replacing().look(NOW + 1000, seen([{ ...ORPHAN, causes }]));
      expect(decision).toMatchObject({ begin: [], inFlight: { count: 1 } });
    }
  });

  it('gives back its place at once where it failed for good, and only another program was asked: it waits for a person', () => {
    const course = new Course();
    course.look(NOW, withSteps(seen([ORPHAN]), ANNOTATE, REPLACE));
    const own = { ...ORPHAN, isExternal: true as const, claim: { name: 'check', uid: CHECK_UID } };
    const check = (one: Suspect) => withSteps(seen([one]), ANNOTATE, REPLACE);
    expect(course.look(NOW + MINUTE, check(own)).inFlight.count).toBe(1);
    const dead = { ...own, causes: [...own.causes, failed()] };
    const decision = course.look(NOW + 2 * MINUTE, check(dead));
    expect(decision).toMatchObject({ begin: [], inFlight: { count: 0 }, isLeftToPeople: true });
    expect(rowOf(decision, 'old').next).toContain('waits for a person: no controller owns it');
  });

  it('keeps its place where the annotation was refused, which is asked for again', () => {
    const course = new Course();
    course.look(NOW, withSteps(seen([OLD]), ANNOTATE, REPLACE), refused);
    const again = course.look(NOW + MINUTE, withSteps(seen([ORPHAN]), ANNOTATE, REPLACE));
    expect(again.begin).toMatchObject([{ step: ANNOTATE }]);
    expect(course.memory.slots[OLD.uid]).toMatchObject({ startedAt: NOW, asked: { times: 2 } });
  });
});

describe('a machine that another program did not remedy in its time, and for which no step is left,', () => {
  const spentAt = (minutes: number, one: Suspect, ...steps: RemediationStep[]) => {
    const course = new Course();
    course.look(NOW, withSteps(seen([one]), ...steps));
    return course.look(NOW + minutes * MINUTE, withSteps(seen([one]), ...steps));
  };
  const words = 'the program that was to remedy it did not in its time, and no step is left';

  it('gives its place to others, and says so', () => {
    const decision = spentAt(10, OLD, ANNOTATE);
    expect(decision).toMatchObject({ begin: [], inFlight: { count: 0 } });
    expect(rowOf(decision, 'old').next).toMatch(new RegExp(`${words}$`));
  });

  it('is tried at once by the next spec of its check', () => {
    const course = new Course();
    course.look(NOW, withSteps(seen([OLD]), ANNOTATE));
    course.look(NOW + 10 * MINUTE, withSteps(seen([OLD]), ANNOTATE));
    const same = course.look(NOW + 11 * MINUTE, withSteps(seen([OLD]), ANNOTATE));
    expect(begunOf(same)).toEqual([]);
    const edited = course.look(NOW + 12 * MINUTE, { ...withSteps(seen([OLD]), REPLACE), generation: 2 });
    expect(edited.begin).toMatchObject([{ step: REPLACE }]);
  });

  it('says that no controller owns it, where it would be replaced next; and keeps its place until then', () => {
    const orphan = withoutSet(OLD);
    expect(spentAt(9.99, orphan, ANNOTATE, REPLACE).inFlight.count).toBe(1);
    const decision = spentAt(10, orphan, ANNOTATE, REPLACE);
    expect(decision).toMatchObject({ begin: [], inFlight: { count: 0 } });
    expect(rowOf(decision, 'old').next).toContain(`${words}; no controller owns it, so that it is not replaced`);
  });
});

describe('the end of a slot', () => {
  it('is a success where the machine went at once, and its set is whole', () => {
    expect(successes(replacing().look(NOW + 1000, seen([])))).toHaveLength(1);
  });

  it('is a success where a refusal was the answer, and the machine was seen to go all the same', () => {
    const course = new Course();
    course.look(NOW, seen([OLD]), { outcome: 'refused', message: 'no' });
    course.look(NOW + 1000, seen([{ ...LEAVING, claim: { name: 'check', uid: CHECK_UID } }]));
    expect(successes(course.look(NOW + MINUTE, seen([])))).toHaveLength(1);
  });

  it.each([
    ['another check', { claim: { name: 'other', uid: 'uid-of-other' } }],
    ['a person', {}],
  ])('is no success where what was asked for was refused, and %s had the machine deleted', (_who, changes) => {
    const course = new Course();
    course.look(NOW, seen([OLD]), { outcome: 'refused', message: 'no' });
    expect(course.look(NOW + 1000, seen([{ ...LEAVING, ...changes }])).inFlight.count).toBe(0);
    expect(successes(course.look(NOW + MINUTE, seen([])))).toEqual([]);
  });

  it('comes five seconds after the deletion was asked for, where the machine is well by then', () => {
    const well = { ...OLD, causes: [] };
    const course = replacing();
    expect(course.look(NOW + 4999, seen([well])).inFlight.count).toBe(1);
    expect(course.look(NOW + 5000, seen([well])).inFlight.count).toBe(0);
  });

  it('comes at once where another program remedies the machine now', () => {
    expect(replacing().look(NOW + 1000, seen([EXTERNAL])).inFlight.count).toBe(0);
  });

  it('does not come for the number of times it was asked for, where it was not refused', () => {
    const course = new Course();
    for (const minutes of [0, 1, 2, 4, 8, 16]) course.look(NOW + minutes * MINUTE, seen([OLD]));
    expect(course.memory.slots[OLD.uid]?.asked.times).toBe(6);
    expect(course.look(NOW + 30 * MINUTE, seen([OLD]))).toMatchObject({ begin: [{}], memory: { setAside: {} } });
  });

  const TEMPLATE = {
    action: 'Template',
    template: { apiVersion: 'example.com/v1', kind: 'RepairTemplate', name: 't' },
  } as const;

  it.each<[string, RemediationStep]>([
    ['annotation', ANNOTATE],
    ['object', TEMPLATE],
  ])(
    'comes where a machine with an %s for another program is well, although its set misses another one',
    (_what, step) => {
      const course = new Course();
      course.look(NOW, withSteps(seen([OLD]), step));
      const decision = course.look(NOW + MINUTE, {
        ...withSteps(seen([], { missing: 1 }), step),
        well: [OLD.uid],
      });
      expect(decision.inFlight.count).toBe(0);
      expect(successes(decision)).toHaveLength(1);
    },
  );

  it.each<[string, RemediationStep]>([
    ['annotation', ANNOTATE],
    ['object', TEMPLATE],
  ])('waits for the set where a machine with an %s for another program is gone', (_what, step) => {
    const course = new Course();
    course.look(NOW, withSteps(seen([OLD]), step));
    const gone = course.look(NOW + MINUTE, withSteps(seen([], { missing: 1 }), step));
    expect([gone.inFlight.count, gone.events]).toEqual([1, []]);
    const whole = course.look(NOW + 2 * MINUTE, withSteps(seen([]), step));
    expect(whole.inFlight.count).toBe(0);
    expect(successes(whole)).toEqual([expect.stringContaining('is gone, and its set is whole again')]);
  });

  const REBOOT = { action: 'Reboot', drainTimeoutMs: 10 * MINUTE, maxReboots: 2 } as const;

  it('comes without a word where a machine to be rebooted is not selected any more', () => {
    const course = new Course();
    course.look(NOW, withSteps(seen([OLD]), REBOOT));
    const claimed = [{ name: OLD.name, uid: OLD.uid }];
    const over = course.look(NOW + MINUTE, { ...withSteps(seen([]), REBOOT), claimed });
    expect([over.inFlight.count, over.events, over.memory.helped]).toEqual([0, [], {}]);
  });

  it('is good where a machine to be rebooted is well, and its claim was taken off', () => {
    const course = new Course();
    const [begun] = course.look(NOW, withSteps(seen([OLD]), REBOOT)).begin;
    const over = course.look(NOW + MINUTE, { ...withSteps(seen([]), REBOOT), well: [OLD.uid] });
    expect(over.inFlight.count).toBe(0);
    expect(successes(over)).toEqual([expect.stringContaining('is healthy again')]);
    expect(over.memory.helped).toEqual({ [OLD.uid]: begun?.reboot });
  });

  it.each(['well', 'claimed'] as const)(
    'comes where the deletion of a machine had no effect that is %s by now',
    (how) => {
      const where = { [how]: how === 'well' ? [OLD.uid] : [{ name: OLD.name, uid: OLD.uid }] };
      const course = new Course();
      course.look(NOW, seen([OLD]));
      // It may be under way.
      expect(course.look(NOW + 4999, { ...seen([]), ...where }).inFlight.count).toBe(1);
      const over = course.look(NOW + 5000, { ...seen([]), ...where });
      expect([over.inFlight.count, over.events]).toEqual([0, []]);
    },
  );

  it.each<[string, Partial<FoundCheck>]>([
    ['', {}],
    [', also where it is read as it was, and well', { well: [OLD.uid] }],
    [', also where it is read as it was, and not selected', { claimed: [{ name: OLD.name, uid: OLD.uid }] }],
  ])('waits for the set where the machine turned out to be gone when it was to be annotated%s', (_where, changes) => {
    const course = new Course();
    course.look(NOW, withSteps(seen([OLD]), ANNOTATE), { outcome: 'gone' });
    const check = { ...withSteps(seen([], { missing: 1 }), ANNOTATE), ...changes };
    expect(course.look(NOW + MINUTE, check).inFlight.count).toBe(1);
  });
});

describe('a machine whose step is set aside', () => {
  const refused = { outcome: 'refused', message: 'a webhook says no' } as const;
  /** After a fifth refusal, at this minute. */
  const aside = (): Course => {
    const course = new Course();
    for (const minutes of [0, 1, 2, 4, 8]) course.look(NOW + minutes * MINUTE, seen([OLD]), refused);
    expect(course.look(NOW + 10 * MINUTE, seen([OLD]), refused).begin).toEqual([]);
    return course;
  };

  it('waits for five minutes, whatever looks there are in between', () => {
    const course = aside();
    const between = course.look(NOW + 12 * MINUTE, seen([OLD]));
    expect([begunOf(between), rowOf(between, 'old').next]).toEqual([[], expect.stringContaining('a webhook says no')]);
    expect(between.lookAt).toBeLessThanOrEqual(NOW + 15 * MINUTE);
    expect(begunOf(course.look(NOW + 15 * MINUTE, seen([OLD])))).toEqual(['old']);
  });

  it('does not wait any more when it was well in between', () => {
    const course = aside();
    course.look(NOW + 11 * MINUTE, seen([]));
    const again = { ...OLD, causes: [failed()] };
    expect(begunOf(course.look(NOW + 12 * MINUTE, seen([again])))).toEqual(['old']);
  });
});

describe('a replacement that is unhealthy itself', () => {
  it('is replaced in the same slot, 1, 2, 4 … 60 min after it failed', () => {
    const course = replacing();
    let last = NOW;
    const gaps: number[] = [];
    for (let turn = 1; turn < 9; turn += 1) {
      const createdAt = iso(last + 1000);
      const failedAt = last + 15 * MINUTE;
      const bad = suspect(`new-${turn}`, { createdAt, causes: [failed({ since: failedAt })] });
      const check = seen([bad], { unready: [{ uid: bad.uid, createdAt }] });
      const before = last;
      for (let now = failedAt; last === before; now = course.last?.lookAt ?? Infinity) {
        const decision = course.look(now, check);
        expect(decision.inFlight.count).toBe(1);
        if (decision.begin.length > 0) last = now;
      }
      gaps.push((last - failedAt) / MINUTE);
    }
    expect(gaps).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  });

  it('waits for a storm to be over like any other', () => {
    const course = replacing();
    const others = Array.from({ length: 6 }, (_, at) =>
      suspect(`m-${at}`, { createdAt: NEW.createdAt, causes: [neverJoined(NOW - 20 * MINUTE)] }),
    );
    const check = seen(others, { unready: others });
    expect(course.look(NOW + 5 * MINUTE, check)).toMatchObject({ begin: [], inFlight: { count: 1 } });
  });
});

describe('a slot in which a failed replacement was replaced', () => {
  it('is not that of a machine that a scale-up made before', () => {
    const course = new Course();
    const one = { ...found().remediation, maxInFlight: { count: 1 } };
    const look = (minutes: number, suspects: readonly Suspect[], set: Partial<SetSight>) =>
      course.look(NOW + minutes * MINUTE, { ...seen(suspects, set), remediation: one });
    expect(begunOf(look(0, [OLD], {}))).toEqual(['old']);
    const failedOne = suspect('failed', { createdAt: iso(NOW + MINUTE), causes: [failed({ since: NOW + MINUTE })] });
    expect(begunOf(look(2, [failedOne], { missing: 0, unready: [failedOne] }))).toEqual(['failed']);
    // It is gone, and nothing was made for it yet.
    const scaled = suspect('scaled', { createdAt: iso(NOW + 1.5 * MINUTE), causes: [failed({ key: 'failed later' })] });
    const decision = look(10, [scaled], { missing: 1, unready: [scaled] });
    expect(decision).toMatchObject({ begin: [], inFlight: { count: 1 } });
    expect(rowOf(decision, 'scaled').next).toContain('InFlightLimit');
    expect(begunOf(look(11, [scaled], { missing: 0, unready: [scaled] }))).toEqual(['scaled']);
  });
});

describe('the place of a replacement that failed', () => {
  const one = { ...found().remediation, maxInFlight: { count: 1 } };

  it('is given back where somebody pauses it in the moment in which it is to be replaced', () => {
    const course = new Course();
    const look = (minutes: number, suspects: readonly Suspect[], set: Partial<SetSight>) =>
      course.look(NOW + minutes * MINUTE, { ...seen(suspects, set), remediation: one });
    expect(begunOf(look(0, [OLD], {}))).toEqual(['old']);
    const failedOne = suspect('failed', { createdAt: iso(NOW + MINUTE), causes: [failed({ since: NOW + MINUTE })] });
    expect(begunOf(look(2, [failedOne], { missing: 0, unready: [failedOne] }))).toEqual(['failed']);
    const paused = { ...failedOne, pausedBy: 'the Machine' };
    const other = suspect('other', { createdAt: iso(NOW - 60 * MINUTE), causes: [failed({ key: 'failed later' })] });
    const decision = look(3, [paused, other], { missing: 0, unready: [failedOne, other] });
    expect(decision).toMatchObject({ begin: [], inFlight: { count: 1 } });
    expect(rowOf(decision, 'other').next).toContain('InFlightLimit');
    // It came up in the end: the set is whole.
    expect(begunOf(look(4, [other], { missing: 0, unready: [other] }))).toEqual(['other']);
  });

  it('is given back where it came up in the moment in which it was to be replaced, and another one is on its way', () => {
    const course = new Course();
    const look = (minutes: number, suspects: readonly Suspect[], set: Partial<SetSight>) =>
      course.look(
        NOW + minutes * MINUTE,
        { ...seen(suspects, set), remediation: one },
        minutes === 0 ? { outcome: 'done' } : { outcome: 'refused', message: 'it is healthy again' },
      );
    expect(begunOf(look(0, [OLD], {}))).toEqual(['old']);
    const left = suspect('left', { createdAt: iso(NOW + MINUTE), skip: '', causes: [failed({ since: NOW + MINUTE })] });
    const late = suspect('late', { createdAt: iso(NOW + 2 * MINUTE), causes: [failed({ since: NOW + 2 * MINUTE })] });
    expect(begunOf(look(12, [left, late], { missing: 0, unready: [left, late] }))).toEqual(['late']);
    const other = suspect('other', { createdAt: iso(NOW - 60 * MINUTE), causes: [failed({ key: 'failed later' })] });
    const decision = look(13, [left, other], { missing: 0, unready: [left, other] });
    expect(decision).toMatchObject({ begin: [], inFlight: { count: 1 } });
    expect(Object.keys(decision.memory.slots)).toEqual([OLD.uid]);
  });

  /** A failed replacement whose next step was refused, in a check with one place. */
  const refusedInPlace = (...steps: RemediationStep[]) => {
    const course = new Course();
    const look = (
      minutes: number,
      suspects: readonly Suspect[],
      set: Partial<SetSight>,
      by: RemediationStep[] = steps,
      changes: Partial<FoundCheck> = {},
    ) => {
      const check = { ...seen(suspects, set), remediation: { ...one, steps: by }, ...changes };
      return course.look(NOW + minutes * MINUTE, check, { outcome: 'refused', message: 'no' });
    };
    look(0, [OLD], {}, [REPLACE]);
    course.answer(OLD.uid, { outcome: 'done' });
    const bad = suspect('bad', { createdAt: iso(NOW + MINUTE), causes: [failed({ since: NOW + MINUTE })] });
    expect(begunOf(look(12, [bad], { missing: 0, unready: [bad] }))).toEqual(['bad']);
    return { look, bad };
  };

  it('is not given back where a refusal was the answer, and it is seen to go all the same', () => {
    const { look, bad } = refusedInPlace(REPLACE);
    const going = { ...bad, isDeleting: true as const, claim: { name: 'check', uid: CHECK_UID } };
    expect(look(13, [going], { missing: 1 }).inFlight.count).toBe(1);
  });

  it('is not given back where another program was to remedy it, and it is well', () => {
    const { look } = refusedInPlace(ANNOTATE);
    const decision = look(13, [], { missing: 1 }, undefined, { well: ['uid-of-bad'] });
    expect(decision.inFlight.count).toBe(0);
    expect(decision.events.filter(({ reason }) => reason === 'RemediationSucceeded')).toHaveLength(1);
  });

  it('is given back where its replacement is refused again and again', () => {
    const course = new Course();
    const refused = { outcome: 'refused', message: 'no' } as const;
    const look = (minutes: number, suspects: readonly Suspect[], set: Partial<SetSight>) =>
      course.look(NOW + minutes * MINUTE, { ...seen(suspects, set), remediation: one }, refused);
    course.look(NOW, { ...seen([OLD]), remediation: one });
    const failedOne = suspect('failed', { createdAt: iso(NOW + MINUTE), causes: [failed({ since: NOW + MINUTE })] });
    for (const minutes of [2, 4, 6, 8, 10]) {
      expect(begunOf(look(minutes, [failedOne], { missing: 0, unready: [failedOne] }))).toEqual(['failed']);
    }
    const other = suspect('other', { createdAt: iso(NOW - 60 * MINUTE), causes: [failed({ key: 'failed later' })] });
    const aside = look(12, [failedOne, other], { missing: 0, unready: [failedOne, other] });
    expect(aside).toMatchObject({ begin: [], inFlight: { count: 1 } });
    expect(rowOf(aside, 'other').next).toContain('InFlightLimit');
  });

  it('is given back where its reboot did not help, and no other step is left', () => {
    const steps = [{ action: 'Reboot', drainTimeoutMs: 10 * MINUTE, maxReboots: 2 }] as const;
    const remediation = { ...one, steps };
    const course = new Course();
    const look = (minutes: number, suspects: readonly Suspect[], set: Partial<SetSight> = {}) =>
      course.look(NOW + minutes * MINUTE, { ...seen(suspects, set), remediation });
    look(0, [OLD]);
    look(1, [LEAVING], { missing: 1 });
    const joinsLate = suspect('new', { createdAt: iso(NOW + 2 * MINUTE), causes: [neverJoined(NOW - 60 * MINUTE)] });
    const set = { missing: 0, unready: [joinsLate] };
    expect(begunOf(look(3, [joinsLate], set))).toEqual(['new']);
    const told = iso(NOW + 3 * MINUTE);
    const reboot = { wanted: told, told, state: 'Sent', sentAt: told, times: [told] } as const;
    const claimed = { ...joinsLate, claim: { name: 'check', uid: CHECK_UID }, reboot };
    const other = suspect('other', { createdAt: iso(NOW - 60 * MINUTE) });
    look(12, [claimed, other], set);
    const over = look(13, [claimed, other], set);
    expect(over).toMatchObject({ begin: [], inFlight: { count: 1 } });
    expect(rowOf(over, 'new').next).toContain('its reboot did not help, and no step is left');
    expect(Object.keys(over.memory.slots)).toEqual([OLD.uid]);
  });

  it.each([
    ['Unsupported', { message: 'its cloud cannot' }, 'it was not rebooted (its cloud cannot), and no step is left'],
    ['Spent', { message: 'its cloud cannot' }, 'it was not rebooted (its cloud cannot), and no step is left'],
    ['Refused', { message: 'its cloud cannot' }, 'it was not rebooted (its cloud cannot), and no step is left'],
    ['Refused', {}, 'it was not rebooted (Refused), and no step is left'],
  ] as const)('is given back where it cannot be rebooted (%s, %j), and that is said', (state, why, words) => {
    const steps = [{ action: 'Reboot', drainTimeoutMs: 10 * MINUTE, maxReboots: 2 }] as const;
    const course = new Course();
    const look = (minutes: number, suspects: readonly Suspect[]) =>
      course.look(NOW + minutes * MINUTE, { ...seen(suspects), remediation: { ...one, steps } });
    expect(begunOf(look(0, [OLD]))).toEqual(['old']);
    const told = iso(NOW);
    const reboot = { wanted: told, told, state, ...why, times: [] } as const;
    const refused = { ...OLD, claim: { name: 'check', uid: CHECK_UID }, reboot };
    expect(rowOf(look(1, [refused]), 'old').next).toContain(words);
  });

  it('is one that was free when it was made, although a newer one is free', () => {
    const slotOf = (name: string, minutes: number) => ({
      name,
      set: SET,
      cause: 'it was ill',
      startedAt: NOW + minutes * MINUTE,
      step: 0,
      action: 'Replace' as const,
      asked: { times: 1, at: NOW + minutes * MINUTE, outcome: 'done' as const },
      isLeaving: true as const,
    });
    const course = new Course({
      ...emptyHealthMemory(),
      slots: { early: slotOf('early', 0), late: slotOf('late', 3) },
    });
    const joining = { uid: 'uid-of-joining', createdAt: iso(NOW + 4 * MINUTE) };
    const failing = suspect('failing', {
      createdAt: iso(NOW + 2 * MINUTE),
      causes: [failed({ since: NOW + 3 * MINUTE })],
    });
    const unready = [joining, { uid: failing.uid, createdAt: failing.createdAt }];
    const decision = course.look(NOW + 10 * MINUTE, seen([failing], { unready, missing: 0 }));
    expect(begunOf(decision)).toEqual(['failing']);
    expect(Object.keys(decision.memory.slots).sort()).toEqual(['late', 'uid-of-failing']);
  });
});

describe('steps', () => {
  const asked = (course: Course) => course.last?.begin.map(({ step }) => step.action);

  it('are taken one after another: an annotation, and a replacement where its time is over', () => {
    const course = new Course();
    const check = (one: Suspect) => withSteps(seen([one]), ANNOTATE, REPLACE);
    const begun = course.lookUntil(NOW, NOW + 10 * MINUTE, (now) => check(now === NOW ? OLD : EXTERNAL));
    expect(begun.map(({ at }) => at)).toEqual([NOW, NOW + 10 * MINUTE]);
    expect(asked(course)).toEqual(['Replace']);
    expect(course.memory.slots[OLD.uid]).toMatchObject({ step: 1, action: 'Replace', startedAt: NOW });
  });

  it.each<[string, Suspect[]]>([
    ['not among the suspects', []],
    ['annotated still, and nothing is bad', [{ ...EXTERNAL, causes: [] }]],
  ])('end well where the annotated machine is %s', (_words, suspects) => {
    const course = new Course();
    course.look(NOW, withSteps(seen([OLD]), ANNOTATE, REPLACE));
    const decision = course.look(NOW + MINUTE, withSteps(seen(suspects), ANNOTATE, REPLACE));
    expect(decision).toMatchObject({ begin: [], inFlight: { count: 0 } });
    expect(decision.events).toMatchObject([{ reason: 'RemediationSucceeded' }]);
  });

  it('end without a word where the annotated machine is not selected any more', () => {
    const course = new Course();
    course.look(NOW, withSteps(seen([OLD]), ANNOTATE, REPLACE));
    const claimed = [{ name: OLD.name, uid: OLD.uid }];
    const decision = course.look(NOW + MINUTE, { ...withSteps(seen([]), ANNOTATE, REPLACE), claimed });
    expect([decision.inFlight.count, decision.events]).toEqual([0, []]);
  });

  it('wait for ever where the annotation stays and has no time-out', () => {
    const { timeoutMs: _timeoutMs, ...forEver } = ANNOTATE;
    const marked = { ...OLD, marks: [ANNOTATE.key] };
    const course = new Course();
    const begun = course.lookUntil(NOW, NOW + 600 * MINUTE, () => withSteps(seen([marked]), forEver, REPLACE));
    expect(begun).toHaveLength(1);
    expect(course.last && rowOf(course.last, 'old').next).toContain('remedy.example');
  });

  it('begin with the replacement of a Machine that has failed, and go on with it', () => {
    const dead = suspect('dead', { causes: [failed()] });
    const course = new Course();
    course.look(NOW, withSteps(seen([dead]), ANNOTATE, REPLACE));
    expect(asked(course)).toEqual(['Replace']);
    const other = new Course();
    other.look(NOW, withSteps(seen([OLD]), ANNOTATE, REPLACE));
    const died = { ...EXTERNAL, causes: [...OLD.causes, failed()] };
    other.look(NOW + MINUTE, withSteps(seen([died]), ANNOTATE, REPLACE));
    expect(asked(other)).toEqual(['Replace']);
    const again = new Course();
    again.look(NOW, withSteps(seen([dead]), ANNOTATE, REPLACE), { outcome: 'refused', message: 'no' });
    again.look(NOW + 5000, withSteps(seen([dead]), ANNOTATE, REPLACE));
    expect(asked(again)).toEqual(['Replace']);
    const only = new Course();
    only.look(NOW, withSteps(seen([dead]), ANNOTATE));
    expect(asked(only)).toEqual(['Annotate']);
  });

  it('are held and counted when the check is edited in between', () => {
    const course = new Course();
    course.look(NOW, withSteps(seen([OLD]), ANNOTATE, REPLACE));
    const edited = { ...withSteps(seen([EXTERNAL]), REPLACE), generation: 2 };
    expect(course.look(NOW + MINUTE, edited)).toMatchObject({ inFlight: { count: 1 } });
    expect(asked(course)).toEqual(['Replace']);
  });

  it('wait for the set where the other program deletes the Machine', () => {
    const course = new Course();
    const check = (...args: Parameters<typeof seen>) => withSteps(seen(...args), ANNOTATE);
    course.look(NOW, check([OLD]));
    course.look(NOW + MINUTE, check([{ ...EXTERNAL, isDeleting: true }], { missing: 1 }));
    expect(course.look(NOW + 2 * MINUTE, check([], { missing: 1 })).inFlight.count).toBe(1);
    expect(course.look(NOW + 3 * MINUTE, check([])).inFlight.count).toBe(0);
  });
});
