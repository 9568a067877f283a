import { describe, expect, test } from '@jest/globals';
import type { RetryClass } from '../../../providers/provider-error.ts';
import { nearNames } from '../access/near-names.ts';
import { obstacleOf } from './attendance.ts';
import type { Explanation } from './explanation.ts';
import { headlineOf } from './headline.ts';

const now = Date.parse('2026-01-01T00:10:00Z');
const waiting = (reason: string, more: Partial<Explanation> = {}): Explanation => ({
  namespace: 'ns',
  name: 'm1',
  phase: 'Provisioning',
  step: 'Launch',
  reason,
  waitsFor: 'what came back',
  toDo: 'what helps',
  nextTry: 'when something changes',
  ...more,
});

describe('the line that explains a machine', () => {
  test.each([
    ['Unauthenticated', 'credentials that the cloud accepts'],
    ['Unavailable', 'the cloud, which cannot be reached or is out of service'],
    ['DeadlineExceeded', 'the cloud, which does not answer'],
    ['AwaitingTurn', 'its turn to call the cloud, under the limits of the account'],
    ['SecretMissing', 'a missing Secret'],
    ['MachineClassDeleting', 'a MachineClass that is not being deleted'],
    ['Paused', 'the pause to be taken off'],
    ['constructor', 'step Launch to work (constructor)'],
  ])('says of %s that it waits for %s', (reason, subject) => {
    expect(headlineOf(waiting(reason), undefined, now)).toBe(`Waiting for ${subject}: what came back`);
  });

  test.each<[string, RetryClass, string]>([
    ['InstanceLimitExceeded', 'exhausted', 'room in the cloud (capacity or quota)'],
    ['RequestLimitExceeded', 'throttled', 'the cloud, which throttles our calls'],
    ['AuthFailure', 'denied', 'credentials and permissions that the cloud accepts'],
    ['Whatever.ACloud-says', 'invalid', 'a corrected configuration'],
    ['ServiceUnavailable', 'soon', 'the cloud to do what it failed to do'],
    ['NodeNotJoined', 'soon', 'its Node to join the cluster'],
  ])('says of %s, of the class %s, that it waits for %s', (reason, retryClass, subject) => {
    expect(headlineOf(waiting(reason, { retryClass }), undefined, now)).toBe(`Waiting for ${subject}: what came back`);
  });

  test('says of a Node that has not joined when it is given up', () => {
    expect(headlineOf(waiting('NodeNotJoined', { nextTry: '2026-01-01T00:10:20Z' }), undefined, now)).toMatch(
      /\(given up in 20s\)$/,
    );
  });

  test('says when it goes on, and is one line whatever came back', () => {
    const explanation = waiting('Throttled', { waitsFor: 'slow\n  down', nextTry: '2026-01-01T00:10:20Z' });
    expect(headlineOf(explanation, undefined, now)).toBe(
      'Waiting for the cloud, which throttles our calls: slow down (next try in 20s)',
    );
  });

  test('says of a machine that runs what its health check finds', () => {
    const { reason: _none, ...running } = waiting('x', { phase: 'Running', step: 'Running', node: 'n' });
    expect(headlineOf(running, undefined, now)).toBe('Running: Node n has joined, and the machine waits for nothing');
    const health = 'check finds it not healthy: Ready of its Node is Unknown';
    expect(headlineOf({ ...running, health, isUnhealthy: true }, undefined, now)).toBe(
      `Running, but not healthy for its health check: ${health}`,
    );
  });

  test('says that nobody is at work before what the status said last, but of a Failed machine why it failed', () => {
    const workflow = { id: 'w', state: 'running', link: '', obstacle: 'a worker: nobody is there' };
    expect(headlineOf(waiting('Throttled'), workflow, now)).toBe('Waiting for a worker: nobody is there');
    const failed = waiting('', { phase: 'Failed', step: 'Failed', lastError: 'UpdateError: it is gone' });
    expect(headlineOf(failed, workflow, now)).toBe('Failed, for good: UpdateError: it is gone');
  });

  test('tells a machine that runs well from one that does not', () => {
    const { reason: _none, ...running } = waiting('', { phase: 'Running', step: 'Running', node: 'n1' });
    expect(headlineOf(running, undefined, now)).toMatch(/^Running: Node n1 has joined/);
    const sick = { ...running, lastError: 'NodeNotReady: no kubelet' };
    expect(headlineOf(sick, undefined, now)).toBe('Running, but not well: NodeNotReady: no kubelet');
  });
});

describe('whether a worker attends a workflow', () => {
  const task = { taskQueue: 'q', isUntaken: true, scheduledAt: now - 12_000, attempt: 1 };
  const poller = (secondsAgo: number) => ({ identity: '7@host', lastPollAt: now - secondsAgo * 1000 });

  test('no poller at all: it is said at once', () => {
    expect(obstacleOf({ ...task, scheduledAt: now }, [], now)).toMatch(/no worker polls task queue q/);
  });

  test('a poller that asked before the task came and did not get it is not there any more', () => {
    expect(obstacleOf(task, [poller(50), poller(40)], now)).toMatch(/due for 12s; the last one, 7@host, asked 40s ago/);
  });

  test.each([
    ['a poller that asked since', task, [poller(1)]],
    ['a task that has just come', { ...task, scheduledAt: now - 1000 }, [poller(40)]],
    ['a task that a worker is at', { ...task, isUntaken: false }, []],
  ])('%s is no obstacle', (_what, pending, pollers) => {
    expect(obstacleOf(pending, pollers, now)).toBeUndefined();
  });

  test('a task that fails again and again is told', () => {
    expect(obstacleOf({ ...task, isUntaken: false, attempt: 5 }, [poller(1)], now)).toMatch(/has failed 4 times/);
  });
});

test.each([
  ['web-l', ['web-1', 'web-2', 'database'], ['web-1', 'web-2']],
  ['data', ['web-1', 'database'], ['database']],
  ['nothing-like-it', ['web-1'], []],
])('somebody who typed %s of %j meant %j', (name, known, near) => {
  expect(nearNames(name, known)).toEqual(near);
});
