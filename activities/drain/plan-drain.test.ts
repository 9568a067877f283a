import { describe, expect, it, test } from '@jest/globals';
import { readPod } from '../../k8s/model/pod.ts';
import { aPod, type PodFacts } from '../../test/world/builders/a-pod.ts';
import type { ForceTimes, PodNote } from '../../workflows/machine/drain-activities.ts';
import type { PodChoice } from './choose-pods.ts';
import { nextPassAt, planDrain, type DrainState } from './plan-drain.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const MIN = 60_000;
const CRITICAL = { priorityClassName: 'system-node-critical' };

/** A pod whose time to end is over at this moment, in milliseconds from now. */
function ending(inMs: number, more: PodFacts = {}, graceSeconds = 30): PodFacts {
  const deletionTimestamp = new Date(NOW + inMs).toISOString();
  return { ...more, metadata: { deletionTimestamp, deletionGracePeriodSeconds: graceSeconds } };
}

function choice(name: string, facts: PodFacts = {}, part: PodChoice['part'] = 'evict'): PodChoice {
  return { pod: readPod(aPod({ name, ...facts })), part };
}

const state = (choices: readonly PodChoice[], more: Partial<DrainState> = {}): DrainState => ({
  choices,
  notes: {},
  now: NOW,
  isUnreachable: false,
  ...more,
});

function planned(choices: readonly PodChoice[], more: Partial<DrainState> = {}) {
  const { evict, remove, left, abandoned } = planDrain(state(choices, more));
  const names = (pods: readonly { name: string }[]) => pods.map(({ name }) => name).join();
  const removed = remove.map(({ pod, graceSeconds }) => `${pod.name} in ${graceSeconds} s`).join();
  return { evict: names(evict), remove: removed, left: names(left), abandoned: names(abandoned) };
}

const noted = (name: string, note: Partial<PodNote>) => ({
  notes: { [`uid-of-${name}`]: { askedAt: NOW - MIN, by: 'budget', failures: 1, until: NOW, ...note } as PodNote },
});

describe('a pass', () => {
  it('evicts every ordinary pod, and critical ones when no ordinary one is left', () => {
    const [web, dns] = [choice('web'), choice('dns', CRITICAL)];
    expect(planned([web, dns])).toMatchObject({ evict: 'web', left: 'web,dns' });
    expect(planned([choice('web', ending(20_000)), dns])).toMatchObject({ evict: '', left: 'web,dns' });
    expect(planned([dns])).toMatchObject({ evict: 'dns', left: 'dns' });
  });

  it('does nothing about what is left alone, and waits for what ends by itself', () => {
    expect(planned([choice('daemon', {}, 'leave')])).toMatchObject({ evict: '', left: '' });
    const job = choice('job', {}, 'await');
    expect(planned([job, choice('dns', CRITICAL)])).toMatchObject({ evict: '', left: 'job,dns' });
  });

  it('does nothing about one that another would come for, and tells that it stays', () => {
    expect(planned([choice('tolerant', {}, 'return')])).toEqual({
      evict: '',
      remove: '',
      left: '',
      abandoned: 'tolerant',
    });
  });

  it('asks for each pod again when its own time has come', () => {
    expect(planned([choice('web')], noted('web', { until: NOW + 1 }))).toMatchObject({ evict: '', left: 'web' });
    expect(planned([choice('web')], noted('web', { until: NOW }))).toMatchObject({ evict: 'web' });
  });

  it('asks for a critical pod again that was asked for before, although an ordinary one has come since', () => {
    const pods = [choice('web'), choice('dns', CRITICAL)];
    expect(planned(pods, noted('dns', { until: NOW }))).toMatchObject({ evict: 'web,dns' });
  });

  it.each<[string, PodFacts, Partial<DrainState>, string]>([
    ['that is stuck, none of its containers running', ending(-MIN, { phase: 'Failed' }), {}, 'p'],
    ['that is stuck for less than a minute', ending(-MIN + 1, { phase: 'Failed' }), {}, ''],
    ['that is stuck and runs', ending(-10 * MIN), {}, ''],
    ['that was asked to end on a Node that nobody reaches', ending(20_000), { isUnreachable: true }, 'p'],
    ['that was not asked to end there', {}, { isUnreachable: true }, ''],
  ])('on a pod %s', (_what, facts, more, abandoned) => {
    expect(planned([choice('p', facts)], more)).toMatchObject({ abandoned, left: abandoned === '' ? 'p' : '' });
  });
});

