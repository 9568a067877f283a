import { describe, expect, it } from '@jest/globals';
import type { Replica } from '../../k8s/model/machine-set.ts';
import { countFailures, describeFailures, failuresAfter, isToStop, type FailureSight } from './failures.ts';
import { judgeNewMachines, type RolloutMachine } from './new-machines.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const machine = (name: string, changes: Partial<RolloutMachine> = {}): RolloutMachine => ({
  name,
  uid: name,
  resourceVersion: '1',
  labels: {},
  createdAt: '2026-01-01T11:00:00Z',
  deleting: false,
  hasNode: false,
  markedForDeletion: false,
  ...changes,
});
const isReady = ({ readySince }: Replica) => readySince !== undefined;
const judge = (...machines: RolloutMachine[]) => judgeNewMachines(machines, 60, NOW, isReady);

describe('new machines', () => {
  it('are too late when they are not available in time after their launch, and not before they were launched', () => {
    expect(judge(machine('a', { launchedAt: NOW - 60_000 })).failed).toMatchObject([{ name: 'a', isLate: true }]);
    expect(judge(machine('a', { launchedAt: NOW - 59_000 }))).toEqual({ failed: [], lateAt: NOW + 1000 });
    expect(judge(machine('a'))).toEqual({ failed: [] });
  });

  it('have failed for good by their own words; those that are available or go have not', () => {
    expect(judge(machine('a', { failure: 'no Node joined' })).failed).toMatchObject([{ why: 'no Node joined' }]);
    const late = { launchedAt: NOW - 90_000 };
    expect(judge(machine('a', { ...late, readySince: '2026-01-01T11:59:00Z' })).failed).toEqual([]);
    expect(judge(machine('a', { ...late, deleting: true })).failed).toEqual([]);
  });

  it('that the cloud has no room for have not failed', () => {
    expect(judge(machine('a', { lacksCapacity: 'none in zone a' }))).toEqual({
      failed: [],
      lacksCapacity: 'Machine a: none in zone a',
    });
  });
});

const FAILED = { name: 'a', uid: 'a', why: 'it failed', isLate: false };
const sight = (changes: Partial<FailureSight> = {}): FailureSight => ({
  hash: 'one',
  failed: [FAILED],
  isHeld: false,
  failureThreshold: 1,
  ...changes,
});

describe('a rollout', () => {
  it('is to stop when as many have failed as may', () => {
    const failures = failuresAfter(undefined, sight());
    expect(isToStop(failures, sight())).toBe(true);
    expect(isToStop(failures, sight({ failureThreshold: 2 }))).toBe(false);
    const { failureThreshold: _none, ...never } = sight();
    expect(isToStop(failuresAfter(undefined, never), never)).toBe(false);
    expect(describeFailures(failures)).toBe('Machine a: it failed');
  });

  it('counts one that was replaced meanwhile', () => {
    const first = failuresAfter(undefined, sight({ failureThreshold: 2 }));
    const second = failuresAfter(first, sight({ failureThreshold: 2, failed: [{ ...FAILED, uid: 'b', name: 'b' }] }));
    expect(isToStop(second, sight({ failureThreshold: 2 }))).toBe(true);
    expect(describeFailures(second)).toBe('Machine a: it failed (and 1 more)');
  });

  it('that somebody has go on does so in spite of what had failed, and stops for the next', () => {
    const stopped = failuresAfter(failuresAfter(undefined, sight()), sight({ isHeld: true }));
    expect(stopped.isStopped).toBe(true);
    const resumed = failuresAfter(stopped, sight());
    expect(isToStop(resumed, sight())).toBe(false);
    expect(describeFailures(resumed)).toBeUndefined();
    const again = failuresAfter(resumed, sight({ failed: [FAILED, { ...FAILED, uid: 'b' }] }));
    expect(isToStop(again, sight())).toBe(true);
    expect(countFailures(again)).toBe(1);
  });

  it('starts anew with another template', () => {
    const stopped = failuresAfter(failuresAfter(undefined, sight()), sight({ isHeld: true }));
    expect(failuresAfter(stopped, sight({ hash: 'two', failed: [] }))).toEqual({
      hash: 'two',
      failed: [],
      isStopped: false,
    });
  });
});
