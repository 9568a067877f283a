import { describe, expect, it } from '@jest/globals';
import {
  ANNOTATE,
  begunOf,
  Course,
  found,
  iso,
  MINUTE,
  notReady,
  NOW,
  REPLACE,
  rowOf,
  SET,
  setSight,
  suspect,
  wished,
} from './check-for-tests.ts';
import type { RemediationStep } from '../../k8s/model/machine-health-check.ts';
import type { Suspect } from './health-activities.ts';
import { badReplacements, madeWholeBy } from './made-whole.ts';

/** Its Node is Ready, and tells that something is broken since it joined, a minute after the Machine was made. */
const broken = (name: string, madeAt: number, changes: Partial<Suspect> = {}) =>
  suspect(name, {
    createdAt: iso(madeAt),
    nodeReady: 'True',
    causes: [notReady({ changedAt: madeAt + MINUTE })],
    ...changes,
  });

/** Each machine of a set is broken from its first minute; answers after how many minutes each is replaced since it was due. */
function replacedAfter(
  rounds: number,
  of: (name: string, madeAt: number) => Suspect = broken,
  steps: readonly RemediationStep[] = [REPLACE],
): number[] {
  const course = new Course();
  const remediation = { ...found().remediation, steps };
  const isReplaced = (at: number, one: Suspect): boolean =>
    course.look(at, found({ suspects: [one], remediation })).begin.some(({ step }) => step.action === 'Replace');
  const short = { sets: { [SET.uid]: setSight({ missing: 1 }) } };
  const waits: number[] = [];
  let madeAt = NOW;
  for (let round = 0; round < rounds; round += 1) {
    const name = `m-${round}`;
    const one = of(name, madeAt);
    const dueAt = madeAt + 6 * MINUTE;
    let at = madeAt + MINUTE;
    while (!isReplaced(at, one)) at += MINUTE / 2;
    waits.push((at - dueAt) / MINUTE);
    course.look(at + 1000, found({ suspects: [{ ...one, isDeleting: true }], ...short }));
    course.look(at + 2000, found(short));
    madeAt = at + 3000;
    const whole = course.look(madeAt, found());
    expect([whole.inFlight.count, whole.events.map(({ reason }) => reason)]).toEqual([0, ['RemediationSucceeded']]);
  }
  return waits;
}

/** A machine of a set was bad and was replaced, and eight minutes after noon the set is whole again. */
function madeWholeAt8(): Course {
  const course = new Course();
  course.look(NOW + MINUTE, found({ suspects: [broken('a', NOW)] }));
  course.look(NOW + 6 * MINUTE, found({ suspects: [broken('a', NOW)] }));
  course.look(NOW + 8 * MINUTE, found());
  return course;
}

