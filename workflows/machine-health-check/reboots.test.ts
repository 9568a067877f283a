import { describe, expect, test } from '@jest/globals';
import {
  ANNOTATE,
  begunOf,
  CHECK_UID,
  Course,
  failed,
  found,
  iso,
  MINUTE,
  notReady,
  NOW,
  reasonsOf,
  REPLACE,
  rowOf,
  suspect,
  wished,
} from './check-for-tests.ts';
import type { FoundCheck, SeenReboot, Suspect } from './health-activities.ts';
import type { RemediationStep } from '../../k8s/model/machine-health-check.ts';
import type { Slot } from './health-memory.ts';
import {
  describeReboot,
  isPastReboots,
  lostMsOf,
  rebootFor,
  rebootOverAt,
  recordFor,
  spentUntil,
  withHelped,
} from './reboots.ts';

const REBOOT = { action: 'Reboot', drainTimeoutMs: 10 * MINUTE, maxReboots: 2 } as const;
const CLAIM = { name: 'check', uid: CHECK_UID };
const HOUR = 60 * MINUTE;

const policy = (...steps: RemediationStep[]) => ({ remediation: { ...found().remediation, steps } });
const sick = (changes: Partial<Suspect> = {}) =>
  suspect('m', { causes: [notReady({ changedAt: NOW - 6 * MINUTE })], ...changes });
const seen = (one: Suspect | undefined, more: Partial<FoundCheck> = policy(REBOOT, REPLACE)) =>
  found({ suspects: one === undefined ? [] : [one], ...more });

/** A check that has had a machine wanted rebooted, and the id of that wish. */
function asked(more: Partial<FoundCheck> = policy(REBOOT, REPLACE), one: Partial<Suspect> = {}) {
  const course = new Course();
  course.look(NOW - 6 * MINUTE, seen(sick(one), more));
  const decision = course.look(NOW, seen(sick(one), more));
  const [begun] = decision.begin;
  const id = begun?.reboot ?? '';
  const reboot = (changes: Partial<SeenReboot> = {}): SeenReboot => ({ wanted: id, told: id, times: [], ...changes });
  const sent = (changes: Partial<SeenReboot> = {}) =>
    reboot({ state: 'Sent', sentAt: iso(NOW + MINUTE), times: [iso(NOW + MINUTE)], ...changes });
  const claimed = (changes: Partial<Suspect>) => sick({ claim: CLAIM, ...one, ...changes });
  return { course, decision, begun, id, reboot, sent, claimed };
}

