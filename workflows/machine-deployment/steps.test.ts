import { describe, expect, it } from '@jest/globals';
import type { MachineDeployment, RolloutStep, StepStatus } from '../../k8s/model/machine-deployment.ts';
import { holdOf } from './hold.ts';
import { countMachines, describeStep, isStepPassed, pauseEndOf, seeStep } from './steps.ts';

const AT = Date.parse('2026-01-01T12:00:00Z');
const HOUR = 3_600_000;
const STEPS: RolloutStep[] = [
  { kind: 'machines', machines: '10%' },
  { kind: 'pause', forMs: HOUR },
  { kind: 'approval' },
  { kind: 'pause' },
];
const deployment = (changes: Partial<MachineDeployment> = {}) =>
  ({
    strategy: {
      type: 'RollingUpdate',
      maxSurge: 1,
      maxUnavailable: 0,
      rollsBack: false,
      steps: STEPS,
      mayReplace: true,
    },
    replicas: 12,
    templateHash: 'new',
    isRolloutPaused: false,
    stepAnnotations: { approve: 'api/approved', resume: 'api/resumed' },
    ...changes,
  }) as MachineDeployment;
const at = (passed: number, changes: Partial<StepStatus> = {}) => ({
  step: { templateHash: 'new', revision: 3, passed, since: new Date(AT).toISOString(), ...changes },
});
const see = (passed: number, changes: Partial<MachineDeployment> = {}) => {
  const sight = seeStep(deployment(changes), at(passed), { hasOld: true, revision: 3 }, AT);
  if (sight === undefined) throw new Error('there are steps');
  return sight;
};
const holdAt = (passed: number, of = deployment()) => holdOf(of, { hasOld: true, step: see(passed) });
const ALL_WELL = { replicas: 12, newWanted: 2, newAvailable: 2, oldExisting: 10 };

