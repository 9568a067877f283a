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
  REPLACE,
  rowOf,
  suspect,
  wished,
} from './check-for-tests.ts';
import type { FoundCheck, SeenReboot, Suspect } from './health-activities.ts';
import type { RemediationStep } from '../../k8s/model/machine-health-check.ts';

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
    expect(rowOf(first, 'm').next).toContain('1 min');
    expect(first.lookAt).toBeLessThanOrEqual(NOW + 3 * MINUTE);
    const early = course.look(NOW + 3 * MINUTE - 1000, seen(well));
    expect([early.inFlight.count, early.events]).toEqual([1, []]);
    const over = course.look(NOW + 3 * MINUTE, seen(well));
    expect(over.inFlight.count).toBe(0);
    expect(over.events).toMatchObject([{ reason: 'RemediationSucceeded' }]);
    expect(begunOf(over)).toEqual([]);
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
    expect(begunOf(course.look(NOW + 9.9 * MINUTE, seen(preparing)))).toEqual([]);
    expect(rowOf(course.look(NOW + 9.95 * MINUTE, seen(preparing)), 'm').next).toContain('Replace');
    expect(course.look(NOW + 10 * MINUTE, seen(preparing)).begin).toMatchObject([{ step: REPLACE }]);
  });

  test('is passed over where it would help nobody: a failed machine, one whose instance does not run, one rebooted too often', () => {
    const first = (one: Partial<Suspect>) => asked(undefined, one).begun;
    expect(first({ causes: [failed()] })).toMatchObject({ step: REPLACE });
    expect(first({ isProved: true })).toMatchObject({ step: REPLACE });
    const times = [iso(NOW - 23 * HOUR), iso(NOW - HOUR)];
    expect(first({ reboot: { times } })).toMatchObject({ step: REPLACE });
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
    expect(without.begin).toMatchObject([{ step: REPLACE }]);
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
