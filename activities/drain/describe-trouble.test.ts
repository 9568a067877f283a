import { describe, expect, it } from '@jest/globals';
import { readPod, type Pod } from '../../k8s/model/pod.ts';
import { aPod, type PodFacts } from '../../test/world/builders/a-pod.ts';
import type { PodNotes } from '../../workflows/machine/drain-activities.ts';
import type { PodChoice } from './choose-pods.ts';
import { describeTrouble } from './describe-trouble.ts';
import type { ExplainHold } from './explain-hold.ts';
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
/** What holds a pod is the same for all whose names begin alike. */
const EXPLAIN: ExplainHold = {
  words: async ({ name }) => `what holds ${name.split('-')[0]}`,
  more: async () => '',
};
const told = (left: readonly PodChoice[], notes: PodNotes = {}, explain: Partial<ExplainHold> = {}) =>
  describeTrouble(left, { notes, now: NOW, explain: { ...EXPLAIN, ...explain } });
/** Pods with these names, held by their budgets. */
const blocked = async (names: readonly string[], explain: Partial<ExplainHold> = {}) => {
  const trouble = await told(
    names.map((name) => choice(name)),
    held('budget', ...names),
    explain,
  );
  return trouble?.message;
};
const many = (count: number, stem: string) => Array.from({ length: count }, (_one, n) => `${stem}-${n}`);

describe('a pod that was asked to end', () => {
  it('is no trouble until a minute after its time', async () => {
    expect(await told([late('web', MIN - 1)])).toBeUndefined();
    expect(await told([late('web', MIN)])).toMatchObject({ reason: 'PodsNotEnding' });
  });

  it('is told of with what runs still, and with its finalizers', async () => {
    const message = async (facts: PodFacts) => (await told([late('web', MIN, facts)]))?.message;
    expect(await message({})).toBe('pod default/web: the time to end is over, its containers run still');
    expect(await message({ phase: 'Succeeded', metadata: { finalizers: ['example.com/a', 'example.com/b'] } })).toBe(
      'pod default/web: the time to end is over, its containers have ended, and it has the finalizers example.com/a, example.com/b',
    );
  });
});

it('a pod whose Node is not heard is told of while it is not asked to go, unless an answer of late tells more', async () => {
  const left = [choice('web', { unheardFrom: new Date(NOW - MIN + 1).toISOString() })];
  const unheard = {
    reason: 'Draining',
    message:
      'pod default/web: Kubernetes hears nothing of its Node and calls it not Ready, though it may serve: asked to go when Kubernetes hears of the Node again, or has not for a minute',
  };
  expect(await told(left)).toEqual(unheard);
  expect(await told(left, held('budget', 'web'))).toEqual(unheard);
  const answered = { 'uid-of-web': { askedAt: 0, by: 'budget', failures: 1, until: NOW + 1 } as const };
  expect(await told(left, answered)).toMatchObject({ reason: 'PodsBlocked' });
});

describe('what holds pods is told', () => {
  it('the worst first, and of each pod, together with those that the same holds', async () => {
    const names = ['a-1', 'b-1', 'a-2', 'c', 'b-2'];
    const left = [late('z', MIN), late('y', MIN), ...names.map((name) => choice(name))];
    expect(await told(left, held('budget', ...names))).toEqual({
      reason: 'PodsBlocked',
      message:
        'pods default/a-1, default/a-2: what holds a; pods default/b-1, default/b-2: what holds b; pod default/c: what holds c; pods default/z, default/y: the time to end is over, its containers run still',
    });
  });

  it('of ten pods by name that the same holds, and how many more there are', async () => {
    const names = many(10, 'a').map((name) => `default/${name}`);
    expect(await blocked(many(10, 'a'))).toBe(`pods ${names.join(', ')}: what holds a`);
    expect(await blocked(many(12, 'a'))).toBe(`pods ${names.join(', ')} and 2 more: what holds a`);
  });

  it('of eight things, and how many more pods there are', async () => {
    const names = many(11, 'x').map((name) => name.replace('-', ''));
    const first = names.slice(0, 8).map((name) => `pod default/${name}: what holds ${name}`);
    expect(await blocked(names)).toBe(`${first.join('; ')}; and 3 more pods`);
    expect(await blocked(names.slice(0, 9))).toBe(`${first.join('; ')}; and 1 more pod`);
  });

  it('in a few thousand characters at most, however many pods there are, however long their names', async () => {
    const names = Array.from({ length: 110 }, (_one, n) => `${String(n % 9).repeat(60)}-${'x'.repeat(150)}-${n}`);
    const words = async ({ name }: Pod) => `${name.split('-')[0]} ${'w'.repeat(240)}`;
    expect(((await blocked(names, { words })) ?? '').length).toBeLessThan(8000);
  });

  it('of one workload with what may become of it, for three workloads', async () => {
    const controlled = (name: string, uid: string) =>
      choice(name, {
        metadata: {
          ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: uid, uid, controller: true }],
        },
      });
    const left = ['r1', 'r2', 'r3', 'r4'].flatMap((uid) => [
      controlled(`a-1${uid}`, uid),
      controlled(`a-2${uid}`, uid),
    ]);
    const asked: string[] = [];
    const more = async ({ name, controller }: Pod) => `; ${(asked.push(name), controller?.uid)}`;
    const { message } = (await told(left, held('budget', ...left.map(({ pod }) => pod.name)), { more })) ?? {};
    expect(message).toBe(
      'pods default/a-1r1, default/a-2r1: what holds a; r1; pods default/a-1r2, default/a-2r2: what holds a; r2; pods default/a-1r3, default/a-2r3: what holds a; r3; pods default/a-1r4, default/a-2r4: what holds a',
    );
    expect(asked).toEqual(['a-1r1', 'a-1r2', 'a-1r3']);
  });
});

it('what else holds pods is told after that', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const notes = { ...held('budget', 'a', 'b', 'c'), ...held('refused', 'd'), ...held('server', 'e') };
  expect(
    await told(
      names.map((name) => choice(name)),
      notes,
    ),
  ).toEqual({
    reason: 'EvictionRefused',
    message:
      'pod default/d: what holds d; pod default/a: what holds a; pod default/b: what holds b; pod default/c: what holds c; pod default/e: what holds e',
  });
});

it('of each cause something is told, however much there is of a worse one', async () => {
  const refused = many(9, 'r').map((name) => name.replace('-', ''));
  const budgets = many(4, 'b').map((name) => name.replace('-', ''));
  const left = [...refused, ...budgets].map((name) => choice(name));
  const { message = '' } = (await told(left, { ...held('refused', ...refused), ...held('budget', ...budgets) })) ?? {};
  const last = 'pod default/r7: what holds r7; pod default/b0: what holds b0; pod default/b1: what holds b1; ';
  expect(message.endsWith(`${last}pod default/b2: what holds b2; and 2 more pods`)).toBe(true);
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
