import { describe, expect, it } from '@jest/globals';
import type { MachineDeployment, PreflightStatus } from '../../k8s/model/machine-deployment.ts';
import { holdOf, isOfPreflight } from './hold.ts';
import {
  areBudgetsDue,
  askAgainAt,
  isPreflightDue,
  isPreflightPassed,
  preflightStatus,
  seePreflight,
  withAnswer,
  type PreflightSight,
} from './preflight.ts';
import { given } from '../../providers/given.ts';

const AT = Date.parse('2026-01-01T12:00:00Z');
const MINUTE = 60_000;
const known = (changes: Partial<PreflightStatus> = {}): PreflightStatus => ({
  templateHash: 'new',
  revision: 2,
  generation: 5,
  passed: false,
  message: 'no such image',
  checkedAt: new Date(AT).toISOString(),
  ...changes,
});
const see = (preflight?: PreflightStatus, hasNew = false) =>
  seePreflight({ templateHash: 'new' }, given({ preflight }), {
    hasOld: true,
    hasNew,
    revision: 2,
  });
const isDue = (sight: PreflightSight | undefined, changes: object = {}, now = AT) =>
  isPreflightDue({ sight, generation: 5, retry: undefined, ...changes }, now);
const holdAt = (sight: PreflightSight | undefined, deployment: object = {}) =>
  holdOf({ isRolloutPaused: false, strategy: { mayReplace: true }, ...deployment } as MachineDeployment, {
    hasOld: sight !== undefined,
    ...given({ preflight: sight }),
  });

describe('what the cloud says before a rollout', () => {
  it('is asked once for a revision, and holds the rollout until it has passed', () => {
    const sight = see();
    expect(sight && isPreflightPassed(sight)).toBe(false);
    expect(isDue(sight)).toBe(true);
    expect(holdAt(sight)?.reason).toBe('PreflightPending');
    const passed = see(known({ passed: true }));
    expect(isDue(passed, { generation: 9 })).toBe(false);
    expect(holdAt(passed)).toBeUndefined();
  });

  it('is asked anew for another revision and another template', () => {
    for (const other of [{ revision: 1 }, { templateHash: 'old' }]) {
      const sight = see(known({ passed: true, ...other }));
      expect(isDue(sight)).toBe(true);
      expect(holdAt(sight)?.reason).toBe('PreflightPending');
    }
  });

  it('is not asked where there are machines of the template, nor where there are none of an earlier one', () => {
    const sight = see(undefined, true);
    expect(isDue(sight)).toBe(false);
    expect(holdAt(sight)).toBeUndefined();
    const first = seePreflight({ templateHash: 'new' }, {}, { hasOld: false, hasNew: false, revision: 2 });
    expect(first).toBeUndefined();
    expect(isDue(first)).toBe(false);
    expect(holdAt(first)).toBeUndefined();
  });

  it('is known before it is on record, of the very revision', () => {
    const [sight, of] = [see(), { templateHash: 'new', revision: 2 }];
    if (sight === undefined) throw new Error('there is one');
    const answer = known({ passed: true });
    expect(withAnswer(sight, answer, of)).toEqual({ hasNew: false, known: answer });
    expect(isDue(withAnswer(sight, answer, of))).toBe(false);
    expect(withAnswer(sight, undefined, of)).toBe(sight);
    expect(withAnswer(sight, answer, { ...of, revision: 3 })).toBe(sight);
  });

  it('is asked again, where a launch would not work, after a change and after five minutes', () => {
    const sight = see(known());
    expect(holdAt(sight)).toMatchObject({ reason: 'PreflightFailed', status: 'False' });
    expect(holdAt(sight)?.message).toContain('no such image');
    expect(isDue(sight)).toBe(false);
    expect(isDue(sight, { generation: 6 })).toBe(true);
    expect(sight && askAgainAt(sight)).toBe(AT + 5 * MINUTE);
    expect(isDue(sight, {}, AT + 5 * MINUTE)).toBe(true);
    const passed = see(known({ passed: true }));
    expect(passed && askAgainAt(passed)).toBe(Infinity);
  });

  it('holds the rollout also where the cloud did not say why a launch would not work', () => {
    const { message: _none, ...silent } = known();
    expect(holdAt(see(silent))?.message).toContain('would not work: the cloud did not say why');
  });

  it('holds the rollout, and nothing else does, while nobody knows that a launch works, and where it would not', () => {
    const holds = [see(), see(known()), see(known({ passed: true }))].map((sight) => isOfPreflight(holdAt(sight)));
    expect(holds).toEqual([true, true, false]);
    expect(isOfPreflight(holdAt(see(), { isRolloutPaused: true }))).toBe(false);
  });

  it('is put on record with what it said, and when', () => {
    const of = { templateHash: 'new', revision: 2, generation: 5 };
    const checkedAt = new Date(AT).toISOString();
    const refused = { outcome: 'refused', message: 'no such image' } as const;
    expect(preflightStatus(refused, of, AT)).toEqual({ ...of, passed: false, message: 'no such image', checkedAt });
    expect(preflightStatus({ outcome: 'passed' }, of, AT)).toEqual({ ...of, passed: true, checkedAt });
  });

  it('is asked again at its time where the cloud had no answer', () => {
    const retry = { failures: 1, message: 'slow down', until: AT + 1000 };
    expect(isDue(see(), { retry })).toBe(false);
    expect(isDue(see(), { retry }, AT + 1000)).toBe(true);
  });

  it('comes after the pause, and after the word that nothing may be replaced', () => {
    expect(holdAt(see(), { isRolloutPaused: true })?.reason).toBe('DeploymentPaused');
    expect(holdAt(see(), { strategy: { mayReplace: false } })?.reason).toBe('ReplaceNotAllowed');
    expect(holdAt(undefined, { strategy: { mayReplace: false } })).toBeUndefined();
  });
});

it('budgets alone are looked for where there are machines of the template already, once for a revision', () => {
  const known = { templateHash: 'a', revision: 1, passed: true, checkedAt: '2026-01-01T00:00:00Z' };
  expect([areBudgetsDue({ hasNew: true }), areBudgetsDue({ hasNew: false }), areBudgetsDue(undefined)]).toEqual([
    true,
    false,
    false,
  ]);
  expect(areBudgetsDue({ hasNew: true, known })).toBe(false);
});