describe('a step that reboots', () => {
  test('is asked for once, by an id that stays the same while it is asked for again', () => {
    const { course, begun, id, claimed, reboot } = asked();
    expect(begun).toMatchObject({ step: REBOOT, reboot: iso(NOW) });
    expect(begunOf(course.look(NOW + MINUTE, seen(claimed({ reboot: reboot() }))))).toEqual([]);
    const refused = asked();
    refused.course.answer('uid-of-m', { outcome: 'refused', message: 'no' });
    const again = refused.course.look(NOW + 10_000, seen(sick()));
    expect(again.begin).toMatchObject([{ reboot: id }]);
  });

  test('has helped when the machine has booted anew, and nothing was bad for a minute', () => {
    const { course, claimed, sent } = asked();
    const well = claimed({ causes: [], nodeReady: 'True', reboot: sent({ isDone: true }) });
    const first = course.look(NOW + 2 * MINUTE, seen(well));
    expect(rowOf(first, 'm')).toEqual({
      name: 'm',
      cause: 'it was unhealthy: Ready of its Node is Unknown (NodeStatusUnknown) for 6 min',
      since: iso(NOW),
      next: expect.stringContaining('1 min'),
    });
    expect(first.lookAt).toBeLessThanOrEqual(NOW + 3 * MINUTE);
    // Nobody wished it.
    expect(first.fulfilled).toEqual([]);
    const early = course.look(NOW + 3 * MINUTE - 1000, seen(well));
    expect([early.inFlight.count, early.events]).toEqual([1, []]);
    const over = course.look(NOW + 3 * MINUTE, seen(well));
    expect(over.inFlight.count).toBe(0);
    expect(over.events).toMatchObject([{ reason: 'RemediationSucceeded' }]);
    expect(begunOf(over)).toEqual([]);
  });

  test('is looked at when that minute is over, however often something wakes its check meanwhile', () => {
    const { course, claimed, sent } = asked();
    const well = claimed({ causes: [], nodeReady: 'True', reboot: sent({ isDone: true }) });
    course.look(NOW + 2 * MINUTE, seen(well));
    expect(course.look(NOW + 2.5 * MINUTE, seen(well)).lookAt).toBe(NOW + 3 * MINUTE);
  });

  test.each([
    ['in the moment in which', 3],
    ['after', 4],
  ])('is not looked after all the time where the machine is deleted %s it has helped', (_when, minutes) => {
    const { course, claimed, sent } = asked();
    const well = claimed({ causes: [], nodeReady: 'True', reboot: sent({ isDone: true }) });
    course.look(NOW + 2 * MINUTE, seen(well));
    const decision = course.look(NOW + minutes * MINUTE, seen({ ...well, isDeleting: true }));
    expect([decision.inFlight.count, decision.lookAt]).toEqual([1, NOW + (minutes + 1) * MINUTE]);
  });

  test('has helped, too, where nobody looked before it was bad once more, a minute later or more', () => {
    const badFrom = (...times: number[]) => {
      const { course, claimed, sent } = asked();
      const reboot = sent({ isDone: true });
      course.look(NOW + 2 * MINUTE, seen(claimed({ causes: [], nodeReady: 'True', reboot })));
      const { isDone: _silent, ...down } = reboot;
      const causes = times.map((changedAt, at) => notReady({ changedAt, key: `bad ${at}` }));
      return course.look(NOW + 4 * MINUTE, seen(claimed({ causes, reboot: down })));
    };
    const late = badFrom(NOW + 3 * MINUTE);
    expect([late.inFlight.count, late.events]).toMatchObject([0, [{ reason: 'RemediationSucceeded' }]]);
    // The first that was bad counts.
    for (const more of [[], [NOW + 3 * MINUTE]]) {
      const early = badFrom(NOW + 3 * MINUTE - 1000, ...more);
      expect([early.inFlight.count, early.events]).toEqual([1, []]);
    }
  });

  test('that has helped is not the one that is asked for when the machine is bad once more soon', () => {
    const { course, id, claimed, sent } = asked();
    const reboot = sent({ isDone: true });
    const well = claimed({ causes: [], nodeReady: 'True', reboot });
    course.look(NOW + 2 * MINUTE, seen(well));
    course.look(NOW + 3 * MINUTE, seen(well));
    course.look(NOW + 3.1 * MINUTE, seen(undefined));
    const { wanted: _over, isDone: _none, ...told } = reboot;
    const bad = sick({ causes: [notReady({ changedAt: NOW + 3.5 * MINUTE })], reboot: told });
    course.look(NOW + 3.5 * MINUTE, seen(bad));
    const again = course.look(NOW + 8.5 * MINUTE, seen(bad));
    expect(again.begin).toMatchObject([{ step: REBOOT, reboot: iso(NOW + 8.5 * MINUTE) }]);
    // Until it is known to have helped, it is the one, whoever asks.
    const unjudged = new Course();
    unjudged.look(NOW + 3.5 * MINUTE, seen(bad));
    expect(unjudged.look(NOW + 8.5 * MINUTE, seen(bad)).begin).toMatchObject([{ step: REBOOT, reboot: id }]);
  });

  test('is another one also where nobody looked before it was bad for too long once more', () => {
    const { course, claimed, sent } = asked();
    course.look(NOW + 2 * MINUTE, seen(claimed({ causes: [], nodeReady: 'True', reboot: sent({ isDone: true }) })));
    const bad = claimed({ causes: [notReady({ changedAt: NOW + 3.5 * MINUTE })], reboot: sent() });
    const late = course.look(NOW + 9 * MINUTE, seen(bad));
    expect(late.events).toMatchObject([{ reason: 'DetectedUnhealthy' }, { reason: 'RemediationSucceeded' }]);
    expect(late.begin).toMatchObject([{ step: REBOOT, reboot: iso(NOW + 9 * MINUTE) }]);
  });

  test('is another one also where its machine was not selected for a while, and its set was whole', () => {
    const { course, id, sent } = asked();
    expect(course.look(NOW + 2 * MINUTE, seen(undefined)).inFlight.count).toBe(0);
    const { wanted: _over, ...told } = sent();
    const bad = seen(sick({ reboot: told }));
    course.look(NOW + 3 * MINUTE, bad);
    const again = course.look(NOW + 8 * MINUTE, bad);
    expect(again.begin).toMatchObject([{ step: REBOOT, reboot: iso(NOW + 8 * MINUTE) }]);
    expect(again.begin[0]?.reboot).not.toBe(id);
  });

  test('waits for no storm where there is none, and what is bad of the machine has not lasted for long', () => {
    const { course, claimed, sent } = asked();
    const reboot = sent();
    course.look(NOW + 2 * MINUTE, seen(claimed({ causes: [], nodeReady: 'True', reboot })));
    const bad = claimed({ causes: [notReady({ changedAt: NOW + 10 * MINUTE })], reboot });
    const decision = course.look(NOW + 12 * MINUTE, seen(bad));
    expect([decision.begin, decision.brakes]).toEqual([[], []]);
    expect(rowOf(decision, 'm').next).toContain('; it waits until that has lasted for 5 min');
    expect(decision.lookAt).toBeLessThanOrEqual(NOW + 15 * MINUTE);
    expect(course.look(NOW + 15 * MINUTE, seen(bad)).begin).toMatchObject([{ step: REPLACE }]);
  });

  test('has not helped yet where it was bad again within that minute', () => {
    const { course, claimed, sent } = asked();
    const reboot = sent({ isDone: true });
    course.look(NOW + 2 * MINUTE, seen(claimed({ causes: [], reboot })));
    course.look(NOW + 2.5 * MINUTE, seen(claimed({ reboot })));
    course.look(NOW + 2.6 * MINUTE, seen(claimed({ causes: [], reboot })));
    expect(course.look(NOW + 3.2 * MINUTE, seen(claimed({ causes: [], reboot }))).inFlight.count).toBe(1);
    expect(course.look(NOW + 3.6 * MINUTE, seen(claimed({ causes: [], reboot }))).inFlight.count).toBe(0);
  });

  test('is followed by the next one where it has not helped within nodeStartupTimeout of the call', () => {
    const { course, claimed, sent } = asked();
    const reboot = sent();
    expect(begunOf(course.look(NOW + 10.9 * MINUTE, seen(claimed({ reboot }))))).toEqual([]);
    expect(course.look(NOW + 11 * MINUTE, seen(claimed({ reboot }))).begin).toMatchObject([{ step: REPLACE }]);
  });

  test('has ten minutes for that where nodeStartupTimeout is off; times without an API server do not count', () => {
    const limits = { ...found().limits, nodeStartupTimeoutMs: 0 };
    const outages = [{ from: iso(NOW + 2 * MINUTE), until: iso(NOW + 4 * MINUTE) }];
    const more = { ...policy(REBOOT, REPLACE), limits, outages };
    const { course, claimed, sent } = asked(more);
    expect(begunOf(course.look(NOW + 12.9 * MINUTE, seen(claimed({ reboot: sent() }), more)))).toEqual([]);
    expect(begunOf(course.look(NOW + 13.1 * MINUTE, seen(claimed({ reboot: sent() }), more)))).toEqual(['m']);
  });

  test.each(['Refused', 'Unsupported', 'Spent'] as const)(
    'is followed by the next one at once where it is %s',
    (state) => {
      const { course, claimed, reboot } = asked();
      const decision = course.look(NOW + 5000, seen(claimed({ reboot: reboot({ state, message: 'no' }) })));
      expect(decision.begin).toMatchObject([{ step: REPLACE }]);
    },
  );

  test('is followed by the next one where the drain before it takes too long', () => {
    const { course, claimed, reboot } = asked();
    const preparing = claimed({ reboot: reboot({ state: 'Preparing' }) });
    for (let at = 1; at < 10; at += 1) expect(begunOf(course.look(NOW + at * MINUTE, seen(preparing)))).toEqual([]);
    expect(begunOf(course.look(NOW + 9.9 * MINUTE, seen(preparing)))).toEqual([]);
    expect(rowOf(course.look(NOW + 9.95 * MINUTE, seen(preparing)), 'm').next).toContain('to be replaced');
    expect(course.look(NOW + 10 * MINUTE, seen(preparing)).begin).toMatchObject([{ step: REPLACE }]);
  });

  test('is passed over where it would help nobody: a failed machine, one whose instance does not run, one rebooted too often', () => {
    const first = (one: Partial<Suspect>) => asked(undefined, one).begun;
    expect(first({ causes: [failed()] })).toMatchObject({ step: REPLACE });
    expect(first({ isProved: true })).toMatchObject({ step: REPLACE });
    const times = [iso(NOW - 23 * HOUR), iso(NOW - HOUR)];
    const isTold = expect.stringContaining('; it was rebooted as often within 24 h as it may be (maxReboots)');
    expect(first({ reboot: { times } })).toMatchObject({ step: REPLACE, cause: isTold });
    expect(first({ isProved: true, reboot: { times } })).not.toMatchObject({ cause: isTold });
    expect(first({ reboot: { times: [iso(NOW - 25 * HOUR), iso(NOW - HOUR)] } })).toMatchObject({ step: REBOOT });
  });

  test('is passed over in the middle of a list as well', () => {
    const times = [iso(NOW - 2 * HOUR), iso(NOW - HOUR)];
    const more = policy(ANNOTATE, REBOOT, REPLACE);
    const { course, claimed } = asked(more);
    const later = course.look(NOW + 11 * MINUTE, seen(claimed({ isExternal: true, reboot: { times } }), more));
    expect(later.begin).toMatchObject([{ step: REPLACE }]);
  });

  test('goes by a reboot that was sent before, whoever wanted it: there is no second one meanwhile', () => {
    const told = iso(NOW - 3 * MINUTE);
    const times = [iso(NOW - 2 * MINUTE)];
    const before: SeenReboot = { told, state: 'Sent', sentAt: iso(NOW - 2 * MINUTE), times };
    expect(asked(undefined, { reboot: before }).begun).toMatchObject({ step: REBOOT, reboot: told });
    const long: SeenReboot = { ...before, sentAt: iso(NOW - HOUR) };
    expect(asked(undefined, { reboot: long }).begun).toMatchObject({ reboot: iso(NOW) });
  });

  test('that did not help is the last one: its place goes to others, and it is tried again when it may be', () => {
    const more = policy({ ...REBOOT, maxReboots: 1 });
    const { course, claimed, sent } = asked(more);
    const times = [iso(NOW + MINUTE)];
    const over = course.look(NOW + 11 * MINUTE, seen(claimed({ reboot: sent({ times }) }), more));
    expect([begunOf(over), over.inFlight.count]).toEqual([[], 0]);
    const spent = sick({ reboot: { times } });
    const later = course.look(NOW + 20 * MINUTE, seen(spent, more));
    expect([begunOf(later), rowOf(later, 'm').next]).toEqual([[], expect.stringContaining('maxReboots')]);
    expect(later.lookAt).toBeLessThanOrEqual(NOW + MINUTE + 24 * HOUR);
    expect(begunOf(course.look(NOW + MINUTE + 24 * HOUR, seen(spent, more)))).toEqual(['m']);
  });

  test('is over where the machine is well without it, or with one that it does not tell of', () => {
    const { course, claimed, reboot, sent } = asked();
    const well = { causes: [], nodeReady: 'True' } as const;
    const other = asked();
    const early = course.look(NOW + 2000, seen(claimed({ ...well, reboot: reboot({ state: 'Preparing' }) })));
    expect(early.inFlight.count).toBe(1);
    const over = course.look(NOW + MINUTE, seen(claimed({ ...well, reboot: reboot({ state: 'Preparing' }) })));
    expect([over.inFlight.count, over.events]).toEqual([0, []]);
    expect(other.course.look(NOW + 9 * MINUTE, seen(other.claimed({ ...well, reboot: sent() }))).inFlight.count).toBe(
      1,
    );
    const late = other.course.look(NOW + 11 * MINUTE, seen(other.claimed({ ...well, reboot: sent() })));
    expect([late.inFlight.count, begunOf(late)]).toEqual([0, []]);
  });

  test('is over at once where the machine is well and its reboot was refused, else five seconds after it was asked for', () => {
    const well = { causes: [], nodeReady: 'True' } as const;
    const course = new Course();
    course.look(NOW - 6 * MINUTE, seen(sick()));
    course.look(NOW, seen(sick()), { outcome: 'refused', message: 'no' });
    expect(course.look(NOW + 1000, seen(sick(well))).inFlight.count).toBe(0);
    const done = asked();
    expect(done.course.look(NOW + 4999, seen(done.claimed(well))).inFlight.count).toBe(1);
    expect(done.course.look(NOW + 5000, seen(done.claimed(well))).inFlight.count).toBe(0);
  });

  test('keeps its place while it may still help, and while it is to be asked for again, though no step follows', () => {
    const more = policy(REBOOT);
    const { course, claimed, sent } = asked(more);
    expect(course.look(NOW + 10 * MINUTE, seen(claimed({ reboot: sent() }), more)).inFlight.count).toBe(1);
    const refused = new Course();
    refused.look(NOW - 6 * MINUTE, seen(sick(), more));
    refused.look(NOW, seen(sick(), more), { outcome: 'refused', message: 'no' });
    const later = refused.look(NOW + 11 * MINUTE, seen(sick(), more));
    expect([later.inFlight.count, begunOf(later)]).toEqual([1, ['m']]);
  });

  test('gives its place to others where it was refused, and nothing is left to do as the instance is stopped by now', () => {
    const more = policy(REBOOT);
    const course = new Course();
    course.look(NOW - 6 * MINUTE, seen(sick(), more));
    course.look(NOW, seen(sick(), more), { outcome: 'refused', message: 'no' });
    const stopped = seen(sick({ isProved: true }), more);
    for (let at = 1; at < 10; at += 1) expect(course.look(NOW + at * MINUTE, stopped).inFlight.count).toBe(1);
    expect(course.look(NOW + 10 * MINUTE, stopped).inFlight.count).toBe(0);
  });

  test('ends with a pause of its check, unless the cloud was called', () => {
    const paused = { ...policy(REBOOT, REPLACE), paused: true };
    const { course, claimed, reboot } = asked();
    expect(course.look(NOW + MINUTE, seen(claimed({ reboot: reboot() }), paused)).inFlight.count).toBe(0);
    const called = asked();
    const sent = seen(called.claimed({ reboot: called.sent() }), paused);
    expect(called.course.look(NOW + 2 * MINUTE, sent).inFlight.count).toBe(1);
  });

  test('that waits for its turn says so, and not when it is over, which moves on with each look', () => {
    const { course, claimed, reboot } = asked();
    const waiting = seen(claimed({ isControlPlane: true, reboot: reboot({ awaitsTurn: true }) }));
    const first = rowOf(course.look(NOW + MINUTE, waiting), 'm');
    expect(first?.next).toContain('waits for its turn in the control plane (ControlPlaneInTheWay');
    expect(first).not.toHaveProperty('dueAt');
    expect(rowOf(course.look(NOW + 2 * MINUTE, waiting), 'm')).toEqual(first);
  });

  test.each([
    ['left alone', { skip: '' }],
    ['paused', { pausedBy: 'it' }],
    ['taken over by another check', { claim: { name: 'other', uid: 'other' } }],
  ])('is over where the machine is %s', (_words, changes) => {
    const { course, claimed, sent } = asked();
    const decision = course.look(NOW + 2 * MINUTE, seen(claimed({ reboot: sent(), ...changes })));
    expect([decision.inFlight.count, begunOf(decision)]).toEqual([0, []]);
  });

  test('holds its place until the set is whole, where somebody deletes the machine meanwhile', () => {
    const { course, claimed, sent } = asked();
    const decision = course.look(NOW + 2 * MINUTE, seen(claimed({ reboot: sent(), isDeleting: true })));
    expect([decision.inFlight.count, begunOf(decision)]).toEqual([1, []]);
  });

  test('of a check that was edited goes on by what the check says now', () => {
    const { course, claimed, sent } = asked();
    const moved = policy(ANNOTATE, REBOOT, REPLACE);
    expect(begunOf(course.look(NOW + 2 * MINUTE, seen(claimed({ reboot: sent() }), moved)))).toEqual([]);
    const without = course.look(NOW + 3 * MINUTE, seen(claimed({ reboot: sent() }), policy(REPLACE)));
    expect(without.begin).toMatchObject([
      { step: REPLACE, cause: expect.stringMatching(/; its reboot did not help$/) },
    ]);
    const other = asked();
    const another = other.course.look(
      NOW + 2 * MINUTE,
      seen(other.claimed({ reboot: other.reboot() }), policy(ANNOTATE, REPLACE)),
    );
    expect(another.begin).toMatchObject([{ step: ANNOTATE, cause: expect.stringMatching(/; it was not rebooted$/) }]);
  });

  test('is waited for as long as before where nobody was there who could have made it, or others of its control plane are in the way', () => {
    const { course, claimed, reboot } = asked();
    const waiting = (changes: Partial<SeenReboot> = {}) => seen(claimed({ reboot: reboot(changes) }));
    course.look(NOW + MINUTE, waiting());
    // Eleven minutes later.
    expect(begunOf(course.look(NOW + 12 * MINUTE, waiting()))).toEqual([]);
    for (let at = 13; at < 21; at += 1) expect(begunOf(course.look(NOW + at * MINUTE, waiting()))).toEqual([]);
    for (let at = 21; at < 60; at += 1) {
      const inTheWay = waiting({ state: 'Preparing', awaitsTurn: true });
      expect(begunOf(course.look(NOW + at * MINUTE, inTheWay))).toEqual([]);
    }
    // It had a minute, and eight more.
    expect(course.look(NOW + 59.9 * MINUTE, waiting({ state: 'Preparing' })).begin).toEqual([]);
    expect(course.look(NOW + 60 * MINUTE, waiting({ state: 'Preparing' })).begin).toMatchObject([{ step: REPLACE }]);
  });

  test('is known again by a check that lost its memory, and is not asked for anew', () => {
    const { claimed, sent, reboot } = asked();
    for (const one of [reboot(), sent()]) {
      const fresh = new Course();
      const decision = fresh.look(NOW + 2 * MINUTE, seen(claimed({ reboot: one })));
      expect([decision.inFlight.count, begunOf(decision)]).toEqual([1, []]);
    }
    const fresh = new Course();
    const decision = fresh.look(NOW + 2 * MINUTE, seen(claimed({ reboot: sent() }), policy(REPLACE)));
    expect(decision.begin).toMatchObject([{ step: REPLACE }]);
  });

  describe('that many others join in turning bad', () => {
    const many = (one: Suspect, count = 6) => {
      const others = Array.from({ length: count }, (_, at) =>
        suspect(`n-${at}`, { causes: [notReady({ changedAt: NOW })] }),
      );
      return found({ suspects: [one, ...others], ...policy(REBOOT, REPLACE) });
    };
    const at = NOW + MINUTE;

    test.each(['not told of yet', 'being drained'] as const)('is taken back where it is %s', (how) => {
      const { course, claimed, reboot } = asked();
      const state = how === 'being drained' ? ({ state: 'Preparing' } as const) : {};
      const storm = course.look(at, many(claimed({ reboot: reboot(state) })));
      expect([storm.inFlight.count, begunOf(storm), reasonsOf(storm)]).toEqual([0, [], ['ManyAtOnce']]);
      expect(rowOf(storm, 'm').next).toContain('StormSuspected');
      // What could not be taken off the Machine is not gone on with either.
      const again = course.look(at + 1000, many(claimed({ reboot: reboot(state) })));
      expect([again.inFlight.count, begunOf(again)]).toEqual([0, []]);
    });

    test('begins anew after the storm, by another id, one at a time', () => {
      const { course, claimed, reboot, id } = asked();
      course.look(at, many(claimed({ reboot: reboot({ state: 'Preparing' }) })));
      course.look(at + MINUTE, seen(sick()));
      const after = course.look(at + 2 * MINUTE, seen(sick()));
      expect(after.begin).toMatchObject([{ step: REBOOT }]);
      expect(after.begin[0]?.reboot).not.toBe(id);
      expect(after.inFlight).toEqual({ count: 1, limit: 1 });
    });

    test('goes on where the cloud was called for it', () => {
      const { course, claimed, sent } = asked();
      const storm = course.look(at, many(claimed({ reboot: sent() })));
      expect([storm.inFlight.count, reasonsOf(storm)]).toEqual([1, ['ManyAtOnce']]);
    });

    test('goes on where a person wished it, or where it is bad by something else', () => {
      const { course, claimed, reboot } = asked();
      const other = notReady({ changedAt: NOW - 6 * MINUTE, key: 'node Sick=True 300000', condition: 'node Sick' });
      for (const more of [wished(), other]) {
        const causes = [notReady({ changedAt: NOW - 6 * MINUTE }), more];
        course.look(at - 10 * MINUTE, many(claimed({ causes, reboot: reboot() }), 0));
        const storm = course.look(at, many(claimed({ causes, reboot: reboot({ state: 'Preparing' }) })));
        expect([storm.inFlight.count, reasonsOf(storm)]).toEqual([1, ['ManyAtOnce']]);
      }
    });

    test('is taken back where more are unhealthy than maxUnhealthy allows, wished or not', () => {
      const { course, claimed, reboot } = asked();
      const limits = { ...found().limits, maxUnhealthy: { count: 1 } };
      const causes = [notReady({ changedAt: NOW - 6 * MINUTE }), wished()];
      const two = many(claimed({ causes, reboot: reboot({ state: 'Preparing' }) }), 1);
      const braked = course.look(at, { ...two, limits });
      expect([braked.inFlight.count, reasonsOf(braked)]).toEqual([0, ['TooManyUnhealthy']]);
    });

    test('is not taken back then where nothing of its machine is bad for long enough any more', () => {
      const { course, claimed, reboot } = asked();
      const limits = { ...found().limits, maxUnhealthy: { count: 1 } };
      const causes = [notReady({ key: 'fresh', changedAt: at })];
      const two = many(claimed({ causes, reboot: reboot({ state: 'Preparing' }) }), 1);
      const braked = course.look(at, { ...two, limits });
      expect([braked.inFlight.count, reasonsOf(braked)]).toEqual([1, ['TooManyUnhealthy']]);
    });
  });

  test('waits behind the brakes, and counts for the pace', () => {
    const { course, claimed, sent } = asked({ ...policy(REBOOT, REPLACE), expected: 5 });
    const other = suspect('n', { causes: [notReady({ changedAt: NOW - 6 * MINUTE })] });
    const both = (now: number) =>
      course.look(
        now,
        found({ suspects: [claimed({ reboot: sent() }), other], expected: 5, ...policy(REBOOT, REPLACE) }),
      );
    both(NOW + MINUTE);
    expect(rowOf(both(NOW + 8 * MINUTE), 'n').next).toContain('InFlightLimit');
  });

  test('fulfils what a person wished when the machine has booted anew: it is not replaced besides', () => {
    const course = new Course();
    const [begun] = course.look(NOW, seen(suspect('m', { causes: [wished()], nodeReady: 'True' }))).begin;
    const told = begun?.reboot ?? '';
    const reboot = (changes: Partial<SeenReboot>): SeenReboot => ({ wanted: told, told, times: [], ...changes });
    const sent = (changes: Partial<SeenReboot> = {}) =>
      reboot({ state: 'Sent', sentAt: iso(NOW + MINUTE), times: [iso(NOW + MINUTE)], ...changes });
    const claimed = (changes: Partial<Suspect>) => suspect('m', { claim: CLAIM, ...changes });
    const wanted = { causes: [wished()], nodeReady: 'True' } as const;
    const preparing = course.look(NOW + MINUTE, seen(claimed({ ...wanted, reboot: reboot({ state: 'Preparing' }) })));
    expect(preparing.fulfilled).toEqual([]);
    expect(course.look(NOW + 2 * MINUTE, seen(claimed({ ...wanted, reboot: sent() }))).fulfilled).toEqual([]);
    const done = { ...wanted, reboot: sent({ isDone: true }) };
    const ill = { ...done, causes: [wished(), notReady({ changedAt: NOW })] };
    expect(course.look(NOW + 2.5 * MINUTE, seen(claimed(ill))).fulfilled).toEqual([]);
    const booted = course.look(NOW + 3 * MINUTE, seen(claimed(done)));
    expect(booted).toMatchObject({ begin: [], fulfilled: [{ name: 'm', uid: 'uid-of-m' }] });
    const well = { ...done, causes: [] };
    expect(course.look(NOW + 3.1 * MINUTE, seen(claimed(well))).inFlight.count).toBe(1);
    const over = course.look(NOW + 4.2 * MINUTE, seen(claimed(well)));
    expect(over).toMatchObject({ begin: [], inFlight: { count: 0 } });
    expect(over.events.map(({ reason }) => reason)).toEqual(['RemediationSucceeded']);
  });
});