describe('the steps of a rollout', () => {
  it.each([
    [1, 10, 1],
    [20, 10, 10],
    ['10%', 12, 2],
    ['1%', 10, 1],
    ['100%', 7, 7],
    ['50%', 0, 0],
  ])('%s of %i machines are %i', (machines, replicas, count) => {
    expect(countMachines(machines, replicas)).toBe(count);
  });

  it('begin with the first where none is on record, or that of another template or revision', () => {
    const sights = [{}, at(2, { templateHash: 'other' }), at(2, { revision: 2 })].map((status) =>
      seeStep(deployment(), status, { hasOld: true, revision: 3 }, AT),
    );
    for (const sight of sights) {
      expect(sight).toEqual({ step: STEPS[0], number: 1, of: 4, mostNew: 2 });
      // It has to be on record first.
      expect(sight && isStepPassed(sight, ALL_WELL, AT)).toBe(false);
    }
  });

  it('hold nothing where no machine of an earlier template is left, nor on the way back to the last complete one', () => {
    expect(seeStep(deployment(), at(1), { hasOld: false, revision: 3 }, AT)).toBeUndefined();
    const back = { ...at(1), completeTemplateHash: 'new' };
    expect(seeStep(deployment(), back, { hasOld: true, revision: 3 }, AT)).toBeUndefined();
  });

  it('are none of a deployment without any', () => {
    const strategy = { ...deployment().strategy, steps: [] };
    expect(seeStep(deployment({ strategy }), at(1), { hasOld: true, revision: 3 }, AT)).toBeUndefined();
  });

  it('go on where they are on record, whatever the revision, where nobody knows that', () => {
    expect(seeStep(deployment(), at(2), { hasOld: true }, AT)).toMatchObject({ known: at(2).step, number: 3 });
  });

  it('of machines need nobody’s word, and have none', () => {
    const token = { token: '3-new-1' };
    expect(see(0, { resumedStep: token, approvedStep: token })).not.toHaveProperty('word');
  });

  it('of machines are passed when as many are available, and those whose places they have are gone', () => {
    expect(isStepPassed(see(0), ALL_WELL, AT)).toBe(true);
    expect(isStepPassed(see(0), { ...ALL_WELL, newAvailable: 1 }, AT)).toBe(false);
    expect(isStepPassed(see(0), { ...ALL_WELL, oldExisting: 11 }, AT)).toBe(false);
  });

  it('of a pause are passed at its end, counted from when the one before was, where all new ones are available', () => {
    expect(pauseEndOf(see(1))).toBe(AT + HOUR);
    expect(isStepPassed(see(1), ALL_WELL, AT + HOUR - 1)).toBe(false);
    expect(isStepPassed(see(1), ALL_WELL, AT + HOUR)).toBe(true);
    expect(isStepPassed(see(1), { ...ALL_WELL, newAvailable: 1 }, AT + HOUR)).toBe(false);
    // What it waits for then is another thing.
    const [before, over] = [AT + HOUR - 1, AT + HOUR].map((now) =>
      seeStep(deployment(), at(1), { hasOld: true, revision: 3 }, now),
    );
    expect([before?.isOver, over?.isOver]).toEqual([undefined, true]);
    expect(before && describeStep(before)).toBe(`a pause until ${new Date(AT + HOUR).toISOString()}`);
    expect(over && describeStep(over)).toBe(
      'a pause that is over; all new machines have to be available before it goes on',
    );
    expect(pauseEndOf(see(3))).toBe(Infinity);
    expect(isStepPassed(see(3), ALL_WELL, AT + 1000 * HOUR)).toBe(false);
  });

  it.each<[string, Partial<MachineDeployment>, number, boolean]>([
    ['an approval is passed by the word on it', { approvedStep: { token: '3-new-3' } }, 2, true],
    ['an approval is not passed by that on another step', { approvedStep: { token: '3-new-2' } }, 2, false],
    ['an approval is not passed by that on another revision', { approvedStep: { token: '2-new-3' } }, 2, false],
    ['an approval is not passed by that on another template', { approvedStep: { token: '3-old-3' } }, 2, false],
    ['an approval is not passed by a resume', { resumedStep: { token: '3-new-3' } }, 2, false],
    ['a pause is passed by the word on it', { resumedStep: { token: '3-new-2', by: 'ann' } }, 1, true],
    ['a pause is not passed by an approval', { approvedStep: { token: '3-new-2' } }, 1, false],
  ])('%s', (_what, changes, passed, isPassed) => {
    expect(isStepPassed(see(passed, changes), ALL_WELL, AT)).toBe(isPassed);
  });

  it('are all passed when the last is, also where there are fewer by now', () => {
    for (const passed of [4, 9]) {
      expect(see(passed)).toMatchObject({ number: 5, of: 4 });
      expect(isStepPassed(see(passed), ALL_WELL, AT + HOUR)).toBe(false);
      expect(describeStep(see(passed))).toBe('all are passed');
      expect(holdAt(passed, deployment())).toBeUndefined();
    }
  });

  it('say how many new machines there may be', () => {
    expect(describeStep(see(0))).toBe('2 new machines, and no more');
  });

  it('say what holds the rollout, and how it goes on', () => {
    expect(holdAt(0, deployment())).toBeUndefined();
    expect(holdAt(1, deployment())).toEqual({
      reason: 'StepPaused',
      status: 'Unknown',
      message:
        'step 2 of 4: a pause until 2026-01-01T13:00:00.000Z; `millwright rollout resume` has it go on (annotation api/resumed: 3-new-2)',
    });
    expect(holdAt(2, deployment())).toEqual({
      reason: 'WaitingForApproval',
      status: 'Unknown',
      message:
        'step 3 of 4: it waits for approval; `millwright rollout approve` has it go on (annotation api/approved: 3-new-3)',
    });
    const { stepAnnotations: _none, ...without } = deployment();
    expect(holdAt(2, without)?.message).toBe(
      'step 3 of 4: it waits for approval; `millwright rollout approve` has it go on',
    );
    // Nobody can say a word on it before it is on record.
    const first = deployment({ strategy: { ...deployment().strategy, steps: [{ kind: 'approval' }] } });
    const unknown = seeStep(first, {}, { hasOld: true, revision: 3 }, AT);
    expect(unknown && holdOf(first, { hasOld: true, step: unknown })?.message).toBe(
      'step 1 of 1: it waits for approval',
    );
    expect(holdAt(3, deployment())?.message).toContain('step 4 of 4: a pause until it is resumed');
    expect(holdAt(2, deployment({ isRolloutPaused: true }))?.reason).toBe('DeploymentPaused');
  });
});
