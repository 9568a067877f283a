import { describe, expect, it } from '@jest/globals';
import { DEFAULT_MACHINE_SETTINGS } from '../machine/settings.ts';
import { describeSet, whySetWaits, type Survey } from './describe-set.ts';
import type { ReplicaPlan } from './plan-replicas.ts';

const AT = Date.parse('2026-01-01T12:00:00Z');
const REF = { apiVersion: 'v1', kind: 'MachineSet', namespace: 'default', name: 'workers', uid: 'u' };

const CHOSEN = { name: 'm-1', uid: 'u' };
const REFUSAL = { message: 'Forbidden: exceeded quota', failures: 1, until: AT };

function surveyOf(plan: Partial<ReplicaPlan> = {}, changes: Partial<Survey> = {}): Survey {
  const counts = { replicas: 3, fullyLabeledReplicas: 3, readyReplicas: 3, availableReplicas: 3, labelSelector: 'a=b' };
  return {
    found: true,
    generation: 1,
    deleting: false,
    paused: false,
    replicas: 3,
    plan: { create: 0, unseen: [], remove: [], adopt: [], release: [], counts, held: 0, ...plan },
    status: {},
    settings: DEFAULT_MACHINE_SETTINGS,
    ...changes,
  };
}

describe('what a set waits for', () => {
  const ready = (readyReplicas: number, availableReplicas: number) => ({
    counts: { ...surveyOf().plan.counts, readyReplicas, availableReplicas },
  });

  it.each([
    ['nothing', surveyOf()],
    ['1 of its machines to become Ready', surveyOf(ready(2, 2))],
    ['2 of its machines to be Ready for long enough', surveyOf(ready(3, 1))],
    [
      '2 of its machines to be available: Machine m: a taint',
      surveyOf({ ...ready(3, 1), unusable: 'Machine m: a taint' }),
    ],
    ['the pause to be taken off: nothing is created or deleted', surveyOf({}, { paused: true })],
    [
      'the pause of Cluster default/c to be taken off: nothing is created or deleted',
      surveyOf({}, { paused: true, pausedBy: 'Cluster default/c' }),
    ],
    ['its deletion: the garbage collector deletes its Machines', surveyOf({}, { deleting: true })],
    ['what it just did to show: 2 machines created, deleted, adopted or let go', surveyOf({ create: 2 })],
    [
      'what it just did to show: 5 machines created, deleted, adopted or let go',
      surveyOf({ create: 1, unseen: ['m-1'], remove: [CHOSEN], adopt: [CHOSEN], release: [CHOSEN] }),
    ],
    ['2 machines to have the settings of its template', surveyOf({ update: [CHOSEN, CHOSEN] })],
    ['2 deleted machines, which fill their places still (spec.replaceAfter)', surveyOf({ held: 2 })],
  ])('%s', (why, survey) => {
    expect(whySetWaits(survey, { at: AT, refusals: {} })).toBe(why);
  });

  it('is that others of its deployment are available, where some are to go and may not yet', () => {
    const why = (heldBack: number) =>
      whySetWaits(surveyOf({ remove: [CHOSEN, CHOSEN, CHOSEN] }), { at: AT, refusals: {}, heldBack });
    expect(why(2)).toBe(
      'other machines of its MachineDeployment to be available, or the pause of that to be taken off: 2 are to go, and may not yet',
    );
    expect(why(0)).toBe('what it just did to show: 3 machines created, deleted, adopted or let go');
  });

  it.each([
    ['adopt machines', 'adopt'],
    ['let go of machines', 'release'],
    ['change machines', 'update'],
    ['delete machines', 'delete'],
    ['create machines', 'create'],
    ['write the status', 'writeStatus'],
  ])('is the next try to %s where the API server refused that', (words, asked) => {
    const wait = { at: AT, refusals: { [asked]: REFUSAL } };
    expect(whySetWaits(surveyOf({ create: 1 }), wait)).toBe(`the next try to ${words}: Forbidden: exceeded quota`);
  });
});

describe('what the Temporal UI shows of a set', () => {
  it('says how many there are, what it waits for, the last error and the next try', () => {
    const counts = { ...surveyOf().plan.counts, replicas: 2, readyReplicas: 1, availableReplicas: 0 };
    const wait = {
      at: AT + 60_000,
      refusals: { create: REFUSAL, delete: { ...REFUSAL, until: AT + 1000, machines: [CHOSEN] } },
    };
    const text = describeSet(REF, surveyOf({ create: 1, counts }), wait);
    expect(text).toContain('**2 of 3** machines, **1** Ready, **0** available');
    expect(text).toContain('- **Last error:** cannot delete m-1: Forbidden: exceeded quota; Forbidden: exceeded quota');
    expect(text).toContain('- **Next try:** 2026-01-01 12:00:00 UTC');
    expect(text).toContain('at the latest 2026-01-01 12:01:00 UTC');
    expect(text).toMatch(/\*\*What to do:\*\* Allow what was refused .* Allow what was refused/);
  });

  it('tells what else was refused, the status last', () => {
    const refusals = { writeStatus: { ...REFUSAL, message: 'no' }, create: REFUSAL };
    expect(describeSet(REF, surveyOf(), { at: AT, refusals })).toContain('Forbidden: exceeded quota; no');
  });

  it('says so where there is nothing to say', () => {
    const text = describeSet(REF, surveyOf(), { at: AT, refusals: {} });
    expect(text).toContain('- **Waits for:** nothing');
    expect(text).toContain('- **Last error:** none');
    expect(text).not.toMatch(/Next try|Left alone/);
    expect(text).toContain('**What to do:** Nothing: it goes on by itself.');
    expect(text).toContain('kubectl describe machineset -n default workers');
  });

  it('names a machine that two sets select', () => {
    const text = describeSet(REF, surveyOf({ contested: 'm-1' }), { at: AT, refusals: {} });
    expect(text).toContain('- **Left alone:** Machine m-1');
    expect(text).toContain('**What to do:** Correct one of the selectors.');
  });

  it('says of a paused set how it goes on, and not what was refused before', () => {
    const text = describeSet(REF, surveyOf({}, { paused: true }), { at: AT, refusals: { create: REFUSAL } });
    expect(text).toContain('**What to do:** Take off the pause');
    expect(text).not.toContain('Allow what was refused');
  });
});
