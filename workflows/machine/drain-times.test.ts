import { describe, expect, it } from '@jest/globals';
import { aPass, type PassFacts } from '../../test/workflow/a-pass.ts';
import { writeCause, writeRolloutCause } from '../../k8s/model/cause.ts';
import { DEFAULT_DRAIN, type DrainPurpose } from '../../k8s/model/drain.ts';
import {
  followHurry,
  followLimit,
  lateMs,
  lostBy,
  tellOfTimeout,
  timeoutToTellAt,
  timesForPass,
  timesOf,
} from './drain-times.ts';
import type { DrainMemory } from './memory.ts';

const NOW = 1_000_000;
const STEP = { step: 'Drain', reason: 'PodsBlocked', message: '' } as const;

const pass = (facts: PassFacts = {}) => aPass({ now: () => NOW, ...facts });
const limited = (onTimeout: 'Wait' | 'Force' = 'Wait') =>
  pass({ machine: { drain: { ...DEFAULT_DRAIN, timeoutMs: 60_000, onTimeout } } });

describe('the time in which no pass of a drain could run', () => {
  const begun = (at: string) => pass({ status: { deletion: { drainStartTime: at } } });
  const waited = (until: number): DrainMemory => ({ wait: { ...STEP, until } });

  it('is by how much a pass comes later than it was due, where that is more than a moment', () => {
    expect(lateMs(pass(), waited(NOW - 60_000))).toBe(60_000);
    expect([lateMs(pass(), waited(NOW - 5000)), lateMs(pass(), waited(NOW + 1000))]).toEqual([0, 0]);
    expect(lateMs(pass(), waited(NOW - 5001))).toBe(5001);
  });

  it('is nothing where no pass was promised', () => {
    expect(lateMs(pass(), { wait: STEP, lostMs: 0 })).toBe(0);
    expect(lateMs(begun(new Date(NOW - 60_000).toISOString()), { lostMs: 0 })).toBe(0);
  });

  it('is all of it for who takes a drain over', () => {
    expect(lateMs(begun(new Date(NOW - 60_000).toISOString()), {})).toBe(60_000);
    expect([lateMs(begun('nonsense'), {}), lateMs(pass(), {})]).toEqual([0, 0]);
    const maintained = pass({ status: { maintenanceDrainStartTime: new Date(NOW - 60_000).toISOString() } });
    expect([lateMs(maintained, { purpose: 'maintenance' }), lateMs(maintained, {})]).toEqual([60_000, 0]);
  });
});

