import { describe, expect, it } from '@jest/globals';
import { aSurvey } from './survey-for-tests.ts';
import { hasStopped, untoldStopOf, type UntoldStop } from './untold-stop.ts';

const why = 'Machine m: no Node joined';
const to = { name: 'old', uid: 'old', resourceVersion: '7', revision: 1 };
const back = { how: 'back', why, to, from: 'hash-new', revision: 2 } as const;
const hold = { reason: 'DeploymentPaused', status: 'Unknown', message: '' } as const;
const adopting = aSurvey(undefined, {
  steps: { adopt: [to, { ...to, name: 'older' }], pauseFirst: true, orders: [], remove: [] },
});

describe('what is told of a stop', () => {
  it('is why it is paused, or what it goes back to; an adoption is told where nothing has failed', () => {
    const messageOf = (...of: Parameters<typeof untoldStopOf>) => untoldStopOf(...of)?.event.message;
    expect(messageOf(aSurvey(), undefined)).toBeUndefined();
    const stopped = `the rollout is paused before it takes more old machines: ${why}`;
    expect(messageOf(aSurvey(), { how: 'pause', why })).toBe(stopped);
    expect(messageOf(adopting, { how: 'pause', why })).toBe(stopped);
    expect(messageOf(aSurvey(), back)).toBe(`revision 2 is rolled back to the template of revision 1: ${why}`);
    expect(untoldStopOf(adopting, undefined)).toEqual({
      event: {
        type: 'Warning',
        reason: 'RolloutStopped',
        message:
          'the rollout is paused before it adopts MachineSet old, older, whose machines it would replace: set spec.paused to false to have that',
      },
      generation: 5,
      pausedFor:
        'the rollout was paused for the adoption of MachineSet old, older, whose machines it would replace: no machine is made or taken for another template until spec.paused is false',
    });
  });

  it('is told when it was done, whoever heard of it', () => {
    const untold = (...of: Parameters<typeof untoldStopOf>) => untoldStopOf(...of) as UntoldStop;
    const pause = untold(aSurvey(), { how: 'pause', why });
    expect([hasStopped({}, pause), hasStopped({ hold }, pause)]).toEqual([false, true]);
    expect(hasStopped({ hold: { ...hold, reason: 'StepPaused' } }, pause)).toBe(false);
    const rolledBack = { from: 'hash-new', revision: 2, why };
    const goesBack = untold(aSurvey(), back);
    expect([hasStopped({ hold }, goesBack), hasStopped({ rolledBack }, goesBack)]).toEqual([false, true]);
    expect(hasStopped({ rolledBack: { ...rolledBack, revision: 1 } }, goesBack)).toBe(false);
  });
});