describe('what is known of a reboot', () => {
  const ID = iso(NOW);
  const limits = (nodeStartupTimeoutMs: number) => ({ seen: { limits: { ...found().limits, nodeStartupTimeoutMs } } });
  const times = (now: number, ms = 20 * MINUTE) => ({ ...limits(ms), away: [], now });
  const slot = (changes: Partial<Slot> = {}): Slot => ({
    name: 'm',
    cause: 'it is bad',
    startedAt: NOW,
    step: 0,
    action: 'Reboot',
    reboot: { id: ID },
    asked: { times: 2, at: NOW + 2 * MINUTE, outcome: 'done' },
    ...changes,
  });
  const having = (reboot: Partial<SeenReboot>) => suspect('m', { reboot: { told: ID, times: [], ...reboot } });
  const illness = { cause: notReady(), since: NOW, dueAt: NOW, isUnhealthy: true, isFlapping: false, isTold: false };
  const overAt = (reboot: Partial<SeenReboot>, illnesses = [illness], one = slot()) =>
    rebootOverAt({ suspect: having(reboot), illnesses }, one, REBOOT, times(NOW + 5 * MINUTE));

  test('helps none that has failed, or whose instance does not run', () => {
    const patient = { suspect: suspect('m'), illnesses: [illness] };
    expect(isPastReboots(patient)).toBe(false);
    expect(isPastReboots({ ...patient, illnesses: [{ ...illness, cause: failed() }] })).toBe(true);
    expect(isPastReboots({ ...patient, suspect: suspect('m', { isProved: true }) })).toBe(true);
  });

  test('is when the machine may be rebooted again: a day after the first of as many reboots as it may have', () => {
    const three = having({ times: [NOW - 3 * HOUR, NOW - 2 * HOUR, NOW - HOUR].map(iso) });
    expect(spentUntil(three, REBOOT, NOW)).toBe(NOW + 22 * HOUR);
    expect(spentUntil(having({ times: [iso(NOW - HOUR)] }), REBOOT, NOW)).toBeUndefined();
  });

  test('is that another one may be asked for, from the moment on at which its time is over', () => {
    const sent = having({ state: 'Sent', sentAt: ID });
    expect(rebootFor(sent, undefined, times(NOW + 20 * MINUTE - 1)).id).toBe(ID);
    expect(rebootFor(sent, undefined, times(NOW + 20 * MINUTE)).id).toBe(iso(NOW + 20 * MINUTE));
  });

  test('is that another one may be asked for at once where that has helped, but not where an earlier one has', () => {
    const sent = having({ state: 'Sent', sentAt: ID });
    expect(rebootFor(sent, ID, times(NOW + 5 * MINUTE)).id).toBe(iso(NOW + 5 * MINUTE));
    expect(rebootFor(sent, iso(NOW - HOUR), times(NOW + 5 * MINUTE)).id).toBe(ID);
  });

  test("that has helped is known for a day, each machine's last one", () => {
    const helped = (uid: string, id: string) => ({ uid, slot: slot({ reboot: { id } }) });
    const { reboot: _none, ...replaced } = slot();
    const known = { a: iso(NOW - 24 * HOUR), b: iso(NOW - 23 * HOUR), c: iso(NOW - HOUR) };
    expect(withHelped(known, [helped('c', ID), { uid: 'd', slot: replaced }], NOW)).toEqual({
      b: iso(NOW - 23 * HOUR),
      c: ID,
    });
    const many = Array.from({ length: 1001 }, (_, at) => helped(`m-${at}`, ID));
    expect(Object.keys(withHelped({}, many, NOW))).toEqual(many.slice(1).map(({ uid }) => uid));
    // One that has helped once more is no other one.
    const all = withHelped({ first: ID, 'm-1': ID }, many.slice(1, 1000), NOW);
    expect(Object.keys(all)).toEqual(['first', ...many.slice(1, 1000).map(({ uid }) => uid)]);
  });

  test('is nothing where the machine tells of another one, or none is asked for', () => {
    const told = having({ state: 'Sent' });
    expect(recordFor(told, { id: ID })).toMatchObject({ state: 'Sent' });
    expect(recordFor(told, { id: iso(NOW + 1) })).toBeUndefined();
    expect(recordFor(told, undefined)).toBeUndefined();
  });

  test('is when it has not helped: it has as long as a machine may take to come up, unless it has booted and is well', () => {
    const sent = { state: 'Sent', sentAt: iso(NOW + MINUTE) } as const;
    expect(overAt(sent)).toBe(NOW + 21 * MINUTE);
    expect(overAt({ ...sent, isDone: true })).toBe(NOW + 21 * MINUTE);
    expect(overAt(sent, [])).toBe(NOW + 21 * MINUTE);
    expect(overAt({ ...sent, isDone: true }, [])).toBe(Infinity);
    expect(overAt({ state: 'Sent' })).toBe(NOW + 25 * MINUTE);
  });

  test('is that its drain has its time since it was asked for first, where that is known', () => {
    expect(overAt({ state: 'Preparing' })).toBe(NOW + 10 * MINUTE);
    expect(overAt({ state: 'Preparing' }, [illness], slot({ reboot: { id: '' } }))).toBe(NOW + 12 * MINUTE);
  });

  const IN_THE_WAY = { wanted: ID, state: 'Preparing', awaitsTurn: true } as const;
  const OUTAGE = [{ from: NOW, until: NOW + MINUTE }];
  test.each<[string, number, Partial<SeenReboot>, number | undefined, Parameters<typeof lostMsOf>[2]['away']]>([
    ['where it was looked at two minutes ago', 2 * MINUTE, {}, undefined, []],
    ['where nobody looked for longer', 2 * MINUTE + 1, {}, 2 * MINUTE + 1, []],
    ['where nobody looked, but for the time of an outage', 4 * MINUTE, {}, 3 * MINUTE, OUTAGE],
    ['where only an outage kept it from being looked at', 2.5 * MINUTE, {}, undefined, OUTAGE],
    ['where the cloud was called for it', 4 * MINUTE, { state: 'Sent' }, undefined, []],
    ['where others are in its way', MINUTE, IN_THE_WAY, MINUTE, []],
    ['where others are in the way of another one', MINUTE, { ...IN_THE_WAY, wanted: iso(NOW - 1) }, undefined, []],
    ['where it is looked at twice in one moment', 0, IN_THE_WAY, undefined, []],
    ['where the clock went back', -1000, IN_THE_WAY, undefined, []],
  ])('is how much of its time it could not be made: %s', (_words, after, reboot, lostMs, away) => {
    expect(lostMsOf(having(reboot), slot(), { lookedAt: NOW, away, now: NOW + after })).toBe(lostMs);
  });

  test.each<[string, Partial<SeenReboot>, Partial<Slot>]>([
    ['its reboot was asked for; its Node is drained first where that is Ready', {}, {}],
    ['its reboot was asked for; its Node is drained first where that is Ready', { state: 'Preparing' }, {}],
    ['it is not rebooted: the cloud cannot', { state: 'Unsupported', message: 'the cloud cannot' }, {}],
    [
      `its reboot was asked for at ${ID}; its Node is not Ready, or has not told of another boot yet`,
      { state: 'Sent', sentAt: ID },
      {},
    ],
    [
      `its reboot was asked for at ${ID} (what came of it is not known: no); its Node is not Ready, or has not told of another boot yet`,
      { state: 'Sent', sentAt: ID, message: 'what came of it is not known: no' },
      {},
    ],
    [
      `it was rebooted at ${ID}; its Node tells of another boot, and is Ready`,
      { state: 'Sent', sentAt: ID, isDone: true },
      {},
    ],
    [
      `it was rebooted at ${ID}; that has helped when nothing is bad for 1 min`,
      { state: 'Sent', sentAt: ID, isDone: true },
      { reboot: { id: ID, goodSince: NOW } },
    ],
  ])('is told: %s', (words, reboot, changes) => {
    expect(describeReboot(having(reboot), slot(changes))).toBe(words);
  });

  test('is told without what the machine does not say', () => {
    expect(describeReboot(having({ state: 'Sent' }), slot())).not.toContain('undefined');
    expect(describeReboot(having({ state: 'Spent' }), slot())).not.toContain('undefined');
  });
});
