import { describe, expect, it } from '@jest/globals';
import type { MachineDeploymentStatus } from '../../k8s/model/machine-deployment.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { PAUSED_ANNOTATION } from '../../k8s/model/paused-annotation.ts';
import { describeRollout, whyRolloutWaits } from './describe-rollout.ts';
import { toDoAbout } from '../../k8s/model/reasons/reasons.ts';
import type { RolloutFailures } from './failures.ts';
import type { FoundRollout } from './machine-deployment-activities.ts';
import type { RolloutMemory } from './rollout-memory.ts';
import { failureEvent, reportOf } from './rollout-status.ts';
import { anOldSet, aRolloutSet, aSurvey } from './survey-for-tests.ts';
import { given } from '../../providers/given.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const NONE: Pick<RolloutMemory, 'refusals'> = { refusals: {} };

type Remembered = Pick<RolloutMemory, 'refusals' | 'failures' | 'preflight' | 'preflightRetry' | 'pausedFor'>;

function report(survey: FoundRollout = aSurvey(), memory: Remembered = NONE) {
  const told = reportOf(survey, memory, NOW);
  if (told === undefined) throw new Error('there is nothing to say');
  return told;
}
const statusOf = (...args: Parameters<typeof report>): MachineDeploymentStatus => report(...args).status;
const conditionOf = (type: string, ...args: Parameters<typeof report>) =>
  statusOf(...args).conditions.find((condition) => condition.type === type);

const FAILED = { name: 'm', uid: 'm', why: 'no Node joined', isLate: false };
const failures = (changes: Partial<RolloutFailures> = {}): RolloutFailures => ({
  hash: 'hash-new',
  failed: [FAILED],
  isStopped: false,
  ...changes,
});
const ROLLING = [anOldSet({ existing: 2 }), aRolloutSet({ existing: 2, available: 1 })];

describe('the status of a deployment', () => {
  it('says how many machines there are, of which revision, and is not written where it says so already', () => {
    const status = statusOf();
    expect(status).toMatchObject({
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      unavailableReplicas: 0,
      labelSelector: 'pool=p',
      revision: 2,
      observedGeneration: 5,
    });
    expect(reportOf(aSurvey(undefined, { status }), NONE, NOW + 1000)).toBeUndefined();
  });

  it.each<[string, Partial<MachineDeploymentStatus>]>([
    ['replicas', { replicas: 2 }],
    ['updatedReplicas', { updatedReplicas: 2 }],
    ['readyReplicas', { readyReplicas: 2 }],
    ['availableReplicas', { availableReplicas: 2 }],
    ['unavailableReplicas', { unavailableReplicas: 1 }],
    ['revision', { revision: 1 }],
    ['the template that was rolled out whole', { completeTemplateHash: 'another' }],
    ['observedGeneration', { observedGeneration: 4 }],
    ['the selector', { labelSelector: 'pool=q' }],
    ['conditions', { conditions: [] }],
  ])('is written where it says something else of %s', (_what, stored) => {
    const { [Object.keys(stored)[0] as keyof MachineDeploymentStatus]: before, ...rest } = statusOf();
    expect(before).toBeDefined();
    expect(reportOf(aSurvey(undefined, { status: { ...rest, ...stored } }), NONE, NOW)).toBeDefined();
  });

  describe('of a rollout that stands still for what failed, after the loss of the memory of that,', () => {
    const hold = { reason: 'DeploymentPaused', status: 'Unknown', message: 'spec.paused is true' } as const;
    const late = {
      type: 'Progressing',
      status: 'False',
      reason: 'ProgressDeadlineExceeded',
      message: 'Machine m is late',
    } as const;
    const stored = { conditions: [{ ...late, lastTransitionTime: '2026-01-01T11:00:00Z' }], revision: 2 };
    const progress = (changes: Partial<FoundRollout>, memory?: Remembered) =>
      conditionOf('Progressing', aSurvey(ROLLING, { hold, status: stored, ...changes }), memory);

    it('says still which machine and why', () => {
      expect(progress({})).toMatchObject(late);
      const failed = { ...late, reason: 'NewMachinesFailed', message: 'Machine m failed' } as const;
      const conditions = [{ ...stored.conditions[0]!, ...failed }];
      expect(progress({ status: { ...stored, conditions } })).toMatchObject(failed);
      expect(progress({}, { refusals: {}, failures: failures({ failed: [] }) })).toMatchObject(late);
    });

    it('says that no more when it goes on, is of another template, is complete, or something is known', () => {
      const paused = { status: 'Unknown', reason: 'DeploymentPaused' };
      expect(progress({ hold: undefined as never })).toMatchObject({ reason: 'ReplicaSetUpdated' });
      expect(progress({ status: { ...stored, revision: 1 } })).toMatchObject(paused);
      const known = { refusals: {}, failures: failures({ failed: [{ ...FAILED, why: '' }] }) };
      expect(progress({}, known)).toMatchObject(paused);
      const whole = conditionOf('Progressing', aSurvey(undefined, { hold, status: stored }));
      expect(whole).toMatchObject(paused);
      for (const reason of ['ReplicaSetUpdated', late.reason]) {
        const running = [{ ...stored.conditions[0], status: 'True' as const, reason }];
        expect(progress({ status: { ...stored, conditions: running as never } })).toMatchObject(paused);
      }
      // There is no set of the template, nor was there one.
      const none = aSurvey([anOldSet()], { hold, status: { conditions: stored.conditions } });
      expect(conditionOf('Progressing', none)).toMatchObject(paused);
    });
  });

  it('says what makes a machine unusable also when all are of the template', () => {
    const coming = { failed: [], unusable: 'Machine m: its Node has the taint x' };
    expect(conditionOf('Progressing', aSurvey(undefined, { coming }))).toMatchObject({
      reason: 'NewReplicaSetAvailable',
      message: expect.stringMatching(/revision 2\. Machine m: its Node has the taint x$/),
    });
  });

  it('keeps since when a condition is so, and none of what is over', () => {
    const stale = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'no' } as const;
    const lastTransitionTime = '2026-01-01T00:00:00.000Z';
    const { conditions } = statusOf();
    const stored = [...conditions.map((one) => ({ ...one, lastTransitionTime })), { ...stale, lastTransitionTime }];
    const again = statusOf(aSurvey(undefined, { status: { conditions: stored } }));
    expect(again.conditions.map(({ type }) => type)).toEqual(conditions.map(({ type }) => type));
    expect(again.conditions.every((one) => one.lastTransitionTime === lastTransitionTime)).toBe(true);
  });

  it('has no revision before there is a set of the template', () => {
    expect(statusOf(aSurvey([anOldSet()]))).not.toHaveProperty('revision');
  });
});