describe('a replacement that has joined, and is bad all the same', () => {
  it('says before its time is over how much later it is replaced', () => {
    const course = new Course();
    const first = broken('a', NOW);
    course.look(NOW + 6 * MINUTE, found({ suspects: [first] }));
    course.look(NOW + 6 * MINUTE + 1000, found({ suspects: [{ ...first, isDeleting: true }] }));
    course.look(NOW + 6 * MINUTE + 2000, found({ sets: { [SET.uid]: setSight({ missing: 1 }) } }));
    const madeAt = NOW + 6 * MINUTE + 3000;
    course.look(madeAt, found());
    const soon = course.look(madeAt + 2 * MINUTE, found({ suspects: [broken('b', madeAt)] }));
    const at = iso(madeAt + 7 * MINUTE);
    const why = 'each replacement that is no better is replaced later than the one before';
    const next = `when that has lasted for 5 min, it waits until ${at} to be replaced: ${why}`;
    expect(rowOf(soon, 'b')).toMatchObject({ next, dueAt: at });
  });

  it('takes its turn as any other after a storm, when one goes at a time', () => {
    const course = new Course();
    const [first, second] = [broken('a', NOW), broken('b', NOW)];
    course.look(NOW + 6 * MINUTE, found({ suspects: [first, second] }));
    const going = [first, second].map((one) => ({ ...one, isDeleting: true as const }));
    course.look(NOW + 6 * MINUTE + 1000, found({ suspects: going }));
    const madeAt = NOW + 6 * MINUTE + 3000;
    course.look(madeAt - 1000, found({ sets: { [SET.uid]: setSight({ missing: 2 }) } }));
    expect(course.look(madeAt, found()).inFlight.count).toBe(0);
    course.memory = { ...course.memory, pace: 1 };
    const again = found({ suspects: [broken('c', madeAt), broken('d', madeAt)] });
    course.look(madeAt + 2 * MINUTE, again);
    const begun = course.lookUntil(madeAt + 8 * MINUTE, madeAt + 20 * MINUTE, () => again);
    expect([...new Set(begun.map(({ name }) => name))]).toHaveLength(1);
    expect(course.last?.inFlight).toEqual({ count: 1, limit: 1 });
  });

  it('is replaced ever later', () => {
    expect(replacedAfter(5).map(Math.floor)).toEqual([0, 1, 2, 4, 8]);
  });

  it('says until when it waits, and for which step', () => {
    const course = madeWholeAt8();
    const next = broken('b', NOW + 8 * MINUTE);
    course.look(NOW + 9 * MINUTE, found({ suspects: [next] }));
    const due = course.look(NOW + 14 * MINUTE, found({ suspects: [next] }));
    expect(begunOf(due)).toEqual([]);
    const until = new Date(NOW + 15 * MINUTE).toISOString();
    expect(rowOf(due, 'b')).toMatchObject({
      next: `waits until ${until} to be replaced: each replacement that is no better is replaced later than the one before`,
      dueAt: until,
    });
    // What would hold it up then as well comes first.
    const paused = course.look(NOW + 14 * MINUTE, found({ suspects: [next], paused: true }));
    expect(rowOf(paused, 'b')).toMatchObject({ next: 'waits until the check is not paused any more', dueAt: until });
    expect(paused.lookAt).toBeLessThanOrEqual(NOW + 15 * MINUTE);
    expect(due.lookAt).toBeLessThanOrEqual(NOW + 15 * MINUTE);
    const skipped = { ...next, skip: iso(NOW + 14.5 * MINUTE) };
    expect(course.look(NOW + 14 * MINUTE, found({ suspects: [skipped] })).lookAt).toBe(NOW + 14.5 * MINUTE);
    expect(begunOf(course.look(NOW + 15 * MINUTE, found({ suspects: [next] })))).toEqual(['b']);
  });

  it('has no other one wait: what was made whole counts until that is replaced', () => {
    const course = madeWholeAt8();
    const next = broken('b', NOW + 8 * MINUTE);
    course.look(NOW + 9 * MINUTE, found({ suspects: [next] }));
    // Its set was made larger in the same moment.
    const scaled = broken('c', NOW + 8 * MINUTE);
    course.look(NOW + 9 * MINUTE + 1000, found({ suspects: [next, scaled] }));
    expect(begunOf(course.look(NOW + 14 * MINUTE, found({ suspects: [next, scaled] })))).toEqual(['c']);
    const going = { ...scaled, isDeleting: true as const };
    expect(begunOf(course.look(NOW + 15 * MINUTE, found({ suspects: [next, going] })))).toEqual(['b']);
  });

  it('has another program asked at once where that comes first, and waits with its end as long as else', () => {
    const course = madeWholeAt8();
    const remediation = { ...found().remediation, steps: [ANNOTATE, REPLACE] };
    const next = broken('b', NOW + 8 * MINUTE);
    course.look(NOW + 9 * MINUTE, found({ suspects: [next], remediation }));
    const decision = course.look(NOW + 14 * MINUTE, found({ suspects: [next], remediation }));
    expect(decision.begin).toMatchObject([{ step: ANNOTATE }]);
    expect(decision.memory.slots[next.uid]).toMatchObject({ replacements: 1 });
    expect(decision.memory.madeWhole).toHaveLength(0);
    const timed = { ...ANNOTATE, timeoutMs: MINUTE } as const;
    // It was due six minutes after it was made; a minute is the other program's.
    expect(replacedAfter(5, broken, [timed, REPLACE]).map(Math.floor)).toEqual([1, 1, 2, 4, 8]);
  });

  it('has none wait that its set made for another reason: since it is larger, or since somebody deleted one', () => {
    const course = madeWholeAt8();
    const scaled = broken('c', NOW + 9 * MINUTE);
    const soon = course.look(NOW + 10 * MINUTE, found({ suspects: [scaled] }));
    expect(rowOf(soon, 'c').next).toBe('is remediated when that has lasted for 5 min');
    expect(begunOf(course.look(NOW + 15 * MINUTE, found({ suspects: [scaled] })))).toEqual(['c']);
  });

  it('is replaced at once where the cloud has ended it: that says nothing of its template', () => {
    expect(replacedAfter(4, (name, at) => broken(name, at, { isProved: true })).map(Math.floor)).toEqual([0, 0, 0, 0]);
  });
});

