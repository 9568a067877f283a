import { describe, expect, it } from '@jest/globals';
import { aPass, type PassFacts } from '../../test/workflow/a-pass.ts';
import { DONE } from './answer.ts';
import { hasTermination, passHooks, passOverAll, waitForHooks } from './hooks.ts';

const DRAIN = { point: 'preDrain', name: 'Quorum', owner: 'etcd' } as const;
const BACKUP = { point: 'preDrain', name: 'Backup', owner: 'ops' } as const;
const END = { point: 'preTerminate', name: 'Store', owner: 'rook' } as const;

describe('a hook', () => {
  it.each([
    ['preDrain', 'Drainable', 'the drain waits until its hooks are removed: preDrain hook Quorum of etcd'],
    [
      'preTerminate',
      'Terminable',
      'the termination waits until its hooks are removed: preTerminate hook Store of rook',
    ],
  ] as const)('of %s holds that alone, by the condition %s', (point, type, message) => {
    const pass = aPass({ machine: { hooks: [DRAIN, END] } });
    expect(waitForHooks(pass, point)).toMatchObject({
      outcome: 'wait',
      wait: { step: 'LifecycleHooks', reason: 'HookPresent', message },
    });
    expect(pass.status.conditions).toMatchObject([
      { type, status: 'False', reason: 'HookPresent', message: expect.stringMatching(/^waits for pre/) },
    ]);
  });

  it('holds the deletion where no drain comes after it, and the termination all the same', () => {
    const heldBy = (point: 'preDrain' | 'preTerminate') => {
      const pass = aPass({ machine: { hooks: [DRAIN, END], excludesDrain: true } });
      return waitForHooks(pass, point);
    };
    const waits = (message: string) => ({ wait: { message: expect.stringContaining(message) } });
    expect(heldBy('preDrain')).toMatchObject(waits('the deletion waits until'));
    expect(heldBy('preTerminate')).toMatchObject(waits('the termination waits until'));
  });

  it('is waited for since its own condition tells so: another point was held for the same reason before', () => {
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const held = {
      type: 'Terminable',
      status: 'False',
      reason: 'HookPresent',
      message: '',
      lastTransitionTime,
    } as const;
    const pass = aPass({ machine: { hooks: [END] }, status: { conditions: [held] } });
    expect(waitForHooks(pass, 'preTerminate')).toMatchObject({ wait: { since: lastTransitionTime } });
  });

  it('is named with the others of its point', () => {
    const answer = waitForHooks(aPass({ machine: { hooks: [DRAIN, BACKUP] } }), 'preDrain');
    const message = expect.stringMatching(/: preDrain hook Quorum of etcd; preDrain hook Backup of ops$/);
    expect(answer).toMatchObject({ wait: { message } });
  });

  it('that was removed holds nothing, and its condition goes', () => {
    const pass = aPass({ machine: { hooks: [DRAIN] } });
    waitForHooks(pass, 'preDrain');
    expect(passHooks(pass, 'preDrain')).toBe(DONE);
    expect(pass.status.conditions).toEqual([]);
    expect([waitForHooks(aPass(), 'preDrain'), waitForHooks(aPass({ machine: { hooks: [END] } }), 'preDrain')]).toEqual(
      [DONE, DONE],
    );
  });

  it.each([
    ['preDrain', DRAIN, 'PreDrainHooksPassedOver'],
    ['preTerminate', END, 'PreTerminateHooksPassedOver'],
  ] as const)('of %s is passed over by a forced deletion, which tells so once', (point, hook, reason) => {
    const pass = aPass({ machine: { hooks: [hook], deletionPolicy: 'forced' } });
    expect(waitForHooks(pass, point)).toBe(DONE);
    const message = `deletionPolicy is forced: ${point} hook ${hook.name} of ${hook.owner} is passed over`;
    expect(pass.events).toEqual([{ type: 'Warning', reason, message }]);
    pass.leaveUnwritten();
    waitForHooks(pass, point);
    expect(pass.events).toEqual([]);
  });

  it('is told of where a forced deletion goes before it came to it, unless nothing could hold it any more', () => {
    const reasonsOf = (facts: Omit<PassFacts, 'machine'> = {}) => {
      const pass = aPass({ machine: { hooks: [DRAIN, END], deletionPolicy: 'forced' }, ...facts });
      passOverAll(pass);
      return pass.events.map(({ reason }) => reason);
    };
    const [ofDrain, ofEnd] = ['PreDrainHooksPassedOver', 'PreTerminateHooksPassedOver'];
    expect(reasonsOf()).toEqual([ofDrain, ofEnd]);
    const passedOver = { preDrain: 'preDrain hook Quorum of etcd' };
    expect(reasonsOf({ memory: { passedOver } })).toEqual([ofEnd]);
    const deletion = { preTerminateHookStartTime: '2026-01-01T00:00:00Z' };
    expect(reasonsOf({ status: { deletion } })).toEqual([ofEnd]);
    expect(reasonsOf({ memory: { isEndAskedFor: true } })).toEqual([]);
  });
});

it('hooks can hold the end of an instance that is the Machine’s, until it is asked for', () => {
  const instance = { id: 'i-1', state: 'running' } as const;
  const has = (facts: PassFacts) => hasTermination(aPass(facts));
  expect(has({ status: { instance } })).toBe(true);
  expect(has({})).toBe(false);
  expect(has({ status: { instance }, memory: { isEndAskedFor: true } })).toBe(false);
});