describe('the template that was rolled out whole last', () => {
  const status = { completeTemplateHash: 'hash-old' };

  it('is that of now, as soon as all machines are of it and available', () => {
    expect(statusOf().completeTemplateHash).toBe('hash-new');
    expect(statusOf(aSurvey(undefined, { status })).completeTemplateHash).toBe('hash-new');
  });

  it('is that of before while the rollout lasts, and where there are no machines that could show it', () => {
    expect(statusOf(aSurvey(ROLLING, { status })).completeTemplateHash).toBe('hash-old');
    const empty = aSurvey([aRolloutSet({ existing: 0 })], { status });
    const none = { ...empty, rollout: { ...empty.rollout, replicas: 0 } };
    expect(statusOf(none).completeTemplateHash).toBe('hash-old');
  });
});

describe('whether enough machines are available', () => {
  it('goes by replicas and maxUnavailable', () => {
    expect(conditionOf('Available', aSurvey([aRolloutSet({ available: 2 })]))).toMatchObject({
      status: 'True',
      reason: 'MinimumReplicasAvailable',
      message: '2 machines are available; of 3 at least 2 have to be',
    });
    expect(conditionOf('Available', aSurvey([aRolloutSet({ available: 1 })]))).toMatchObject({
      status: 'False',
      reason: 'MinimumReplicasUnavailable',
      message: '1 machine is available; of 3 at least 2 have to be',
    });
  });

  it('goes by replicas where all are taken before others come', () => {
    const survey = aSurvey([aRolloutSet({ existing: 2 })]);
    const bounds = { maxSurge: 0, maxUnavailable: 3 };
    const recreating = { ...survey, rollout: { ...survey.rollout, type: 'Recreate' as const, bounds } };
    expect(conditionOf('Available', recreating)).toMatchObject({
      status: 'False',
      message: '2 machines are available; of 3 at least 3 have to be',
    });
  });
});