describe('a pod whose Node is not heard', () => {
  const unheard = (forMs: number, more: PodFacts = {}) =>
    choice('web', { unheardFrom: new Date(NOW - forMs).toISOString(), ...more });

  it('is asked to go when that has lasted for a minute: it may serve all the same', () => {
    expect(planned([unheard(MIN - 1)])).toMatchObject({ evict: '', left: 'web' });
    expect(planned([unheard(MIN)])).toMatchObject({ evict: 'web' });
    // By a clock that is behind.
    expect(planned([unheard(-MIN)])).toMatchObject({ evict: 'web' });
  });

  it('is not asked again before, and where it has to wait longer not then', () => {
    expect(planned([unheard(MIN - 1)], noted('web', { until: NOW }))).toMatchObject({ evict: '' });
    expect(planned([unheard(MIN)], noted('web', { until: NOW + 1 }))).toMatchObject({ evict: '' });
  });

  it('is asked in time where Force takes it soon', () => {
    const force = { from: NOW - MIN, deadline: NOW + MIN };
    expect(planned([unheard(1000)], { force })).toMatchObject({ evict: 'web' });
  });

  it('is looked at then, and not each second meanwhile', () => {
    const next = (more: Partial<DrainState> = {}) =>
      nextPassAt([unheard(MIN - 20_000)], { ...state([], more), startedAt: NOW });
    expect(next()).toBe(NOW + 20_000);
    expect(next(noted('web', { until: NOW }))).toBe(NOW + 20_000);
  });

  it('is looked at like any other once that has lasted for a minute', () => {
    const held = { ...state([], noted('web', { until: NOW + 7000 })), startedAt: NOW };
    expect(nextPassAt([unheard(MIN)], held)).toBe(NOW + 7000);
  });
});

describe('with Force, a pod', () => {
  /** Of one hour, of which so many minutes have passed. */
  const after = (minutes: number): { force: ForceTimes } => {
    const start = NOW - minutes * MIN;
    return { force: { from: start + 30 * MIN, deadline: start + 60 * MIN } };
  };
  const grace = (minutes: number) => ({ graceSeconds: minutes * 60 });

  it.each<[string, PodFacts, number, string]>([
    ['is deleted when its grace period would end with the deadline', grace(10), 50, 'p in 600 s'],
    ['is not deleted a moment earlier', grace(10), 49.9, ''],
    ['with a long grace period is deleted from half of the time on', grace(120), 30, 'p in 1800 s'],
    ['gets a second where no time is left', grace(1), 60, 'p in 1 s'],
    ['that ends in time is let be', ending(5 * MIN, grace(10), 600), 50, ''],
    ['that ends a second after the deadline is let be', ending(10 * MIN + 1000, grace(20), 1200), 50, ''],
    ['that ends too late is asked to end with the deadline', ending(30 * MIN, grace(120), 7200), 50, 'p in 600 s'],
  ])('%s', (_what, facts, minutes, remove) => {
    expect(planned([choice('p', facts)], { ...after(minutes), ...noted('p', { until: NOW + MIN }) })).toMatchObject({
      remove,
    });
  });

  it('is never deleted before its eviction was asked for at least 30 s', () => {
    const late = noted('p', { askedAt: NOW - 29_999, until: NOW + MIN });
    expect(planned([choice('p')], { ...after(60), ...late })).toMatchObject({ remove: '', evict: '' });
    const due = noted('p', { askedAt: NOW - 30_000, until: NOW + MIN });
    expect(planned([choice('p')], { ...after(60), ...due })).toMatchObject({ remove: 'p in 1 s' });
    expect(planned([choice('p')], after(60))).toMatchObject({ remove: '', evict: 'p' });
    const [early, inTime] = [late, due].map((notes) => planned([choice('p', grace(10))], { ...after(59), ...notes }));
    expect([early?.remove, inTime?.remove]).toEqual(['', 'p in 60 s']);
  });

  it('is left where it was asked for less than 30 s by the deadline, however late the last pass comes, unless the drain goes on', () => {
    const late = noted('p', { askedAt: NOW - 30_500, until: NOW + MIN });
    const force = { from: NOW - MIN, deadline: NOW - 501 };
    expect(planned([choice('p')], { ...late, force })).toMatchObject({ remove: '', left: 'p' });
    expect(planned([choice('p')], { ...late, force, goesOn: true })).toMatchObject({ remove: 'p in 1 s' });
    expect(planned([choice('p')], { ...late, force: { ...force, deadline: NOW - 500 } })).toMatchObject({
      remove: 'p in 1 s',
    });
  });

  it('counts as asked from when it was asked to end, whoever did that', () => {
    const asked = (msAgo: number) => choice('p', ending(30 * MIN, {}, 30 * 60 + msAgo / 1000));
    expect(planned([asked(30_000)], after(60))).toMatchObject({ remove: 'p in 1 s' });
    expect(planned([asked(29_000)], after(60))).toMatchObject({ remove: '' });
  });

  it('is asked 32 s before it is deleted, whatever it waits for', () => {
    // A minute before the deadline.
    const facts = { graceSeconds: 28 };
    const choices = [
      choice('web', ending(-MIN)),
      choice('dns', { ...CRITICAL, ...facts }),
      choice('job', facts, 'await'),
    ];
    expect(planned(choices, after(58.99))).toMatchObject({ evict: '' });
    expect(planned(choices, after(59))).toMatchObject({ evict: 'dns,job' });
  });
});

