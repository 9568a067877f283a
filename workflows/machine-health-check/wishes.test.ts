import { describe, expect, it } from '@jest/globals';
import type { RemediationStep } from '../../k8s/model/machine-health-check.ts';
import {
  ANNOTATE,
  begunOf,
  Course,
  found,
  MINUTE,
  notReady,
  NOW,
  REPLACE,
  suspect,
  wished,
} from './check-for-tests.ts';
import type { Suspect } from './health-activities.ts';

const { timeoutMs: _timeoutMs, ...FOR_EVER } = ANNOTATE;
const BOTH = [wished(), notReady({ changedAt: NOW - 60 * MINUTE })];

/** A machine for which the first step was taken. */
function annotated(steps: readonly RemediationStep[], causes = [wished()]) {
  const course = new Course();
  const look = (at: number, changes: Partial<Suspect>) => {
    const remediation = { ...found().remediation, steps };
    return course.look(NOW + at, found({ remediation, suspects: [suspect('m', { causes, ...changes })] }));
  };
  expect(begunOf(look(0, {}))).toEqual(['m']);
  return (at: number, isMarked: boolean, changes: Partial<Suspect> = {}) =>
    look(at, { ...changes, ...(isMarked ? { marks: [ANNOTATE.key] } : {}) });
}

describe('a wish for a machine that is well', () => {
  const M = [{ name: 'm', uid: 'uid-of-m' }];

  it('is fulfilled when the program takes its annotation off, and not while that is there', () => {
    const look = annotated([FOR_EVER, REPLACE]);
    expect(look(MINUTE, true)).toMatchObject({ fulfilled: [], begin: [], inFlight: { count: 1 } });
    expect(look(2 * MINUTE, false)).toMatchObject({ fulfilled: M, begin: [], inFlight: { count: 1 } });
    // Until the wish is off it, whatever becomes of the request to take it off.
    expect(look(3 * MINUTE, false)).toMatchObject({ fulfilled: M, begin: [] });
    const over = look(4 * MINUTE, false, { causes: [] });
    expect(over).toMatchObject({ fulfilled: [], inFlight: { count: 0 } });
    expect(over.events.map(({ reason }) => reason)).toEqual(['RemediationSucceeded']);
  });

  it('is fulfilled when a program that takes nothing off had its time: that of the step, or as long as a machine takes to come up', () => {
    const timed = annotated([ANNOTATE]);
    expect(timed(10 * MINUTE - 1, true).fulfilled).toEqual([]);
    expect(timed(10 * MINUTE, true).fulfilled).toEqual(M);
    const untimed = annotated([FOR_EVER, REPLACE]);
    expect(untimed(10 * MINUTE - 1, true).fulfilled).toEqual([]);
    expect(untimed(10 * MINUTE, true)).toMatchObject({ fulfilled: M, begin: [] });
  });

  it('is for the next step where the time of this one is over', () => {
    const look = annotated([ANNOTATE, REPLACE]);
    expect(look(10 * MINUTE, true)).toMatchObject({ fulfilled: [], begin: [{ step: { action: 'Replace' } }] });
  });

  it('is not fulfilled where the annotation was refused', () => {
    const course = new Course();
    const remediation = { ...found().remediation, steps: [FOR_EVER] };
    const seen = found({ remediation, suspects: [suspect('m', { causes: [wished()] })] });
    course.look(NOW, seen, { outcome: 'refused', message: 'no' });
    expect(course.look(NOW + 60 * MINUTE, seen, { outcome: 'refused', message: 'no' }).fulfilled).toEqual([]);
  });

  it('is not fulfilled by its Machine’s replacement, which takes it along', () => {
    expect(new Course().look(NOW, found({ suspects: [suspect('m', { causes: [wished()] })] }))).toMatchObject({
      fulfilled: [],
      begin: [{ step: { action: 'Replace' } }],
    });
  });
});

describe('a machine that is not well', () => {
  it('keeps the wish while it is bad', () => {
    const look = annotated([FOR_EVER], BOTH);
    expect(look(MINUTE, false).fulfilled).toEqual([]);
    expect(look(9 * MINUTE, false)).toMatchObject({ fulfilled: [], begin: [] });
  });

  it('is annotated anew where the program takes its annotation off and it stays unhealthy, after it had time to come up', () => {
    const look = annotated([FOR_EVER], BOTH);
    expect(look(9 * MINUTE, false).begin).toEqual([]);
    expect(look(11 * MINUTE, true).begin).toEqual([]);
    expect(look(12 * MINUTE, false)).toMatchObject({ begin: [{ step: FOR_EVER }], inFlight: { count: 1 } });
    expect(look(13 * MINUTE, false).begin).toEqual([]);
  });
});