describe('how a rollout gets on', () => {
  const progress = (...args: Parameters<typeof report>) => conditionOf('Progressing', ...args);

  it('is told with what is done, and what is left', () => {
    expect(progress(aSurvey(ROLLING))).toMatchObject({
      status: 'True',
      reason: 'ReplicaSetUpdated',
      message: '2 of 3 machines are of revision 2, of which 1 are available; 2 of earlier ones are left',
    });
    expect(progress(aSurvey([aRolloutSet({ existing: 2, available: 1 })]))?.message).toBe(
      '2 of 3 machines are of revision 2, of which 1 are available',
    );
  });

  it('is told with the step that it is at, and with what makes new machines unusable', () => {
    const step = { number: 1, of: 2, step: { kind: 'machines', machines: 2 }, mostNew: 2 } as const;
    const coming = { failed: [], unusable: 'Machine m: its Node has the taint x' };
    expect(progress(aSurvey(ROLLING, { step, coming }))?.message).toBe(
      '2 of 3 machines are of revision 2, of which 1 are available; 2 of earlier ones are left; step 1 of 2: 2 new machines, and no more. Machine m: its Node has the taint x',
    );
    const passed = { number: 3, of: 2 };
    expect(progress(aSurvey(ROLLING, { step: passed }))?.message).not.toContain('step');
  });

  it('tells of a set that is paused, whose machines stay as they are', () => {
    const survey = aSurvey(ROLLING, { pausedSet: 'old' });
    const words =
      'MachineSet old has the annotation cluster.x-k8s.io/paused: no machine of it is made or taken until that is removed';
    expect(progress(survey)?.message).toMatch(new RegExp(`are left. ${words}$`));
    expect(whyRolloutWaits(survey, {})).toBe(words);
    expect(whyRolloutWaits(aSurvey(undefined, { pausedSet: 'old' }), {})).toBe('nothing');
    const details = (of: FoundRollout) =>
      describeRollout({ namespace: 'ns', name: 'd' } as ObjectRef, of, { refusals: {} }, 0);
    expect(details(survey)).toContain('**What to do:** Take off the pause');
    expect(details(aSurvey(undefined, { pausedSet: 'old' }))).toContain('**What to do:** Nothing');
  });

  it('tells of the only set, which is paused and misses machines', () => {
    const status = { conditions: statusOf().conditions, revision: 2 };
    const sets = [aRolloutSet({ available: 2 })];
    const words = 'all machines are of MachineSet new, revision 2';
    expect(progress(aSurvey(sets, { status, pausedSet: 'new' }))?.message).toBe(
      `${words}. MachineSet new has the annotation cluster.x-k8s.io/paused: no machine of it is made or taken until that is removed`,
    );
    expect(progress(aSurvey(undefined, { status, pausedSet: 'new' }))?.message).toBe(words);
  });

  it('waits for what is refused where all new machines are available, and no old one goes', () => {
    const sets = [anOldSet({ existing: 1 }), aRolloutSet({ existing: 3 })];
    const failure = { reason: 'FailedDelete', message: 'MachineSet old: no' } as const;
    expect(whyRolloutWaits(aSurvey(sets, { failure }), {})).toBe(
      'the next try of what was refused: MachineSet old: no',
    );
    expect(whyRolloutWaits(aSurvey(sets), {})).toBe('enough machines to be available');
  });

  it('waits for settings that are refused also where all machines are of the template', () => {
    const failure = { reason: 'FailedSettings', message: 'MachineSet new: no label' } as const;
    expect(whyRolloutWaits(aSurvey(), {})).toBe('nothing');
    expect(whyRolloutWaits(aSurvey(undefined, { failure }), {})).toBe(
      'the next try of what was refused: MachineSet new: no label',
    );
  });

  it('names a machine that failed also where so many may that it goes on', () => {
    const coming = { failed: [FAILED] };
    const failures = { hash: 'hash-new', failed: [FAILED], isStopped: false };
    const survey = aSurvey(ROLLING, { coming, failureThreshold: 3 });
    const said = reportOf(survey, { refusals: {}, failures }, 0)?.status.conditions.find(
      (c) => c.type === 'Progressing',
    );
    expect(said).toMatchObject({ status: 'True', reason: 'ReplicaSetUpdated' });
    expect(said?.message).toContain('. Machine m: no Node joined');
    expect(whyRolloutWaits(survey, {})).toMatch(/to become available: Machine m: no Node joined$/);
  });

  it('is over when all machines are of the template, and stays so when one of them fails later', () => {
    const over = {
      status: 'True',
      reason: 'NewReplicaSetAvailable',
      message: 'all machines are of MachineSet new, revision 2',
    };
    expect(progress()).toMatchObject(over);
    const { conditions, revision } = statusOf();
    const status = { conditions, ...given({ revision }) };
    expect(progress(aSurvey([aRolloutSet({ available: 2 })], { status }))).toMatchObject(over);
    const ofAnother = { ...status, revision: 1 };
    expect(progress(aSurvey([aRolloutSet({ available: 2 })], { status: ofAnother }))).toMatchObject({
      reason: 'ReplicaSetUpdated',
    });
    expect(progress(aSurvey([aRolloutSet({ available: 2 })]))).toMatchObject({ reason: 'ReplicaSetUpdated' });
    expect(progress(aSurvey(ROLLING, { status }))).toMatchObject({ reason: 'ReplicaSetUpdated' });
  });

  it('tells that it was rolled back, and why', () => {
    const rolledBack = { from: 'hash-bad', revision: 7, why: 'Machine m: no Node joined' } as never;
    const words = '; it was rolled back from revision 7: Machine m: no Node joined';
    expect(progress(aSurvey(undefined, { rolledBack }))?.message.endsWith(words)).toBe(true);
    expect(progress(aSurvey(ROLLING, { rolledBack }))?.message.endsWith(words)).toBe(true);
  });

  it('waits for room in the cloud, while machines are missing', () => {
    const coming = { failed: [], lacksCapacity: 'Machine m: none in zone a' };
    expect(progress(aSurvey(ROLLING, { coming }))).toMatchObject({
      status: 'True',
      reason: 'WaitingForCapacity',
      message: 'Machine m: none in zone a. The rollout goes on when the cloud launches it',
    });
  });

  it('names the machine whose deletion waits, and what helps', () => {
    const heldUp = { name: 'old-1', reason: 'PodsBlocked', more: 0 } as const;
    const words = 'he deletion of Machine old-1 waits: PodsBlocked; `millwright machine explain old-1` says for what';
    const survey = aSurvey(ROLLING, { heldUp });
    expect(progress(survey)?.message).toContain(`. T${words}`);
    expect(whyRolloutWaits(survey, {})).toContain(`; t${words}`);
    const current = aRolloutSet({ existing: 2 });
    const going = anOldSet({ existing: 1, active: 0 });
    const sets = [going, current];
    expect(whyRolloutWaits(aSurvey(sets, { heldUp }), {})).toBe(`1 machine of earlier revisions to be gone: t${words}`);
    expect(whyRolloutWaits(aSurvey(sets), {})).toBe(
      '1 machine of earlier revisions to be gone: they are drained and deleted',
    );
    const details = (told: object) =>
      describeRollout({ namespace: 'ns', name: 'd' } as ObjectRef, aSurvey(sets, told), { refusals: {} }, 0);
    expect(details({ heldUp })).toContain(toDoAbout({ reason: 'PodsBlocked' }));
    expect(details({})).not.toContain(toDoAbout({ reason: 'PodsBlocked' }));
  });

  it('says in the Temporal UI why it stopped, and what helps', () => {
    const hold = { reason: 'DeploymentPaused', status: 'Unknown', message: 'spec.paused is true' } as const;
    const stopped = { refusals: {}, failures: failures({ isStopped: true }) };
    const details = (memory: typeof NONE, told: object = { hold }) =>
      describeRollout({ namespace: 'ns', name: 'd' } as ObjectRef, aSurvey(ROLLING, told), memory, 0);
    const text = details(stopped);
    expect(text).toContain('Machine m: no Node joined');
    expect(text).toContain(toDoAbout({ reason: 'NewMachinesFailed' }));
    expect(text).not.toContain(toDoAbout({ reason: 'DeploymentPaused' }));
    const goesOn = { refusals: {}, failures: failures({ isStopped: false }) };
    const keeps = details(goesOn, { coming: { failed: [FAILED] } });
    expect(keeps).not.toContain('rollout resume');
    expect(keeps).toContain('Delete the machine that is named');
    expect(details(NONE)).toContain(toDoAbout({ reason: 'DeploymentPaused' }));
    const byAnnotation = details(NONE, { paused: true, hold });
    expect(byAnnotation).toContain(toDoAbout({ reason: 'Paused' }));
    expect(byAnnotation).not.toContain(toDoAbout({ reason: 'DeploymentPaused' }));
  });

  it('says in the Temporal UI that its template has no revision yet, where that is so', () => {
    const details = (survey: FoundRollout) =>
      describeRollout({ namespace: 'ns', name: 'd' } as ObjectRef, survey, { refusals: {} }, 0);
    expect(details(aSurvey(ROLLING))).toMatch(/^\*\*2 of 3\*\* machines are of revision 2, /m);
    expect(details(aSurvey([anOldSet()]))).toMatch(/machines are of the newest template, which has no revision yet, /);
  });

  it('says in the Temporal UI what is to be deleted, where it waits for that alone', () => {
    const details = (survey: FoundRollout) =>
      describeRollout({ namespace: 'ns', name: 'd' } as ObjectRef, survey, { refusals: {} }, 0);
    const delet = 'Delete the machine that is named';
    expect(details(aSurvey(ROLLING, { coming: { failed: [], lost: 'Machine m: taken back' } }))).toContain(delet);
    expect(details(aSurvey(ROLLING, { coming: { failed: [FAILED] } }))).toContain(delet);
    const survey = aSurvey(ROLLING);
    const onDelete = { ...survey, rollout: { ...survey.rollout, type: 'OnDelete' as const } };
    expect(details(onDelete)).toContain('Delete machines of earlier revisions');
    for (const none of [survey, aSurvey(), { ...onDelete, paused: true }, { ...onDelete, deleting: true }]) {
      expect(details(none)).not.toContain('**What to do:** Delete');
    }
  });

  it('is told as paused by an annotation, and not as asking the cloud, unless it is over', () => {
    const hold = { reason: 'PreflightPending', status: 'True', message: 'the cloud is asked' } as const;
    expect(progress(aSurvey(ROLLING, { paused: true, hold }))).toMatchObject({ status: 'Unknown', reason: 'Paused' });
    expect(progress(aSurvey(undefined, { paused: true }))).toMatchObject({ reason: 'NewReplicaSetAvailable' });
  });

  it('says of OnDelete that somebody has to delete old machines', () => {
    const survey = aSurvey(ROLLING);
    const onDelete = { ...survey, rollout: { ...survey.rollout, type: 'OnDelete' as const } };
    expect(progress(onDelete)?.message).toContain('2 of earlier ones are left, each until somebody deletes it');
    expect(progress(survey)?.message).not.toContain('somebody');
  });

  it('says of the room that is missing what the cloud says, with one full stop', () => {
    const coming = { failed: [], lacksCapacity: 'Machine m: no room.' };
    expect(progress(aSurvey(ROLLING, { coming }))?.message).toBe(
      'Machine m: no room. The rollout goes on when the cloud launches it',
    );
  });

  it('waits for somebody to delete a machine whose instance the cloud took back', () => {
    const coming = { failed: [], lost: 'Machine m: its spot instance was taken back' };
    expect(progress(aSurvey(ROLLING, { coming }))).toMatchObject({
      status: 'True',
      reason: 'WaitingForCapacity',
      message:
        'Machine m: its spot instance was taken back. It is replaced when somebody, or a health check, deletes it',
    });
  });

  it('tells of machines that it selects and that none of its sets has', () => {
    const survey = aSurvey(ROLLING);
    const strays = (count: number) => progress({ ...survey, rollout: { ...survey.rollout, strays: count } })?.message;
    expect(strays(0)).not.toContain('MachineSet');
    expect(strays(1)).toContain('; one machine that it selects belongs to no MachineSet, and counts among those that');
    expect(strays(2)).toContain('; 2 machines that it selects belong to no MachineSet, and count among those that');
  });

  it('tells what is in the way of the set of the template, and not that the cloud is asked: it is not before there is that set', () => {
    const hold = { reason: 'PreflightPending', status: 'True', message: 'the cloud is asked' } as const;
    const steps = { ...aSurvey().steps, taken: 'd-new' };
    const survey = aSurvey([anOldSet()], { hold, steps });
    expect(progress(survey)?.message).toBe(
      'the MachineSet of the template cannot be made: another one has its name, d-new',
    );
    expect(whyRolloutWaits(survey, {})).toBe('MachineSet d-new to go, which has the name of the one to make');
    expect(progress(aSurvey([anOldSet()], { hold }))).toMatchObject(hold);
  });

  it('begins with the set of the template, which may have another one in its way', () => {
    expect(progress(aSurvey([anOldSet()]))).toMatchObject({ message: 'the MachineSet of the template is made' });
    const steps = { ...aSurvey().steps, taken: 'd-new' };
    expect(progress(aSurvey([anOldSet()], { steps }))?.message).toBe(
      'the MachineSet of the template cannot be made: another one has its name, d-new',
    );
  });

  it('stands still where somebody wants that', () => {
    const hold = {
      reason: 'DeploymentPaused',
      status: 'Unknown',
      message: 'spec.paused is true: the rollout stands still',
    } as const;
    expect(progress(aSurvey(ROLLING, { hold }))).toMatchObject(hold);
  });

  it('waits for the cloud to be asked, and tells how the last try went that it had no answer to', () => {
    const preflightRetry = { message: 'slow down', failures: 1, until: NOW };
    const pending = { reason: 'PreflightPending', status: 'True', message: 'the cloud is asked' } as const;
    const failed = { reason: 'PreflightFailed', status: 'False', message: 'no such image' } as const;
    const told = (hold: FoundRollout['hold'], memory: Remembered) =>
      progress(aSurvey(ROLLING, given({ hold })), memory);
    expect(told(pending, NONE)).toMatchObject(pending);
    expect(told(pending, { ...NONE, preflightRetry })).toMatchObject({
      ...pending,
      message: 'the cloud is asked: slow down',
    });
    expect(told(failed, { ...NONE, preflightRetry })).toMatchObject(failed);
  });
});

