import { describe, expect, it } from '@jest/globals';
import { readPod } from '../../k8s/model/pod.ts';
import { aPod, type PodFacts } from '../../test/world/builders/a-pod.ts';
import type { PodNotes } from '../../workflows/machine/drain-activities.ts';
import type { PodChoice } from './choose-pods.ts';
import { describeTrouble } from './describe-trouble.ts';
import type { Hold } from './read-eviction.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const MIN = 60_000;

const choice = (name: string, facts: PodFacts = {}): PodChoice => ({
  pod: readPod(aPod({ name, ...facts })),
  part: 'evict',
});
/** One whose time to end was over so long ago. */
const late = (name: string, ms: number, { metadata, ...facts }: PodFacts = {}) =>
  choice(name, { ...facts, metadata: { deletionTimestamp: new Date(NOW - ms).toISOString(), ...metadata } });
const held = (by: Hold, ...names: string[]): PodNotes =>
  Object.fromEntries(names.map((name) => [`uid-of-${name}`, { askedAt: 0, by, failures: 1, until: NOW }]));
const told = (left: readonly PodChoice[], notes: PodNotes = {}) =>
  describeTrouble(left, { notes, now: NOW, explain: async ({ name }) => `what holds ${name}` });

describe('a pod that was asked to end', () => {
  it('is no trouble until a minute after its time', async () => {
    expect(await told([late('web', MIN - 1)])).toBeUndefined();
    expect(await told([late('web', MIN)])).toMatchObject({ reason: 'PodsNotEnding' });
  });

  it('is told of with what runs still, and with its finalizers', async () => {
    const message = async (facts: PodFacts) => (await told([late('web', MIN, facts)]))?.message;
    expect(await message({})).toBe('pod default/web: its time to end is over, its containers run still');
    expect(await message({ phase: 'Succeeded', metadata: { finalizers: ['example.com/a', 'example.com/b'] } })).toBe(
      'pod default/web: its time to end is over, its containers have ended, and it has the finalizers example.com/a, example.com/b',
    );
  });
});

it('a pod whose Node is not heard is told of while it is not asked to go, unless an answer of late tells more', async () => {
  const left = [choice('web', { unheardFrom: new Date(NOW - MIN + 1).toISOString() })];
  const unheard = {
    reason: 'Draining',
    message:
      'pod default/web: Kubernetes hears nothing of its Node and calls it not Ready, though it may serve: it is asked to go when the Node is heard again, or has been silent for a minute',
  };
  expect(await told(left)).toEqual(unheard);
  expect(await told(left, held('budget', 'web'))).toEqual(unheard);
  const answered = { 'uid-of-web': { askedAt: 0, by: 'budget', failures: 1, until: NOW + 1 } as const };
  expect(await told(left, answered)).toMatchObject({ reason: 'PodsBlocked' });
});

it('the worst is told, of three pods in full, and how many more there are', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const left = [late('z', MIN), ...names.map((name) => choice(name))];
  expect(await told(left, held('budget', ...names))).toEqual({
    reason: 'PodsBlocked',
    message:
      'pod default/a: what holds a; pod default/b: what holds b; pod default/c: what holds c; and 2 more; pod default/z: its time to end is over, its containers run still',
  });
});

it('what else holds pods is told after that, by one pod each', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const notes = { ...held('budget', 'a', 'b', 'c'), ...held('refused', 'd'), ...held('server', 'e') };
  expect(
    await told(
      names.map((name) => choice(name)),
      notes,
    ),
  ).toEqual({
    reason: 'EvictionRefused',
    message: 'pod default/d: what holds d; pod default/a: what holds a; and 2 more; pod default/e: what holds e',
  });
});

it.each<[Hold, string]>([
  ['refused', 'EvictionRefused'],
  ['budgets', 'MisconfiguredBudget'],
  ['budget', 'PodsBlocked'],
  ['unjudged', 'PodsBlocked'],
  ['server', 'KubernetesUnavailable'],
  ['namespace', 'Draining'],
])('what holds a pod has its reason: %s', async (by, reason) => {
  expect(await told([choice('a')], held(by, 'a'))).toMatchObject({ reason });
});

it('what passes in a moment is no trouble', async () => {
  expect(await told([choice('a'), choice('b')], held('soon', 'a'))).toBeUndefined();
});