describe('what a set was made whole by', () => {
  const slot = {
    name: 'm',
    set: SET,
    cause: 'it was ill',
    startedAt: NOW,
    step: 0,
    action: 'Replace' as const,
    asked: { times: 1, at: NOW },
  };
  const bad = (one: Suspect, since: number, cause = notReady()) => ({
    suspect: one,
    illnesses: [{ cause, since, dueAt: since, isUnhealthy: true, isFlapping: false, isTold: true }],
  });
  const known = madeWholeBy([], [slot], found(), NOW + MINUTE);

  it('is remembered for three hours', () => {
    expect(known).toEqual([{ maker: SET.uid, since: NOW, at: NOW + MINUTE, replacements: 0 }]);
    expect(madeWholeBy(known, [], found(), NOW + 180 * MINUTE)).toEqual(known);
    expect(madeWholeBy(known, [], found(), NOW + 181 * MINUTE)).toEqual([]);
  });

  it('is forgotten where it is older than a thousand others', () => {
    const many = Array.from({ length: 1000 }, (_, at) => ({
      maker: `set-${at}`,
      since: NOW,
      at: NOW,
      replacements: 0,
    }));
    const kept = madeWholeBy(many, [slot], found(), NOW + MINUTE);
    expect([kept.length, kept[0]?.maker, kept.at(-1)]).toEqual([1000, 'set-1', known[0]]);
  });

  it.each([
    ['one that was made before', broken('m', NOW - MINUTE), NOW, notReady()],
    ['one that was made when the set was whole again', broken('m', NOW + MINUTE + 6000), NOW + 2 * MINUTE, notReady()],
    ['one that was well for half an hour', broken('m', NOW), NOW + 30 * MINUTE, notReady()],
    ['one of another set', broken('m', NOW, { set: { ...SET, uid: 'another' } }), NOW, notReady()],
    ['one that a person wants replaced', broken('m', NOW), NOW, wished()],
  ])('is no matter for %s', (_words, one, since, cause) => {
    expect(badReplacements(known, [bad(one, since, cause)], found()).size).toBe(0);
  });

  it('counts for one that was made in the last moment, by another clock', () => {
    const one = bad(broken('m', NOW + MINUTE + 4000), NOW + 2 * MINUTE);
    expect([...badReplacements(known, [one], found()).keys()]).toEqual(['uid-of-m']);
  });

  it('counts for one machine each, also of another set of its deployment', () => {
    const sets = { [SET.uid]: setSight({ deployment: 'd' }), newer: setSight({ deployment: 'd' }) };
    const ofDeployment = madeWholeBy([], [slot], found({ sets }), NOW);
    const patients = ['a', 'b'].map((name) => bad(broken(name, NOW, { set: { ...SET, uid: 'newer' } }), NOW + MINUTE));
    expect([...badReplacements(ofDeployment, patients, found({ sets })).keys()]).toEqual(['uid-of-a']);
  });
});