describe('new machines that failed', () => {
  const progress = (of: RolloutFailures, survey = aSurvey(ROLLING)) =>
    conditionOf('Progressing', survey, { ...NONE, failures: of });

  it('stop the rollout, which says how it goes on', () => {
    expect(progress(failures())).toMatchObject({
      status: 'False',
      reason: 'NewMachinesFailed',
      message: 'Machine m: no Node joined',
    });
    expect(progress(failures({ isStopped: true }))?.message).toBe(
      'Machine m: no Node joined. The rollout is paused: undo it, change the template, or set spec.paused to false to go on in spite of that',
    );
    expect(progress(failures({ isStopped: true, isStuck: true }))?.message).toContain(
      'change the template, or delete what failed, which keeps the place of others, and set spec.paused to false to go on',
    );
    expect(progress(failures({ isStopped: true, barred: 'it was before' }))?.message).toContain(
      'Machine m: no Node joined. It is not rolled back: it was before. The rollout is paused',
    );
  });

  it('were too late, where all of them were', () => {
    const late = { ...FAILED, uid: 'late', isLate: true };
    expect(progress(failures({ failed: [late] }))).toMatchObject({ reason: 'ProgressDeadlineExceeded' });
    expect(progress(failures({ failed: [FAILED, late] }))).toMatchObject({ reason: 'NewMachinesFailed' });
  });

  it('are not told of while they are fewer than may fail, where none counts, or where all machines are there', () => {
    const going = { reason: 'ReplicaSetUpdated' };
    expect(progress(failures(), aSurvey(ROLLING, { failureThreshold: 2 }))).toMatchObject(going);
    expect(progress(failures({ failed: [] }))).toMatchObject(going);
    expect(progress(failures(), aSurvey())).toMatchObject({ reason: 'NewReplicaSetAvailable' });
  });

  it('are told of from the first one on where they never stop it', () => {
    const { failureThreshold: _none, ...never } = aSurvey(ROLLING);
    expect(progress(failures(), never)).toMatchObject({
      reason: 'NewMachinesFailed',
      message:
        'Machine m: no Node joined. The rollout goes on as far as maxSurge and maxUnavailable let it: a machine that failed keeps its place until somebody, or a health check, deletes it',
    });
    const other = { ...never, rollout: { ...never.rollout, type: 'Recreate' as const } };
    expect(progress(failures(), other)?.message).toBe(
      'Machine m: no Node joined. A rollout of this type is not stopped for that: mend the template, and delete the machine, or have a health check do so',
    );
    expect(progress(failures({ isStuck: true }), never)?.message).toBe(
      'Machine m: no Node joined, and there is no place for others to come up, or to fail. The rollout goes on when somebody, or a health check, deletes a machine that failed: mend the template first where it is to blame',
    );
    expect(progress(failures({ isStuck: true }), other)?.message).toBe(
      'Machine m: no Node joined, and there is no place for others to come up, or to fail. A rollout of this type is not stopped for that: mend the template, and delete the machine, or have a health check do so',
    );
  });

  it('say that it is paused where it is, also where they would not stop it; and end with one full stop', () => {
    const { failureThreshold: _none, ...never } = aSurvey(ROLLING);
    const hold = { reason: 'DeploymentPaused', status: 'Unknown', message: 'spec.paused is true' } as const;
    expect(progress(failures(), { ...never, hold })?.message).toBe(
      'Machine m: no Node joined. The rollout is paused; when spec.paused is false it goes on, and is not stopped for that',
    );
    const ended = failures({ failed: [{ ...FAILED, why: 'the launch failed.' }], isStopped: true });
    expect(progress(ended, aSurvey(ROLLING, { hold }))?.message).toMatch(
      /^Machine m: the launch failed\. The rollout is paused: undo it/,
    );
  });

  it('say what to do where there is nothing to stop any more', () => {
    const counts = { ...aSurvey().counts, availableReplicas: 0 };
    expect(progress(failures(), aSurvey(undefined, { counts }))?.message).toBe(
      'Machine m: no Node joined. No machine of an earlier revision is left, so there is nothing to pause: mend the template, and delete the machine, or have a health check do so',
    );
    // It is about to go back.
    const wayBack = { to: { name: 'd-old', uid: 'uid-of-old', resourceVersion: '7', revision: 1 } };
    expect(progress(failures(), aSurvey(undefined, { counts, wayBack }))?.message).toBe('Machine m: no Node joined');
  });

  it.each([
    [true, 'ProgressDeadlineExceeded'],
    [false, 'NewMachinesFailed'],
  ])('have events of their own where nothing stops it (too late: %s)', (isLate, reason) => {
    expect(failureEvent(aSurvey(ROLLING), { ...FAILED, isLate })).toMatchObject({
      type: 'Warning',
      reason,
      message: expect.stringContaining('Machine m: no Node joined. The rollout goes on'),
    });
  });
});