describe('what is left on a Node', () => {
  it('is dealt with between half of the time and all of it, from the beginning on, without what was lost', () => {
    expect(timesOf(limited(), { startedAt: 5000 }, 100)).toEqual({ from: 35_100, deadline: 65_100 });
    expect(timesOf(limited(), {}, 0)).toEqual({ from: NOW + 30_000, deadline: NOW + 60_000 });
  });

  it('may stay for ever without a limit', () => expect(timesOf(pass(), {}, 0)).toBeUndefined());

  it('is ended by force only where the options say so', () => {
    const slot = { startedAt: 0 };
    const force = { from: 30_000, deadline: 60_000 };
    expect(timesForPass(limited('Force'), 'deletion', slot, 0)).toEqual({ force });
    expect(timesForPass(limited('Wait'), 'deletion', slot, 0)).toEqual({});
    expect(timesForPass(pass(), 'deletion', slot, 0)).toEqual({});
  });

  it('has a minute from when a limit comes to be that is over by then, or shorter than it was', () => {
    const slot: DrainMemory = { startedAt: NOW - 3_600_000, lostMs: 0 };
    followLimit(pass(), slot, slot.lostMs ?? 0);
    followLimit(limited('Wait'), slot, slot.lostMs ?? 0);
    expect(timesForPass(limited('Force'), 'deletion', slot, 0).force?.deadline).toBe(NOW - 3_540_000);
    followLimit(limited('Force'), slot, slot.lostMs ?? 0);
    const force = { from: NOW, deadline: NOW + 60_000 };
    expect(timesForPass(limited('Force'), 'deletion', slot, 0)).toEqual({ force });
    // What no pass could run in does not count, and a look later changes nothing.
    followLimit(pass({ now: () => NOW + 5000, machine: limited('Force').seen.machine }), slot, slot.lostMs ?? 0);
    const later = { from: NOW + 7000, deadline: NOW + 67_000 };
    expect(timesForPass(limited('Force'), 'deletion', slot, 7000)).toEqual({ force: later });
  });

  it('has no more than that minute where the limit came while no pass could run', () => {
    const wait = { step: 'Drain', reason: 'Draining', message: '', until: NOW - 100_000 } as const;
    const slot: DrainMemory = { startedAt: NOW - 3_600_000, cordonedAt: NOW - 3_600_000, lostMs: 0, wait };
    followLimit(pass(), slot, 0);
    const lostMs = lostBy(limited('Force'), slot, 'deletion');
    followLimit(limited('Force'), slot, lostMs);
    expect(lostMs).toBe(100_000);
    const force = { from: NOW, deadline: NOW + 60_000 };
    expect(timesForPass(limited('Force'), 'deletion', slot, lostMs)).toEqual({ force });
  });

  it('has lost the time before it was cordoned, and what the passes since came late by', () => {
    expect(lostBy(pass(), {}, 'deletion')).toBe(0);
    expect(lostBy(pass(), { startedAt: NOW - 7000 }, 'deletion')).toBe(7000);
    expect(lostBy(pass(), { startedAt: NOW - 7000, cordonedAt: NOW - 1000, lostMs: 5 }, 'deletion')).toBe(5);
    // Another workflow had begun it: all of its time counts as lost.
    const takenOver = pass({ status: { deletion: { drainStartTime: new Date(NOW - 60_000).toISOString() } } });
    expect(lostBy(takenOver, { startedAt: NOW }, 'deletion')).toBe(60_000);
  });

  it('has the time that was known from the beginning, and all of one that is long enough', () => {
    const known: DrainMemory = {};
    followLimit(limited('Force'), known, known.lostMs ?? 0);
    known.startedAt = NOW - 59_000;
    followLimit(limited('Force'), known, known.lostMs ?? 0);
    expect(timesForPass(limited('Force'), 'deletion', known, 0).force?.deadline).toBe(NOW + 1000);
    const early: DrainMemory = { startedAt: NOW, lostMs: 0 };
    followLimit(pass(), early, early.lostMs ?? 0);
    followLimit(limited('Force'), early, early.lostMs ?? 0);
    expect(timesForPass(limited('Force'), 'deletion', early, 0).force).toEqual({
      from: NOW + 30_000,
      deadline: NOW + 60_000,
    });
  });

  it('has that minute without what no pass could run in since then, and not for what was lost before', () => {
    const slot: DrainMemory = { startedAt: NOW - 3_600_000, lostMs: 2000 };
    followLimit(pass(), slot, slot.lostMs ?? 0);
    followLimit(limited('Force'), slot, slot.lostMs ?? 0);
    const force = { from: NOW + 3000, deadline: NOW + 63_000 };
    expect(timesForPass(limited('Force'), 'deletion', slot, 5000)).toEqual({ force });
  });

  it('has no more than its limit where that was changed before the drain began', () => {
    const brief = pass({ machine: { drain: { ...DEFAULT_DRAIN, timeoutMs: 10_000, onTimeout: 'Force' } } });
    const slot: DrainMemory = {};
    followLimit(limited('Force'), slot, slot.lostMs ?? 0);
    followLimit(brief, slot, slot.lostMs ?? 0);
    slot.startedAt = NOW;
    expect(timesForPass(brief, 'deletion', slot, 0)).toEqual({ force: { from: NOW + 5000, deadline: NOW + 10_000 } });
  });

  it('is let be by a reboot, whatever the options of the machine say', () => {
    const slot = { startedAt: 0, hurry: { at: 7, lostMs: 0 } };
    expect(timesForPass(limited('Force'), 'reboot', slot, 0)).toEqual({});
  });

  it('is spared by a maintenance until the time is over, or for ever without a limit', () => {
    const slot = { startedAt: 0 };
    expect(timesForPass(limited('Wait'), 'maintenance', slot, 0)).toEqual({ spares: { until: 60_000 } });
    expect(timesForPass(pass(), 'maintenance', slot, 0)).toEqual({ spares: {} });
  });

  it('is spared likewise for a rollout, and for no other deletion nor reboot', () => {
    const slot = { startedAt: 0 };
    const deletedFor = (cause: string, drain = DEFAULT_DRAIN) =>
      pass({ machine: { deletedAt: new Date(NOW).toISOString(), cause, drain } });
    const rollout = writeRolloutCause('a template is new', NOW);
    expect(timesForPass(deletedFor(rollout), 'deletion', slot, 0)).toEqual({ spares: {} });
    const limited = deletedFor(rollout, { ...DEFAULT_DRAIN, timeoutMs: 60_000 });
    expect(timesForPass(limited, 'deletion', slot, 100)).toEqual({ spares: { until: 60_100 } });
    expect(timesForPass(deletedFor(writeCause('5 are asked for', NOW)), 'deletion', slot, 0)).toEqual({});
    expect(timesForPass(deletedFor(rollout), 'reboot', slot, 0)).toEqual({});
  });

  it('has so much longer as was lost since the drain was to be over soon', () => {
    const hurried = (until?: number): DrainMemory => {
      const hurry = { at: 7, lostMs: 100 };
      return { startedAt: 0, hurry: until === undefined ? hurry : { ...hurry, until } };
    };
    expect(timesForPass(pass(), 'deletion', hurried(), 400)).toEqual({ hurry: { at: 7 } });
    expect(timesForPass(pass(), 'deletion', hurried(50_000), 400)).toEqual({ hurry: { at: 7, until: 50_300 } });
  });
});

