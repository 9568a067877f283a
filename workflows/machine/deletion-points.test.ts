import { describe, expect, it } from '@jest/globals';
import { aPass, NOW_MS } from '../../test/workflow/a-pass.ts';
import { isPastDrain, isDrainSkipped, reach, reachedAt } from './deletion-points.ts';

const at = (ms: number) => new Date(ms).toISOString();

describe('a point of a deletion', () => {
  it('is noted once, beside the ones before it', () => {
    const pass = aPass({ status: { deletion: { preDrainHookStartTime: at(1) } } });
    expect([reach(pass, 'drainStartTime'), reach(pass, 'drainStartTime', 5)]).toEqual([true, false]);
    expect(pass.status.deletion).toEqual({ preDrainHookStartTime: at(1), drainStartTime: at(NOW_MS) });
  });

  it('is noted with the time that the workflow remembers, where the status lost it', () => {
    const pass = aPass();
    reach(pass, 'drainStartTime', 5);
    expect(reachedAt(pass, 'drainStartTime')).toBe(5);
  });

  it('counts from now where it was not reached, or where the status has nonsense there', () => {
    const nonsense = aPass({ status: { deletion: { drainStartTime: 'soon' } } });
    expect([reachedAt(aPass(), 'drainStartTime'), reachedAt(nonsense, 'drainStartTime')]).toEqual([NOW_MS, NOW_MS]);
  });

  it('counts from now where somebody wrote a time that lies ahead, so that nothing is waited for until then', () => {
    const ahead = aPass({ status: { deletion: { volumeDetachStartTime: at(NOW_MS + 1e9) } } });
    expect(reachedAt(ahead, 'volumeDetachStartTime')).toBe(NOW_MS);
  });
});

it('a drain is over when the end of the instance was asked for, or its hooks are waited for', () => {
  const drained = aPass({ status: { deletion: { drainStartTime: at(1), preTerminateHookStartTime: at(2) } } });
  const draining = aPass({ status: { deletion: { drainStartTime: at(1) } } });
  expect([drained, aPass({ memory: { isEndAskedFor: true } })].map(isPastDrain)).toEqual([true, true]);
  expect([draining, aPass()].map(isPastDrain)).toEqual([false, false]);
});

it.each([
  [{}, false],
  [{ deletionPolicy: 'graceful' }, false],
  [{ deletionPolicy: 'forced' }, true],
  [{ excludesDrain: true }, true],
] as const)('volumes of a Machine with %j are waited for, or not', (machine, isSkipped) => {
  expect(isDrainSkipped(aPass({ machine }))).toBe(isSkipped);
});
