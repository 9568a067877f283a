import { describe, expect, it } from '@jest/globals';
import { failureSightOf, isComplete, isToldComplete, oldSetsOf } from './found-rollout.ts';
import type { FoundRollout } from './machine-deployment-activities.ts';
import type { RolloutSet } from './rollout.ts';
import { anOldSet, aRolloutSet, aSurvey } from './survey-for-tests.ts';

describe('a rollout is complete', () => {
  it('where as many machines are there as are wanted, of the template as it is now, and available', () => {
    expect(isComplete(aSurvey())).toBe(true);
  });

  it.each([
    ['fewer are there', aSurvey([aRolloutSet({ existing: 2 })])],
    ['more are there', aSurvey([aRolloutSet({ existing: 4 })])],
    ['one is not available', aSurvey([aRolloutSet({ available: 2 })])],
    ['one of an earlier template is there besides', aSurvey([aRolloutSet(), anOldSet({ existing: 1 })])],
    ['one of an earlier template is there still', aSurvey([aRolloutSet(), anOldSet({ existing: 1, active: 0 })])],
    ['there is no set of the template, though no machine is wanted', none()],
  ])('not where %s', (_what, survey) => {
    expect(isComplete(survey)).toBe(false);
  });
});

describe('a revision is told to be rolled out', () => {
  const told = (reason: string, revision: number) => {
    const condition = { type: 'Progressing', status: 'True', reason, message: '', lastTransitionTime: '' } as const;
    return isToldComplete({ conditions: [condition], revision }, 2);
  };

  it('where the status says so of this one', () => {
    expect(told('NewReplicaSetAvailable', 2)).toBe(true);
  });

  it('not where it says so of another one, something else of this one, or nothing', () => {
    expect([told('NewReplicaSetAvailable', 1), told('MachineSetUpdated', 2)]).toEqual([false, false]);
    expect(isToldComplete({ revision: 2 }, 2)).toBe(false);
  });
});

function none() {
  const survey = aSurvey([]);
  return { ...survey, rollout: { ...survey.rollout, replicas: 0 } };
}

it('sets of earlier templates count as long as they have machines', () => {
  const survey = aSurvey([anOldSet({ name: 'empty', existing: 0 }), anOldSet({ existing: 1 }), aRolloutSet()]);
  expect(oldSetsOf(survey).map(({ name }) => name)).toEqual(['old']);
});

it('what is seen of failures is of the template as it is now, with how many may be', () => {
  const failed = [{ name: 'm', uid: 'm', why: 'no Node joined', isLate: false }];
  expect(failureSightOf(aSurvey(undefined, { coming: { failed } }))).toEqual({
    hash: 'hash-new',
    failed,
    isHeld: false,
    isComplete: true,
    isAtStandstill: false,
    deadlineMs: 1_200_000,
    pauses: [],
    failureThreshold: 1,
  });
});

describe('a rollout is at a standstill', () => {
  const failed = [{ name: 'm', uid: 'm', why: 'no Node joined', isLate: true }];
  const stands = (
    fresh: Partial<RolloutSet> = {},
    old: Partial<RolloutSet> = {},
    changes: Partial<FoundRollout> = {},
  ) =>
    failureSightOf(
      aSurvey([anOldSet(old), aRolloutSet({ existing: 1, available: 0, ...fresh })], {
        coming: { failed },
        ...changes,
      }),
    ).isAtStandstill;
  const steps = { adopt: [], pauseFirst: false, orders: [], remove: [] };
  const STEP_PAUSED = { reason: 'StepPaused', status: 'Unknown', message: '' } as const;
  const OVER = { number: 1, of: 2, isOver: true } as const;

  it('where each new machine that is not available has failed, and nothing else is on its way', () => {
    expect(stands()).toBe(true);
    expect(stands({ existing: 3, active: 3, available: 2, replicas: 3 })).toBe(true);
    // A pause among the steps that is over waits for machines.
    expect(stands({}, {}, { hold: STEP_PAUSED, step: OVER })).toBe(true);
  });

  it.each<[string, Parameters<typeof stands>]>([
    ['one may still come up', [{ existing: 2 }]],
    ['all of them are available', [{ available: 1 }]],
    ['one is to be made', [{ replicas: 2 }]],
    ['one is on its way out', [{}, { existing: 4, active: 3 }]],
    ['one is to be taken', [{}, { replicas: 2, active: 3 }]],
    ['a set has not answered', [{}, { hasAnswered: false }]],
    ['it is held', [{}, {}, { hold: STEP_PAUSED, step: { number: 1, of: 2 } }]],
    ['it is paused besides', [{}, {}, { hold: { ...STEP_PAUSED, reason: 'DeploymentPaused' }, step: OVER }]],
    ['nothing is done', [{}, {}, { paused: true }]],
    ['its sets are to be told something', [{}, {}, { steps: { ...steps, orders: [{} as never] } }]],
    ['there is no set of the template', [{ isCurrent: false }]],
  ])('but not where %s', (_where, [fresh, old, changes]) => {
    expect(stands(fresh, old, changes)).toBe(false);
  });
});

it('a wait at a step is no stop for failures', () => {
  const held = (reason: 'DeploymentPaused' | 'StepPaused') =>
    failureSightOf(aSurvey(undefined, { hold: { reason, status: 'Unknown', message: '' } })).isHeld;
  expect([held('DeploymentPaused'), held('StepPaused'), failureSightOf(aSurvey()).isHeld]).toEqual([
    true,
    false,
    false,
  ]);
});
