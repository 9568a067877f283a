import { describe, expect, it } from '@jest/globals';
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
import type { FoundCheck, SeenReboot, Suspect } from './health-activities.ts';
import type { RemediationStep } from '../../k8s/model/machine-health-check.ts';

const HOUR = 60 * MINUTE;
const REBOOT = { action: 'Reboot', drainTimeoutMs: 10 * MINUTE, maxReboots: 2 } as const;
const SECOND = { ...ANNOTATE, key: 'another.example' };
const CLAIM = { name: 'check', uid: CHECK_UID };
const ill = (changes: Partial<Suspect> = {}) =>
  suspect('m', { causes: [notReady({ changedAt: NOW - HOUR })], ...changes });

/** A check with these steps, and what it looks at. */
function check(...steps: RemediationStep[]) {
  const seen = (one: Suspect, changes: Partial<FoundCheck> = {}) =>
    found({ suspects: [one], remediation: { ...found().remediation, steps }, ...changes });
  const course = new Course();
  return { course, look: (minutes: number, one: Suspect) => course.look(NOW + minutes * MINUTE, seen(one)), seen };
}

describe('the steps for a machine that has failed while another program was to remedy it', () => {
  const died = ill({ causes: [notReady({ changedAt: NOW - HOUR }), failed()], claim: CLAIM, isExternal: true });

  it('go on as before where none of them replaces it', () => {
    const { look } = check(ANNOTATE, SECOND);
    look(0, ill());
    expect(look(1, died).begin).toEqual([]);
    expect(look(10, died).begin).toMatchObject([{ step: SECOND }]);
  });

  it('are over where nobody would replace it: it is left to people, and its place to others', () => {
    const { look } = check(ANNOTATE, REPLACE);
    expect(look(0, withoutSet(ill())).inFlight.count).toBe(1);
    const dead = look(1, withoutSet(died));
    expect([dead.begin, dead.inFlight.count, dead.isLeftToPeople]).toEqual([[], 0, true]);
    expect(rowOf(dead, 'm').next).toMatch(/^waits for a person: no controller owns it/);
    expect(dead.events.map(({ message }) => message)).toContainEqual(expect.stringContaining('is left alone'));
    expect(look(20, withoutSet(died))).toMatchObject({ begin: [], inFlight: { count: 0 }, events: [] });
  });
});

describe('a check that was edited while another program was to remedy a machine', () => {
  it('begins with its first step, where an object is to be made instead of an annotation by now', () => {
    const { course, look } = check(ANNOTATE, SECOND);
    look(0, ill());
    expect(look(10, ill()).begin).toMatchObject([{ step: SECOND }]);
    const template = { apiVersion: 'example.com/v1', kind: 'RepairTemplate', name: 't' };
    const edited = check(ANNOTATE, { action: 'Template', template }).seen(ill());
    expect(course.look(NOW + 11 * MINUTE, edited).begin).toMatchObject([{ step: ANNOTATE }]);
  });
});

describe('a step of another program, while the API server is away,', () => {
  const { timeoutMs: _timeoutMs, ...FOR_EVER } = ANNOTATE;
  it.each<[string, RemediationStep, readonly string[]]>([
    ['is followed by no other one', ANNOTATE, [ANNOTATE.key]],
    ['is not asked for again', FOR_EVER, []],
  ])('%s, and nobody says when', (_words, step, marks) => {
    const { course, look, seen } = check(step, REPLACE);
    look(0, ill());
    const outages = [{ from: iso(NOW + MINUTE) }];
    const decision = course.look(NOW + 20 * MINUTE, seen(ill({ marks, claim: CLAIM, isExternal: true }), { outages }));
    expect(decision.begin).toEqual([]);
    expect(rowOf(decision, 'm').next).toBe(`waits for the program that its annotation (${ANNOTATE.key}) tells of`);
  });
});

