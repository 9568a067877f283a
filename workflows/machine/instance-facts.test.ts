import { describe, expect, it } from '@jest/globals';
import type { Condition } from '../../k8s/model/condition.ts';
import type { Instance } from '../../providers/provider.ts';
import { preparedLaunch } from '../../test/workflow/prepared-launch.ts';
import type { MachineStatus } from '../../k8s/model/machine.ts';
import {
  hasEnded,
  isGone,
  isLaunchedHere,
  knownOwn,
  pickInstance,
  toldAddresses,
  wasProvedGone,
} from './instance-facts.ts';
import { given } from '../../providers/given.ts';

function instance(id: string, changes: Partial<Instance> = {}): Instance {
  const place = { region: 'r', zone: 'z', instanceType: 'small', addresses: [] };
  return { id, providerID: `simulated:///z/${id}`, state: 'running', ...place, ...changes };
}

it('an instance is gone as soon as it cannot come back', () => {
  expect((['pending', 'running', 'stopped', 'shutting-down', 'terminated'] as const).filter(isGone)).toEqual([
    'shutting-down',
    'terminated',
  ]);
});

it.each<[string, Condition['type'], Condition['status'], string, boolean]>([
  ['proves that the instance is gone', 'InstanceExists', 'False', 'InstanceMissing', true],
  ['of one that was taken back proves it as well', 'InstanceExists', 'False', 'InstanceTakenBack', true],
  ['in doubt proves nothing', 'InstanceExists', 'Unknown', 'InstanceMissing', false],
  ['of one that was never created proves nothing', 'InstanceExists', 'False', 'InstanceNotCreated', false],
  ['that tells of the Node proves nothing', 'NodeReady', 'False', 'InstanceMissing', false],
])('a condition %s', (_what, type, status, reason, isProved) => {
  const said = { message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
  const other: Condition = { type: 'Paused', status: 'True', reason: 'Annotation', ...said };
  expect(wasProvedGone({ conditions: [other, { type, status, reason, ...said }] })).toBe(isProved);
});

const [here, other] = ['i-1', 'i-2'].map((id) => ({ instance: { id, state: 'running' as const } }));
const LAUNCH = { launch: preparedLaunch() };

it.each<[string, Partial<MachineStatus>, boolean]>([
  ['a launch and this instance', { ...LAUNCH, ...here }, true],
  ['a launch and another instance', { ...LAUNCH, ...other }, false],
  ['a launch that came to none yet', LAUNCH, false],
  ['this instance, which anybody may have written', { ...here }, false],
  ['nothing', {}, false],
])('a launch of ours is on record: %s', (_what, recorded, isLaunched) => {
  expect(isLaunchedHere({ status: { addresses: [], conditions: [], ...recorded } }, 'i-1')).toBe(isLaunched);
});

describe('an instance is known to be its own', () => {
  it('where this workflow saw the launch answer with it', () => {
    expect(knownOwn({ memory: { launchedOnce: 'i-1' } }, 'i-1')).toEqual({ isKnownOwn: true });
  });

  it('and no other one is, whatever the status says of it: it may be of another Machine', () => {
    expect(knownOwn({ memory: { launchedOnce: 'i-1' } }, 'i-2')).toEqual({});
    expect(knownOwn({ memory: {} }, 'i-1')).toEqual({});
  });
});

describe('the addresses that the cloud told', () => {
  const told = [{ type: 'InternalIP', address: '10.0.0.1' }] as const;
  const memory = { addresses: { of: 'i-1', told } };

  it('are those of this instance, and none of another', () => {
    expect(toldAddresses({ memory }, 'i-1')).toBe(told);
    expect(toldAddresses({ memory }, 'i-2')).toBeUndefined();
    expect(toldAddresses({ memory }, undefined)).toBeUndefined();
  });

  it('are unknown where it told none', () => {
    expect(toldAddresses({ memory: {} }, 'i-1')).toBeUndefined();
    expect(toldAddresses({ memory: {} }, undefined)).toBeUndefined();
  });
});

describe('an instance has ended', () => {
  const status = (state: 'terminated' | 'shutting-down' | undefined, conditions: readonly Condition[] = []) => ({
    conditions,
    ...given({ instance: state && { id: 'i-1', state } }),
  });

  it('where the cloud says so, or it was proved that the cloud does not know it any more', () => {
    expect(hasEnded(status('terminated'))).toBe(true);
    const said = { message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
    const missing: Condition = { type: 'InstanceExists', status: 'False', reason: 'InstanceMissing', ...said };
    expect(hasEnded(status('shutting-down', [missing]))).toBe(true);
  });

  it('not while it only ends, and not where nothing is known of it', () => {
    expect(hasEnded(status('shutting-down'))).toBe(false);
    expect(hasEnded(status(undefined))).toBe(false);
  });
});

describe('the instance that a look-up means', () => {
  it('is the one that lives, whatever attempt it is of', () => {
    const dead = instance('i-1', { token: 'token-2', state: 'terminated' });
    expect(pickInstance([dead, instance('i-2', { token: 'token-1' })], 'token-2')?.id).toBe('i-2');
  });

  it('is the oldest of several that live, in whatever order they come', () => {
    const older = instance('i-9', { launchedAt: '2026-01-01T00:00:00Z' });
    const newer = instance('i-1', { launchedAt: '2026-01-02T00:00:00Z' });
    expect([pickInstance([newer, older])?.id, pickInstance([older, newer])?.id]).toEqual(['i-9', 'i-9']);
  });

  it('is, where none lives, the one of this token, and none of another', () => {
    const dead = instance('i-1', { token: 'token-1', state: 'terminated' });
    expect(pickInstance([dead], 'token-1')?.id).toBe('i-1');
    expect(pickInstance([dead], 'token-2')).toBeUndefined();
    expect(pickInstance([instance('i-2', { state: 'terminated' })])).toBeUndefined();
  });
});
