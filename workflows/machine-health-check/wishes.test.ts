import { describe, expect, it } from '@jest/globals';
import type { RemediationStep } from '../../k8s/model/machine-health-check.ts';
import {
  ANNOTATE,
  begunOf,
  Course,
  failed,
  found,
  MINUTE,
  notReady,
  NOW,
  REPLACE,
  rowOf,
  suspect,
  wished,
  withoutSet,
} from './check-for-tests.ts';
import { statusOf } from './check-status.ts';
import type { Decision } from './decision.ts';
import { REQUEST_MARK, type FoundCheck, type Suspect } from './health-activities.ts';
import { keyOf } from './wishes.ts';
import { given } from '../../providers/given.ts';

const { timeoutMs: _timeoutMs, ...FOR_EVER } = ANNOTATE;
const BOTH = [wished(), notReady({ changedAt: NOW - 60 * MINUTE })];

function conditionOf(decision: Decision, seen: FoundCheck, type: string) {
  return statusOf(seen, decision, NOW)?.conditions.find((one) => one.type === type);
}

/** A machine for which the first step was taken. */
function annotated(steps: readonly RemediationStep[], causes = [wished()], limits = found().limits) {
  const course = new Course();
  const look = (at: number, changes: Partial<Suspect>) => {
    const remediation = { ...found().remediation, steps };
    return course.look(NOW + at, found({ remediation, limits, suspects: [suspect('m', { causes, ...changes })] }));
  };
  expect(begunOf(look(0, {}))).toEqual(['m']);
  return (at: number, isMarked: boolean, changes: Partial<Suspect> = {}) =>
    look(at, { ...changes, ...given({ marks: isMarked ? [ANNOTATE.key] : undefined }) });
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

  it('is fulfilled then, too, where only a step is left that no machine without a controller is taken', () => {
    const course = new Course();
    const look = (at: number) => {
      const remediation = { ...found().remediation, steps: [ANNOTATE, REPLACE] };
      const one = withoutSet(suspect('m', { causes: [wished()], marks: [ANNOTATE.key] }));
      return course.look(NOW + at, found({ remediation, suspects: [one] }));
    };
    look(0);
    expect(look(10 * MINUTE - 1).fulfilled).toEqual([]);
    expect(look(10 * MINUTE)).toMatchObject({ fulfilled: M, begin: [] });
  });

  it('keeps no place where the check annotates no more, and cannot go on', () => {
    const course = new Course();
    const look = (at: number, steps: readonly RemediationStep[]) => {
      const one = withoutSet(suspect('m', { causes: [wished()], marks: [ANNOTATE.key] }));
      return course.look(NOW + at, found({ remediation: { ...found().remediation, steps }, suspects: [one] }));
    };
    expect(look(0, [ANNOTATE]).inFlight.count).toBe(1);
    expect(look(MINUTE, [REPLACE]).inFlight.count).toBe(0);
  });

  it.each([
    ['has twenty minutes where a machine may take those to come up', 20 * MINUTE, 20 * MINUTE],
    ['has ten minutes where nobody says how long a machine may take', 0, 10 * MINUTE],
  ])('is fulfilled when a program that has no time of its own had one: it %s', (_what, nodeStartupTimeoutMs, ms) => {
    const look = annotated([FOR_EVER], [wished()], { ...found().limits, nodeStartupTimeoutMs });
    expect(look(ms - 1, true).fulfilled).toEqual([]);
    expect(look(ms, true).fulfilled).toEqual(M);
  });

  it('is not fulfilled while the next step may not begin, nor where the annotation was refused and may not be asked for again', () => {
    const braked = (steps: readonly RemediationStep[], answer?: Parameters<Course['look']>[2]) => {
      const course = new Course();
      const seen = found({
        remediation: { ...found().remediation, steps },
        suspects: [suspect('m', { causes: [wished()], marks: [ANNOTATE.key] })],
      });
      course.look(NOW, seen, answer);
      const limits = { ...found().limits, maxUnhealthy: { count: 0 } };
      return course.look(NOW + 60 * MINUTE, { ...seen, limits });
    };
    expect(braked([ANNOTATE, REPLACE])).toMatchObject({ fulfilled: [], begin: [], inFlight: { count: 1 } });
    const refused = braked([ANNOTATE], { outcome: 'refused', message: 'no' });
    expect(refused).toMatchObject({ fulfilled: [], begin: [] });
  });

  it('is not fulfilled while a check that was edited asks for another annotation, and may not yet', () => {
    const course = new Course();
    const look = (minutes: number, key: string, changes: Partial<FoundCheck> = {}) => {
      const remediation = { ...found().remediation, steps: [{ ...FOR_EVER, key }] };
      const suspects = [suspect('m', { causes: [wished()] })];
      return course.look(NOW + minutes * MINUTE, found({ remediation, suspects, ...changes }));
    };
    look(0, 'remedy.example');
    expect(look(1, 'another.example', { paused: true })).toMatchObject({ fulfilled: [], begin: [] });
    // What was asked for is done.
    expect(look(2, 'remedy.example', { paused: true }).fulfilled).toEqual(M);
  });

  it('is not asked for anew, where it cannot be taken off for long', () => {
    const look = annotated([FOR_EVER]);
    for (const minutes of [1, 12, 40]) {
      expect(look(minutes * MINUTE, false)).toMatchObject({ fulfilled: M, begin: [], inFlight: { count: 1 } });
    }
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

it.each([{ apiVersion: 'example.com/v2' }, { kind: 'RebuildTemplate' }, { name: 'other' }])(
  'a template with %j is another one',
  (changes) => {
    const template = { apiVersion: 'example.com/v1', kind: 'RepairTemplate', name: 't' };
    const other = keyOf({ action: 'Template', template: { ...template, ...changes } });
    expect(other).not.toBe(keyOf({ action: 'Template', template }));
  },
);

describe('a check with a template', () => {
  const TEMPLATE: RemediationStep = {
    action: 'Template',
    template: { apiVersion: 'example.com/v1', kind: 'RepairTemplate', name: 't' },
  };
  const remediation = { ...found().remediation, steps: [TEMPLATE] };
  const long = suspect('m', { causes: [notReady({ changedAt: NOW - 60 * MINUTE })] });
  const seen = (one: Suspect, templateProblem?: string) =>
    found({ remediation, suspects: [one], ...given({ templateProblem }) });

  it('waits for its template, says so, and looks for it every minute', () => {
    const course = new Course();
    const waiting = course.look(NOW, seen(long, 'there is none'));
    expect(waiting).toMatchObject({ begin: [], inFlight: { count: 0 }, lookAt: NOW + MINUTE });
    expect(rowOf(waiting, 'm').next).toContain('(ExternalRemediationTemplateAvailable): there is none');
    expect(conditionOf(waiting, seen(long, 'there is none'), 'ExternalRemediationTemplateAvailable')).toMatchObject({
      status: 'False',
      reason: 'ExternalRemediationTemplateNotFound',
    });
    expect(begunOf(course.look(NOW + MINUTE, seen(long)))).toEqual(['m']);
  });

  it('looks for its template every minute while no machine is ill, too', () => {
    expect(new Course().look(NOW, found({ remediation, templateProblem: 'there is none' })).lookAt).toBe(NOW + MINUTE);
    expect(new Course().look(NOW, found({ remediation })).lookAt).toBe(Infinity);
  });

  it('asks once for each machine, Failed and without a controller too, and is over when that is well', () => {
    const course = new Course();
    const one = withoutSet(suspect('m', { causes: [failed()] }));
    expect(course.look(NOW, seen(one)).begin).toMatchObject([{ step: TEMPLATE }]);
    const marked = { ...one, marks: [REQUEST_MARK] };
    const later = course.look(NOW + 600 * MINUTE, seen(marked));
    expect(later).toMatchObject({ begin: [], inFlight: { count: 1 } });
    expect(rowOf(later, 'm').next).toBe('waits for the program that its Repair m tells of');
    const well = course.look(NOW + 601 * MINUTE, seen({ ...marked, causes: [] }));
    expect(well.inFlight.count).toBe(0);
    expect(well.events.map(({ reason }) => reason)).toEqual(['RemediationSucceeded']);
  });

  it('says where the object cannot be made, and tries again', () => {
    const course = new Course();
    course.look(NOW, seen(long), { outcome: 'refused', message: 'a webhook says no' });
    const again = course.look(NOW + 4000, seen(long));
    expect(conditionOf(again, seen(long), 'ExternalRemediationRequestAvailable')).toMatchObject({
      status: 'False',
      reason: 'ExternalRemediationRequestCreationFailed',
      message: 'for Machine m: a webhook says no',
    });
    expect(rowOf(again, 'm').next).toContain('its Repair m was to be made, and was refused (a webhook says no)');
    expect(begunOf(course.look(NOW + 5000, seen(long)))).toEqual(['m']);
  });

  it('says so of no other step that was refused, and of none that was not', () => {
    const problemOf = (steps: readonly RemediationStep[], answer: Parameters<Course['look']>[2]) => {
      const course = new Course();
      const check = found({ remediation: { ...remediation, steps }, suspects: [long] });
      course.look(NOW, check, answer);
      return course.look(NOW + 1000, check).requestProblem;
    };
    const refused = { outcome: 'refused', message: 'no' } as const;
    expect(problemOf([REPLACE], refused)).toBeUndefined();
    expect(problemOf([TEMPLATE], { outcome: 'done' })).toBeUndefined();
    expect(problemOf([TEMPLATE], refused)).toBe('for Machine m: no');
    const silent = new Course();
    silent.look(NOW, found({ remediation, suspects: [long] }));
    const [uid = '', slot] = Object.entries(silent.memory.slots)[0] ?? [];
    const asked = { times: 1, at: NOW, outcome: 'refused' as const };
    silent.memory = { ...silent.memory, slots: { [uid]: { ...slot!, asked } } };
    const decision = silent.look(NOW + 1000, found({ remediation, suspects: [long] }));
    expect(decision.requestProblem).toBe('for Machine m: nothing was said');
  });
});