describe('a reboot under way', () => {
  /** A machine whose reboot was asked for in the middle of the steps. */
  function rebooting(...after: RemediationStep[]) {
    const { look, course } = check({ ...ANNOTATE, timeoutMs: MINUTE }, REBOOT, ...after);
    look(0, ill());
    const marked = ill({ claim: CLAIM, isExternal: true });
    const [begun] = look(1, marked).begin;
    const told = begun?.reboot ?? '';
    const reboot = (changes: Partial<SeenReboot>): SeenReboot => ({ wanted: told, told, times: [], ...changes });
    return { look, course, marked, reboot };
  }

  it('is followed by the step after it, at once, where the instance turns out to be stopped, or the machine fails', () => {
    for (const [changes, step] of [
      [{ isProved: true }, SECOND],
      [{ causes: [failed()] }, SECOND],
    ] as const) {
      const { look, marked } = rebooting(SECOND);
      expect(look(1.5, { ...marked, ...changes }).begin).toMatchObject([{ step }]);
    }
  });

  it('says nothing of a next step while it may be seen to help', () => {
    const { look, marked, reboot } = rebooting(REPLACE);
    const sentAt = iso(NOW + 1.5 * MINUTE);
    const done = reboot({ state: 'Sent', sentAt, times: [sentAt], isDone: true });
    const well = look(3, { ...marked, causes: [], nodeReady: 'True', reboot: done });
    expect(rowOf(well, 'm').next).toBe(`it was rebooted at ${sentAt}; that has helped when nothing is bad for 1 min`);
  });
});

describe('a machine for which only reboots are left', () => {
  const times = [iso(NOW - 24 * HOUR + 30_000), iso(NOW - 24 * HOUR + 60_000)];

  it('is looked at when the first of them may be taken again', () => {
    const { look } = check({ ...REBOOT, maxReboots: 1 }, REBOOT);
    expect(look(0, ill({ reboot: { times } })).lookAt).toBe(NOW + 30_000);
  });

  it('waits for none where its instance does not run', () => {
    const { look } = check(REBOOT);
    const decision = look(0, ill({ reboot: { times }, isProved: true }));
    expect(rowOf(decision, 'm').next).toBe('nothing: no step is left');
  });
});

describe('a replacement that failed', () => {
  const bad = suspect('new', { createdAt: iso(NOW + 1000), causes: [failed({ since: NOW + 2000 })] });
  const sets = { [SET.uid]: setSight({ unready: [{ uid: bad.uid, createdAt: bad.createdAt }] }) };

  it('is replaced, although another step comes first', () => {
    const { course, seen, look } = check(ANNOTATE, REPLACE);
    look(0, suspect('m', { causes: [failed()] }));
    expect(course.look(NOW + 10 * MINUTE, seen(bad, { sets })).begin).toMatchObject([{ step: REPLACE }]);
  });

  it('says before its time is over until when it will wait then', () => {
    const { course, seen, look } = check(REPLACE);
    look(0, ill());
    const launchedAt = NOW + 2000;
    const late = suspect('new', { createdAt: iso(NOW + 1000), causes: [neverJoined(launchedAt)] });
    const decision = course.look(NOW + MINUTE, seen(late, { sets }));
    const dueAt = launchedAt + 10 * MINUTE;
    const at = iso(dueAt + MINUTE);
    const why = 'each replacement that is no better is replaced later than the one before';
    expect([decision.begin, rowOf(decision, 'new')]).toEqual([
      [],
      expect.objectContaining({
        next: `when that has lasted for 10 min, it waits until ${at} to be replaced: ${why}`,
        dueAt: at,
      }),
    ]);
  });

  it('waits as long where its set is paused meanwhile, and holds no place', () => {
    const { course, seen, look } = check(REPLACE);
    look(0, ill());
    course.look(NOW + 30_000, seen(bad, { sets }));
    const paused = { [SET.uid]: { ...sets[SET.uid]!, isHeld: true as const } };
    const decision = course.look(NOW + 40_000, seen(bad, { sets: paused }));
    const until = iso(NOW + 62_000);
    expect([decision.begin, decision.inFlight.count, rowOf(decision, 'new').next]).toEqual([
      [],
      0,
      `waits until ${until} to be replaced: each replacement that is no better is replaced later than the one before`,
    ]);
    expect(course.look(NOW + 62_000, seen(bad, { sets: paused })).begin).toHaveLength(1);
  });

  it('says until when it waits to be replaced in turn, and why', () => {
    const { course, seen, look } = check(REPLACE);
    look(0, ill());
    const decision = course.look(NOW + 30_000, seen(bad, { sets }));
    const until = iso(NOW + 62_000);
    expect([decision.begin, rowOf(decision, 'new').next]).toEqual([
      [],
      `waits until ${until} to be replaced: each replacement that is no better is replaced later than the one before`,
    ]);
  });

  it('is left to what the check says now, where that replaces none any more', () => {
    const { course, look } = check(REPLACE);
    look(0, ill());
    const edited = check(ANNOTATE).seen(bad, { sets });
    expect(course.look(NOW + 10 * MINUTE, edited).begin).toMatchObject([{ step: ANNOTATE }]);
    expect(begunOf(course.look(NOW + 10.1 * MINUTE, edited))).toEqual([]);
  });
});
