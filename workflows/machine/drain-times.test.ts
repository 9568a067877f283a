import { describe, expect, it } from '@jest/globals';
import { aPass, type PassFacts } from '../../test/workflow/a-pass.ts';
import { DEFAULT_DRAIN } from '../../k8s/model/drain.ts';
import { followHurry, lateMs, tellOfTimeout, timesForPass, timesOf } from './drain-times.ts';
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

  it('is spared by a maintenance until the time is over, which without a limit never comes', () => {
    const slot = { startedAt: 0 };
    expect(timesForPass(limited('Wait'), 'maintenance', slot, 0)).toEqual({ sparedUntil: 60_000 });
    expect(timesForPass(pass(), 'maintenance', slot, 0)).toEqual({ sparedUntil: 8.64e15 });
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
    expect([followHurry(hurries, 'deletion', slot), followHurry(hurries, 'deletion', slot)]).toEqual([true, false]);
    expect(slot.hurry).toEqual({ at: NOW, lostMs: 100 });
    const fresh: DrainMemory = {};
    followHurry(hurries, 'deletion', fresh);
    expect(fresh.hurry).toEqual({ at: NOW, lostMs: 0 });
  });

  it('is forgotten when it is taken back, and is nothing to a maintenance', () => {
    for (const [on, purpose] of [
      [pass(), 'deletion'],
      [hurries, 'maintenance'],
    ] as const) {
      const slot: DrainMemory = { hurry: { at: 1, lostMs: 0 } };
      expect(followHurry(on, purpose, slot)).toBe(false);
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
});