test.each<[string, PodChoice, Partial<DrainState>, number]>([
  ['at a pod that was just asked to end', choice('p', ending(30_000)), {}, 1000],
  ['at one that takes its time', choice('p', ending(24_000)), {}, 6000],
  ['at one that takes very long', choice('p', ending(-10 * MIN)), {}, 10_000],
  ['at one that is held', choice('p'), noted('p', { until: NOW + 7000 }), 7000],
  ['half a minute later at most where one is held', choice('p'), noted('p', { until: NOW + MIN }), 30_000],
  ['at one whose time has come', choice('p'), noted('p', { until: NOW - 1 }), 1000],
  ['at one that ends by itself', choice('p', {}, 'await'), {}, 15_000],
  ['at one that waits for others', choice('p', CRITICAL), {}, 10_000],
  [
    'when one has to be asked before it is deleted',
    choice('p', {}, 'await'),
    { force: { from: NOW + 37_000, deadline: NOW + 60_000 } },
    5000,
  ],
  [
    'when one is to be deleted',
    choice('p'),
    { ...noted('p', { until: NOW + MIN }), force: { from: NOW + 4000, deadline: NOW + 5000 } },
    4000,
  ],
  [
    'when one was asked for long enough to be deleted',
    choice('p'),
    { ...noted('p', { askedAt: NOW - 20_000, until: NOW + MIN }), force: { from: NOW - 1, deadline: NOW + 20_000 } },
    10_000,
  ],
  [
    'when one that was asked to end by somebody else was asked for long enough',
    choice('p', ending(MIN, {}, 85)),
    { force: { from: NOW - 1, deadline: NOW + 20_000 } },
    5000,
  ],
  [
    'with the deadline',
    choice('p'),
    { ...noted('p', { until: NOW + MIN }), force: { from: NOW - 1, deadline: NOW + 5000 } },
    5000,
  ],
  [
    'half a minute later where one was to be deleted just now',
    choice('p'),
    { ...noted('p', { until: NOW + MIN }), force: { from: NOW, deadline: NOW + 30_000 } },
    30_000,
  ],
  [
    'seldom where the time is over, and that of the pod to end',
    choice('p', ending(0)),
    { force: { from: NOW - 2, deadline: NOW } },
    300_000,
  ],
  [
    'soon where the time is over, and the pod has some left to end',
    choice('p', ending(1000, {}, 1)),
    { force: { from: NOW - 2, deadline: NOW } },
    1000,
  ],
  [
    'soon where the pod should have ended, and the time is not over',
    choice('p', ending(-MIN)),
    { force: { from: NOW - 1, deadline: NOW + 60_000 } },
    10_000,
  ],
])('the next look is %s', (_what, left, more, inMs) => {
  expect(nextPassAt([left], { startedAt: NOW, ...state([left], more) }) - NOW).toBe(inMs);
});

test('the next look is soon where the time is over, and that of one of the pods to end is not', () => {
  const left = [choice('p', ending(0)), choice('q', ending(1000, {}, 1))];
  expect(nextPassAt(left, { startedAt: NOW, ...state(left, { force: { from: NOW - 2, deadline: NOW } }) }) - NOW).toBe(
    1000,
  );
});

test.each<[string, number, number]>([
  ['of ten minutes', 10 * MIN, MIN],
  ['of two weeks', 20_160 * MIN, 5 * MIN],
])('pods that end by themselves are looked at seldom in a drain %s, and what waits for them', (_what, ageMs, inMs) => {
  const left = [choice('p', {}, 'spare'), choice('q', CRITICAL)];
  const of = (more: object) => nextPassAt(left, { startedAt: NOW - ageMs, ...state(left), ...more }) - NOW;
  expect([of({}), of({ spares: {} }), of({ spares: { until: NOW + 20_000 } })]).toEqual([inMs, inMs, 20_000]);
});

test('where no pod is left the next look is in a second, to see that none is', () => {
  expect(nextPassAt([], { startedAt: NOW, ...state([]) }) - NOW).toBe(1000);
});