describe('what the API server refuses', () => {
  const refusals = {
    order: { message: 'no', failures: 1, until: NOW },
    adopt: { message: 'never', failures: 1, until: NOW },
  };

  it('is told, the first step of all that are refused, and as an event the first time', () => {
    const first = report(aSurvey(), { refusals });
    const failure = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate' };
    const message = 'cannot adopt a MachineSet: never';
    expect(first.status.conditions).toContainEqual(expect.objectContaining({ ...failure, message }));
    expect(first.events).toEqual([{ type: 'Warning', reason: 'FailedCreate', message }]);
    const again = report(aSurvey(undefined, { status: first.status, generation: 6 }), { refusals });
    expect(again.events).toEqual([]);
  });

  it('is an event, whatever else is the matter, and whatever another program wrote of it', () => {
    const at = { message: '', lastTransitionTime: '' };
    const trouble = { type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable', ...at } as const;
    const theirs = { type: 'ReplicaFailure', status: 'True', reason: 'TheirWord', ...at } as const;
    for (const known of [trouble, theirs]) {
      const { events } = report(aSurvey(undefined, { status: { conditions: [known] } }), { refusals });
      expect(events).toHaveLength(1);
    }
  });

  it('is what one of its sets is refused, where nothing is refused to itself', () => {
    const failure = { reason: 'FailedDelete', message: 'MachineSet old: cannot delete a: no' } as const;
    const both = aSurvey(undefined, { failure });
    expect(conditionOf('ReplicaFailure', both)).toMatchObject(failure);
    expect(report(both).events).toEqual([{ type: 'Warning', ...failure }]);
    expect(conditionOf('ReplicaFailure', both, { refusals })).toMatchObject({
      message: expect.stringMatching(/^cannot/),
    });
    expect(conditionOf('ReplicaFailure')).toBeUndefined();
  });
});

it('tells of a rollout that stands with fewer failures than stop it, as of one that failed', () => {
  const survey = aSurvey(ROLLING, { failureThreshold: 3 });
  const told = (changes: Partial<RolloutFailures>) =>
    conditionOf('Progressing', survey, { ...NONE, failures: failures(changes) });
  expect(told({})).toMatchObject({ status: 'True', reason: 'ReplicaSetUpdated' });
  expect(told({ isStuck: true })).toMatchObject({ status: 'False', reason: 'NewMachinesFailed' });
});

describe('a pause', () => {
  const paused = (changes: Partial<FoundRollout>) => conditionOf('Paused', aSurvey(undefined, changes));

  it('says by what it is, and how it ends', () => {
    expect(paused({ paused: true })).toMatchObject({
      status: 'True',
      reason: 'Paused',
      message: `annotation ${PAUSED_ANNOTATION} is set: nothing is done until it is removed`,
    });
    expect(paused({ paused: true, pausedBy: 'Cluster default/c' })?.message).toBe(
      'Cluster default/c is paused: nothing is done until it is not any more',
    );
    expect(paused({ paused: true, pausedByTakeOver: true })?.message).toBe(
      `\`millwright install --take-over\` has set the annotation ${PAUSED_ANNOTATION}: nothing is done until \`millwright resume\` takes it off`,
    );
    expect(paused({ hold: { reason: 'DeploymentPaused', status: 'Unknown', message: '' } })).toMatchObject({
      reason: 'DeploymentPaused',
      message: 'spec.paused is true: no machine is made or taken for another template until it is false',
    });
  });

  it('for an adoption says so, by what is remembered or by what the status tells, while it lasts', () => {
    const hold = { reason: 'DeploymentPaused', status: 'Unknown', message: 'spec.paused is true' } as const;
    const pausedFor = 'it was paused for the adoption of MachineSet a';
    const said = { type: 'Paused', status: 'True', reason: 'PausedToAdopt', message: pausedFor } as const;
    const stored = { conditions: [{ ...said, lastTransitionTime: '2026-01-01T11:00:00Z' }] };
    const both = (changes: Partial<FoundRollout>, memory: Remembered = NONE) =>
      ['Paused', 'Progressing'].map((type) => conditionOf(type, aSurvey(ROLLING, changes), memory));
    const words = [said, { ...hold, message: pausedFor }];
    expect(both({ hold }, { ...NONE, pausedFor })).toMatchObject(words);
    expect(both({ hold, status: stored })).toMatchObject(words);
    const [paused, progress] = both({ status: stored });
    expect([paused, progress?.reason]).toEqual([undefined, 'ReplicaSetUpdated']);
    const other = { conditions: [{ ...stored.conditions[0]!, reason: 'DeploymentPaused' }] };
    expect(both({ hold, status: other })[0]).toMatchObject({ reason: 'DeploymentPaused' });
    expect(both({ hold, paused: true, status: stored })[0]).toMatchObject({ reason: 'Paused' });
  });

  it('is none of a rollout that goes on, or waits at a step', () => {
    expect(paused({})).toBeUndefined();
    expect(paused({ hold: { reason: 'StepPaused', status: 'Unknown', message: '' } })).toBeUndefined();
  });
});

describe('the step of a rollout', () => {
  const known = { templateHash: 'hash-new', revision: 2, passed: 0, since: '2026-01-01T11:00:00.000Z' };
  const machines = { number: 1, of: 2, step: { kind: 'machines', machines: 1 }, mostNew: 1 } as const;
  const begun = [anOldSet({ existing: 2 }), aRolloutSet({ existing: 1 })];

  it('is on record, and its beginning is told', () => {
    const { status, events } = report(aSurvey(begun, { step: machines }));
    expect(status.step).toEqual({ ...known, since: new Date(NOW).toISOString() });
    expect(events).toEqual([{ type: 'Normal', reason: 'RolloutStep', message: 'revision 2 is rolled out in 2 steps' }]);
  });

  it('that is passed is told once, with whose word that was', () => {
    const step = { ...machines, known };
    const { status, events } = report(aSurvey(begun, { step, status: { step: known } }));
    expect(status.step?.passed).toBe(1);
    expect(events).toMatchObject([{ message: 'revision 2 has passed step 1 of 2' }]);
    const approval = { number: 1, of: 2, step: { kind: 'approval' }, known } as const;
    const approvedBy = (word: object) =>
      report(aSurvey(begun, { step: { ...approval, word: word as never }, status: { step: known } })).events;
    expect(approvedBy({ token: '2.1', by: 'ann' })).toMatchObject([
      { message: 'revision 2 has passed step 1 of 2, by the word of ann' },
    ]);
    expect(approvedBy({ token: '2.1' })).toMatchObject([
      { message: 'revision 2 has passed step 1 of 2, by the word of somebody' },
    ]);
    expect(report(aSurvey(begun, { step: approval, status: { step: known } })).events).toEqual([]);
  });

  it('is put right where the status says another one', () => {
    const survey = aSurvey(begun, { step: { ...machines, known: { ...known, passed: 1 } } });
    const { status } = report(survey);
    const { step: _lost, ...rest } = status;
    expect(reportOf({ ...survey, status: rest }, NONE, NOW)?.status.step).toEqual(status.step);
  });

  it('of another revision is another one', () => {
    const before = { ...known, revision: 1 };
    expect(report(aSurvey(begun, { step: machines, status: { step: before } })).events).toHaveLength(1);
  });
});

describe('what the cloud says before a rollout', () => {
  const NEW = { hasNew: false };
  const checkedAt = '2026-01-01T11:59:00.000Z';
  const passed = { templateHash: 'hash-new', revision: 2, generation: 5, passed: true, checkedAt };
  const refused = { ...passed, passed: false, message: 'no such image' };
  const blocked = { ...passed, message: 'a budget lets no pod of it go' };
  const tell = (changes: Partial<FoundRollout>, preflight?: RolloutMemory['preflight']) =>
    report(aSurvey(ROLLING, changes), { ...NONE, ...given({ preflight }) });

  it('is told by one event where it holds the rollout', () => {
    const hold = { reason: 'PreflightFailed', status: 'False', message: 'no such image' } as const;
    const { events } = tell({ preflight: { ...NEW, known: refused }, hold }, refused);
    expect(events.map(({ reason }) => reason)).toEqual(['PreflightFailed']);
  });

  it('is on record as soon as it has answered, in place of what it said before', () => {
    expect(tell({ preflight: NEW }).status).not.toHaveProperty('preflight');
    expect(tell({ preflight: NEW }, passed).status.preflight).toEqual(passed);
    expect(tell({ preflight: { ...NEW, known: refused } }, passed).status.preflight).toEqual(passed);
    expect(tell({ preflight: { ...NEW, known: refused } }).status.preflight).toEqual(refused);
    expect(tell({ preflight: { hasNew: true, known: refused } }).status.preflight).toEqual(refused);
  });

  it('does not count of another template or revision, nor where nothing is replaced', () => {
    for (const other of [
      { ...passed, templateHash: 'hash-old' },
      { ...passed, revision: 1 },
    ]) {
      expect(tell({ preflight: NEW }, other).status).not.toHaveProperty('preflight');
    }
    expect(tell({}, passed).status).not.toHaveProperty('preflight');
    expect(report(aSurvey([anOldSet()], { preflight: NEW }), { ...NONE, preflight: passed }).status).not.toHaveProperty(
      'preflight',
    );
  });

  it('is not asked for of a template of which there are machines, which is on record', () => {
    const { status, events } = tell({ preflight: { hasNew: true } });
    expect(status.preflight).toEqual({
      ...passed,
      message: 'not asked: there are machines of it',
      checkedAt: new Date(NOW).toISOString(),
    });
    expect(events).toEqual([]);
  });

  it('is told once where it keeps the rollout from beginning, or may hold it up', () => {
    const event = (reason: string, { message }: { readonly message: string }) => [{ type: 'Warning', reason, message }];
    expect(tell({ preflight: NEW }, refused).events).toEqual(event('PreflightFailed', refused));
    expect(tell({ preflight: NEW }, blocked).events).toEqual(event('BudgetsBlockDrains', blocked));
    expect(tell({ preflight: NEW }, passed).events).toEqual([]);
    expect(tell({ preflight: NEW, status: { preflight: refused } }, refused).events).toEqual([]);
  });

  it('is on record in whichever order the API server tells the fields of it', () => {
    const { status } = tell({ preflight: NEW }, passed);
    const inOrder = Object.fromEntries(Object.entries(passed).sort(([a], [b]) => (a < b ? -1 : 1)));
    const preflight = inOrder as typeof passed;
    const survey = aSurvey(ROLLING, { preflight: { ...NEW, known: preflight }, status: { ...status, preflight } });
    expect(reportOf(survey, { ...NONE, preflight: passed }, NOW)).toBeUndefined();
  });

  it('is put right where the status says something else', () => {
    const { preflight: _lost, ...status } = tell({ preflight: NEW }, passed).status;
    const survey = aSurvey(ROLLING, { preflight: NEW, status });
    expect(reportOf(survey, { ...NONE, preflight: passed }, NOW)?.status.preflight).toEqual(passed);
  });
});
