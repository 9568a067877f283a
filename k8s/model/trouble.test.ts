import { describe, expect, it } from '@jest/globals';
import type { Condition } from './condition.ts';
import { adviceOn, isTroubled, lastTroubleOf } from './trouble.ts';

const condition = (
  type: string,
  status: Condition['status'],
  reason: string,
  lastTransitionTime = '2026-01-01T00:00:00Z',
): Condition => ({
  type,
  status,
  reason,
  message: `of ${type}`,
  lastTransitionTime,
});
const unready = condition('NodeReady', 'False', 'NodeNotReady');

describe('what went wrong with a machine last', () => {
  it('is why it failed, then what it waits for, then the newest condition', () => {
    const error = { reason: 'UpdateError', message: 'gone' };
    const waiting = { reason: 'SecretMissing', message: 'none' };
    const changed = condition('UpToDate', 'False', 'UnsupportedChange', '2026-01-02T00:00:00Z');
    expect(lastTroubleOf({ error, waiting, conditions: [unready] })).toBe(error);
    expect(lastTroubleOf({ waiting, conditions: [unready] })).toBe(waiting);
    expect(lastTroubleOf({ conditions: [unready, changed] })?.reason).toBe('UnsupportedChange');
  });

  it('is what it waits for, where that is for a reason that nobody knows here', () => {
    const waiting = { reason: 'ACodeOfTheCloud', message: 'no' };
    expect(lastTroubleOf({ waiting, conditions: [unready] })).toBe(waiting);
  });

  it('is the newest of its conditions, in whatever order they stand', () => {
    const on = (day: number, reason: string) => condition(reason, 'False', reason, `2026-01-0${day}T00:00:00Z`);
    const [first, second, third] = [on(1, 'NodeNotReady'), on(2, 'UnsupportedChange'), on(3, 'InstanceMissing')];
    for (const conditions of [
      [first, second, third],
      [third, second, first],
      [second, third, first],
    ]) {
      expect(lastTroubleOf({ conditions })?.reason).toBe('InstanceMissing');
    }
  });

  it('is a condition where what it waits for is as it should be', () => {
    const waiting = { reason: 'InstanceTerminating', message: 'shutting down' };
    expect(lastTroubleOf({ waiting, conditions: [unready] })?.reason).toBe('NodeNotReady');
    expect(lastTroubleOf({ waiting, conditions: [] })).toBeUndefined();
  });

  it('is nothing of a condition that is as it should be', () => {
    const conditions = [
      condition('InstanceExists', 'False', 'InstanceNotCreated'),
      condition('Drainable', 'False', 'HookPresent'),
      condition('Paused', 'True', 'Paused'),
      condition('NodeReady', 'True', 'NodeReady'),
    ];
    expect(lastTroubleOf({ conditions })).toBeUndefined();
  });

  it("is told by the condition's type where the condition gives no reason", () => {
    expect(lastTroubleOf({ conditions: [condition('NodeReady', 'Unknown', '')] })?.reason).toBe('NodeReady');
  });
});

describe('whether a condition tells of trouble', () => {
  it.each<[string, Condition['status'], boolean]>([
    ['NodeNotReady', 'False', true],
    ['SelectorOverlap', 'True', true],
    ['HookPresent', 'False', false],
    ['ACodeOfTheCloud', 'False', true],
    ['ACodeOfTheCloud', 'Unknown', true],
    ['TheirWord', 'True', false],
  ])('%s of status %s: %s', (reason, status, troubled) => {
    expect(isTroubled({ status, reason })).toBe(troubled);
  });
});

describe('what a person can do', () => {
  it.each([
    [
      'of a failure',
      { phase: 'Failed', error: { reason: 'UpdateError', message: '' } },
      /^Delete the Machine: its MachineSet/,
    ],
    [
      'of a failure for what others wait for',
      { phase: 'Failed', error: { reason: 'InvalidConfiguration', message: '' } },
      /^Delete the Machine when/,
    ],
    [
      'of a failure of another controller',
      { phase: 'Failed', error: { reason: 'Whatever', message: '' } },
      /^Delete the Machine when/,
    ],
    ['of a failure that nobody names', { phase: 'Failed' }, /^Delete the Machine when/],
    [
      'of a wait',
      { phase: 'Provisioning', waiting: { reason: 'MachineClassDeleting', message: '' } },
      /^Name another MachineClass/,
    ],
    [
      'of what a machine waits for that has failed, and is tried on',
      { phase: 'Failed', waiting: { reason: 'MachineClassDeleting', message: '' } },
      /^Name another MachineClass/,
    ],
    ['of a condition of a machine that runs', { phase: 'Running' }, /^Look at the Node/],
    [
      'of a deletion that waits for nothing, whatever was the matter before',
      { phase: 'Deleting' },
      /^Nothing: it goes on/,
    ],
  ])('%s', (_what, standing, advice) => {
    expect(adviceOn({ ...standing, conditions: [unready] })).toMatch(advice);
  });

  it('is nothing where all is well', () => {
    expect(adviceOn({ phase: 'Running', conditions: [] })).toBe('Nothing: it goes on by itself.');
  });
});
