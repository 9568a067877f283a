import { describe, expect, it } from '@jest/globals';
import { aPass, type PassFacts } from '../../../test/workflow/a-pass.ts';
import { aLaunch } from '../../../test/world/builders/a-launch.ts';
import { MADE_AT } from '../../../test/world/builders/metadata.ts';
import { DONE } from '../answer.ts';
import { preDrainHooks } from './pre-drain-hooks.ts';

const GUARD = { point: 'preDrain', name: 'EtcdQuorumOperator', owner: 'clusteroperator/etcd' } as const;
const NODE_REF = { name: 'n', uid: 'uid-of-n' };

function beingDeleted({ status, ...facts }: PassFacts = {}) {
  const known = {
    instance: { id: 'i-1', state: 'running' },
    launch: aLaunch({ namespace: 'ns', name: 'm', uid: 'uid-1' }),
  } as const;
  return aPass({ machine: { hooks: [GUARD], deletedAt: MADE_AT }, status: { ...known, ...status }, ...facts });
}

describe('a preDrain hook', () => {
  it('holds a Machine that had a Node, and says which hook and whose', () => {
    const pass = beingDeleted({ status: { nodeRef: NODE_REF } });
    const words = 'preDrain hook EtcdQuorumOperator of clusteroperator/etcd';
    expect(preDrainHooks(pass)).toMatchObject({
      wait: { reason: 'HookPresent', message: expect.stringContaining(words) },
    });
    expect(pass.status.conditions).toMatchObject([
      { type: 'Drainable', status: 'False', message: `waits for ${words}` },
    ]);
  });

  it('holds an instance that was taken over, or whose record was lost: its Node may be on no record', () => {
    const pass = aPass({ machine: { hooks: [GUARD], deletedAt: MADE_AT, providerID: 'aws:///zone/i-1' } });
    expect(preDrainHooks(pass)).toMatchObject({ outcome: 'wait', wait: { reason: 'HookPresent' } });
  });

  it.each<[string, PassFacts]>([
    ['that never had a Node', {}],
    ['whose instance was asked to end', { status: { nodeRef: NODE_REF }, memory: { isEndAskedFor: true } }],
    [
      'whose only hook holds the termination',
      { status: { nodeRef: NODE_REF }, machine: { hooks: [{ ...GUARD, point: 'preTerminate' }] } },
    ],
  ])('does not hold a Machine %s', (_what, facts) => {
    const pass = beingDeleted(facts);
    expect(preDrainHooks(pass)).toBe(DONE);
    expect(pass.status.conditions).toEqual([]);
  });
});