describe('that a drain is to be over soon', () => {
  const hurries = pass({ machine: { hurriesDrain: true } });

  it('is noted once, with the time that was lost before', () => {
    const slot: DrainMemory = { lostMs: 100 };
    expect([followHurry(hurries, 'deletion', slot, 100), followHurry(hurries, 'deletion', slot, 100)]).toEqual([
      true,
      false,
    ]);
    expect(slot.hurry).toEqual({ at: NOW, lostMs: 100 });
    const fresh: DrainMemory = {};
    followHurry(hurries, 'deletion', fresh, 0);
    expect(fresh.hurry).toEqual({ at: NOW, lostMs: 0 });
  });

  it('is forgotten when it is taken back, and is nothing to a maintenance', () => {
    for (const [on, purpose] of [
      [pass(), 'deletion'],
      [hurries, 'maintenance'],
    ] as const) {
      const slot: DrainMemory = { hurry: { at: 1, lostMs: 0 } };
      expect(followHurry(on, purpose, slot, 0)).toBe(false);
      expect(slot).toEqual({});
    }
  });
});

describe('the event of a drain that goes on after its time', () => {
  const told = (on: ReturnType<typeof pass>, slot: DrainMemory) => {
    tellOfTimeout(on, slot);
    return on.events.map(({ reason }) => reason);
  };

  it('is told once', () => {
    const slot: DrainMemory = { startedAt: NOW - 60_000 };
    expect(told(limited(), slot)).toEqual(['DrainTimedOut']);
    expect(told(limited(), slot)).toEqual([]);
  });

  it('says that pods are waited for no more that ask not to be disrupted, where they were', () => {
    const message = 'the time for the drain is over, and it goes on, as onTimeout is Wait';
    const of = (purpose: DrainPurpose) => {
      const on = limited();
      tellOfTimeout(on, { purpose, startedAt: NOW - 60_000 });
      return on.events.map((event) => event.message);
    };
    expect(of('deletion')).toEqual([message]);
    expect(of('maintenance')).toEqual([`${message}, but for pods that ask not to be disrupted`]);
  });

  it.each<[string, ReturnType<typeof pass>, DrainMemory]>([
    ['before its time is over', limited(), { startedAt: NOW - 59_999 }],
    ['while what was lost is made up for', limited(), { startedAt: NOW - 60_000, lostMs: 1 }],
    ['where force ends it', limited('Force'), { startedAt: NOW - 60_000 }],
    ['without a limit', pass(), { startedAt: 0 }],
  ])('is not told %s, and may be later', (_when, on, slot) => {
    slot.isTimeoutTold = true;
    expect(told(on, slot)).toEqual([]);
    expect(slot.isTimeoutTold).toBe(false);
  });

  it('is not told of a reboot, which its check gives up', () => {
    const slot: DrainMemory = { purpose: 'reboot', startedAt: NOW - 60_000 };
    expect(told(limited(), slot)).toEqual([]);
    expect(slot).not.toHaveProperty('isTimeoutTold');
  });
});

it.each<[string, ReturnType<typeof pass>, DrainMemory, number | undefined]>([
  ['when its time is over', limited(), { startedAt: NOW - 59_999 }, NOW + 1],
  ['later by what was lost', limited(), { startedAt: NOW - 60_000, lostMs: 1 }, NOW + 1],
  ['at no time where it is over by now, which is told', limited(), { startedAt: NOW - 60_000 }, undefined],
  ['at no time where force ends it', limited('Force'), { startedAt: NOW }, undefined],
  ['at no time without a limit', pass(), { startedAt: NOW }, undefined],
  ['at no time for a reboot', limited(), { purpose: 'reboot', startedAt: NOW }, undefined],
])('a drain is to be looked at to tell that its time is over: %s', (_when, on, slot, at) => {
  expect(timeoutToTellAt(on, slot)).toBe(at);
});
