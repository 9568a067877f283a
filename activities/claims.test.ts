import { describe, expect, it } from '@jest/globals';
import type { Machine } from '../k8s/model/machine.ts';
import type { Instance } from '../providers/provider.ts';
import { claimantOf } from './claims.ts';

const instance: Instance = {
  id: 'i-1',
  providerID: 'aws:///z/i-1',
  state: 'running',
  region: 'r',
  zone: 'z',
  instanceType: 't',
  addresses: [],
};

function machine(name: string, more: Partial<Machine> = {}, recorded = false): Machine {
  return {
    ref: { apiVersion: 'v1', kind: 'Machine', namespace: 'ns', name, uid: `uid-${name}` },
    generation: 1,
    createdAt: '2026-01-02T00:00:00Z',
    hasFinalizer: true,
    paused: false,
    cluster: 'c',
    specHash: 'h',
    providerID: 'aws:///z/i-1',
    status: { addresses: [], conditions: [], ...(recorded ? { instance: { id: 'i-1', state: 'running' } } : {}) },
    ...more,
  };
}

describe('whose an instance is that several Machines name', () => {
  const claims = (one: Machine, ...others: Machine[]) => claimantOf(one, instance, [one, ...others])?.ref.name;

  it('is the one’s that it is tagged with, whatever the others say', () => {
    const tagged = { ...instance, machineUid: 'uid-a' };
    const [a, b] = [machine('a', { createdAt: '2026-01-03T00:00:00Z' }), machine('b', {}, true)];
    expect(claimantOf(b, tagged, [a, b])?.ref.name).toBe('a');
  });

  it('is the one’s that has it on record, not that of an older one which only names it', () => {
    const recorded = machine('recorded', {}, true);
    const older = machine('older', { createdAt: '2025-01-01T00:00:00Z' });
    expect(claims(recorded, older)).toBeUndefined();
    expect(claims(older, recorded)).toBe('recorded');
  });

  it.each([false, true])('is the oldest one’s where all are alike (on record: %s)', (recorded) => {
    const older = machine('older', { createdAt: '2025-01-01T00:00:00Z' }, recorded);
    const younger = machine('younger', {}, recorded);
    expect(claims(older, younger)).toBeUndefined();
    expect(claims(younger, older)).toBe('older');
  });

  it('is exactly one of two that were made at the same moment', () => {
    const [a, b] = [machine('a'), machine('b')];
    expect([claims(a, b), claims(b, a)]).toEqual([undefined, 'a']);
  });

  it('is its own where nobody else names it', () => {
    expect(claims(machine('a'), machine('b', { providerID: 'aws:///z/i-2' }))).toBeUndefined();
  });
});
