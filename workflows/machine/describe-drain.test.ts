import { expect, it } from '@jest/globals';
import { describeDrain, namePods } from './describe-drain.ts';
import type { DrainReport } from './drain-activities.ts';

function report(facts: Partial<DrainReport> = {}): DrainReport {
  return {
    node: 'n',
    cordonedAt: 0,
    counts: { leaving: 0, waiting: 0, held: 0 },
    notes: {},
    until: 0,
    ...facts,
  };
}

it.each<[string, Partial<DrainReport>, string, string]>([
  ['of which nothing is left', {}, 'Draining', 'Node n: its last pods are gone, which is looked at once more'],
  [
    'whose pods leave',
    { counts: { leaving: 2, waiting: 1, held: 0 } },
    'Draining',
    'Node n: pods are left, 2 on their way out, 1 that wait for others or for their own end',
  ],
  [
    'whose pods leave, and are named',
    { counts: { leaving: 2, waiting: 0, held: 0 }, leaving: { count: 2, names: ['default/a', 'default/b'] } },
    'Draining',
    'Node n: pods are left, 2 on their way out (default/a, default/b)',
  ],
  [
    'that waits for pods which end by themselves',
    {
      counts: { leaving: 0, waiting: 5, held: 0 },
      awaited: { count: 4, names: ['default/a', 'default/b', 'default/c'] },
    },
    'Draining',
    'Node n: pods are left, 5 that wait for others or for their own end; waits for the end of pods default/a, default/b, default/c and 1 more',
  ],
  [
    'that waits for one and is held up by another',
    {
      counts: { leaving: 0, waiting: 1, held: 1 },
      trouble: { reason: 'PodsBlocked', message: 'pod default/web: its budget' },
      awaited: { count: 1, names: ['default/job'] },
    },
    'PodsBlocked',
    'Node n: pods are left, 1 not allowed to leave yet, 1 that wait for others or for their own end; pod default/web: its budget; waits for the end of pod default/job',
  ],
  [
    'whose pods are asked again in a moment',
    {
      counts: { leaving: 0, waiting: 0, held: 2 },
      trouble: { reason: 'PodsBlocked', message: 'pod default/web: its budget' },
      askedSoon: { count: 1, names: ['default/a'] },
    },
    'PodsBlocked',
    'Node n: pods are left, 2 not allowed to leave yet; pod default/web: its budget; the eviction of pod default/a is asked for again in a moment',
  ],
  [
    'that is held up',
    {
      counts: { leaving: 0, waiting: 0, held: 1 },
      trouble: { reason: 'PodsBlocked', message: 'pod default/web: its budget' },
    },
    'PodsBlocked',
    'Node n: pods are left, 1 not allowed to leave yet; pod default/web: its budget',
  ],
])('a drain %s is told in words', (_what, facts, reason, message) => {
  expect(describeDrain(report(facts))).toEqual({ reason, message });
});

it.each([
  [true, ': the cloud does not say that its instance is stopped'],
  [false, ', whatever the cloud says of its instance: only a deletion that cannot be taken back goes by that'],
])('a drain of a Node that is not heard of says since when, and that its drain goes on', (isForGood, why) => {
  const counts = { leaving: 0, waiting: 0, held: 1 };
  const { message } = describeDrain(report({ counts }), { since: '2026-01-01T00:00:00Z', isForGood });
  expect(message).toBe(
    `Node n: pods are left, 1 not allowed to leave yet; Ready of its Node is Unknown since 2026-01-01T00:00:00Z, as its kubelet is not heard of, and the drain goes on${why}`,
  );
});

it('where no pods are left, none is said to be asked to leave', () => {
  const none = report({ counts: { leaving: 0, waiting: 0, held: 0 } });
  expect(describeDrain(none, { since: '2026-01-01T00:00:00Z', isForGood: true })).toEqual(describeDrain(none));
});

it('pods are named, also where there are none', () => {
  expect(namePods({ count: 0, names: [] })).toBe('no pods');
  expect(namePods({ count: 1, names: ['default/a'] })).toBe('pod default/a');
  expect(namePods({ count: 2, names: ['default/a', 'default/b'] })).toBe('pods default/a, default/b');
});
