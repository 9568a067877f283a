import { describe, expect, it } from '@jest/globals';
import { aPass } from '../../test/workflow/a-pass.ts';
import type { MachineMemory } from './memory.ts';
import { isDisowned, isProvedOwn, nodeTarget } from './proved-instance.ts';

const instance = { id: 'i-1' } as NonNullable<MachineMemory['instance']>;

describe('the instance i-1', () => {
  it.each<[string, Partial<MachineMemory>, boolean, boolean]>([
    ['nobody looked', {}, false, false],
    ['its launch answered with it', { launchedOnce: 'i-1' }, true, false],
    ['it was recorded', { instance }, true, false],
    ['a look told that it is its own', { judged: { id: 'i-1', isOwn: true } }, true, false],
    ['a look told that it is another’s', { judged: { id: 'i-1', isOwn: false } }, false, true],
    ['a look cannot show yet that it was claimed', { instance, judged: { id: 'i-1', isOwn: false } }, true, false],
    ['another one was looked at', { launchedOnce: 'i-2', judged: { id: 'i-2', isOwn: true } }, false, false],
    ['another one is another’s', { judged: { id: 'i-2', isOwn: false } }, false, false],
  ])('where %s', (_what, memory, isOwn, isAnothers) => {
    expect([isProvedOwn(memory, 'i-1'), isDisowned(memory, 'i-1')]).toEqual([isOwn, isAnothers]);
    const { ownInstance } = nodeTarget(aPass({ memory, status: { instance: { id: 'i-1', state: 'running' } } }));
    expect(ownInstance).toBe(isOwn ? 'i-1' : undefined);
  });

  it('is none of a Machine that has none on record', () => {
    expect(nodeTarget(aPass({ memory: { launchedOnce: 'i-1' } }))).not.toHaveProperty('ownInstance');
  });
});
