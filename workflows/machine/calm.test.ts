import { describe, expect, it } from '@jest/globals';
import { aPass, NOW_MS, type PassFacts } from '../../test/workflow/a-pass.ts';
import { DONE, waitFor, type Answer } from './answer.ts';
import { endCalm, quietFrom, withCalmNoted } from './calm.ts';
import { newEmptying } from './memory.ts';

const HELD = waitFor({ step: 'LifecycleHooks', reason: 'HookPresent', message: 'hooks' });
const INSTANCE = { instance: { id: 'i-1', state: 'running' } } as const;
const NODE = {
  name: 'n',
  uid: 'u',
  ready: 'True',
  readySince: '2026-01-01T00:00:00Z',
  readyMessage: '',
  inSync: true,
} as const;

describe('that nothing is asked of the Node', () => {
  const asked = { ...newEmptying(), pods: { startedAt: 5 } };
  it.each<[string, PassFacts, Answer, number | undefined]>([
    ['is noted where a preparation waits', { node: NODE }, HELD, NOW_MS],
    ['is so where there is no Node', {}, HELD, NOW_MS],
    ['has been so since the first of those waits', { memory: { calmSince: 5 } }, HELD, 5],
    ['is not noted where it goes on', {}, DONE, undefined],
    ['is not noted where nothing can be aborted', { machine: { deletedAt: 'then' } }, HELD, undefined],
    ['is not so where a drain was begun', { memory: { emptying: asked } }, HELD, undefined],
    ['is not so where the Node says that it was cordoned', { node: { ...NODE, isHeld: true } }, HELD, undefined],
  ])('%s', async (_what, facts, answer, since) => {
    const pass = aPass(facts);
    expect(await withCalmNoted(() => answer)(pass)).toBe(answer);
    expect(pass.memory.calmSince).toBe(since);
  });

  it.each<[string, PassFacts, boolean]>([
    ['is over when something is, which is put on record first', { memory: { calmSince: 5 } }, true],
    [
      'is over likewise where nothing can be aborted',
      { memory: { calmSince: 5 }, machine: { deletedAt: 'then' } },
      false,
    ],
    ['was not so', {}, false],
  ])('%s', (_what, facts, isForRecord) => {
    const pass = aPass(facts);
    expect(endCalm(pass)).toBe(isForRecord);
    expect(pass.memory).not.toHaveProperty('calmSince');
  });
});

it.each<[string, PassFacts, number]>([
  ['25 s from now on', { status: INSTANCE }, NOW_MS + 25_000],
  ['25 s after nothing was asked of the Node any more', { status: INSTANCE, memory: { calmSince: 5 } }, 25_005],
  ['now where that is over', { status: INSTANCE, memory: { calmSince: NOW_MS - 25_001 } }, NOW_MS],
  ['now where there is no instance', {}, NOW_MS],
])('nothing takes effect any more that was sent before an abort: %s', (_when, facts, at) => {
  expect(quietFrom(aPass(facts))).toBe(at);
});
