import { describe, expect, it } from '@jest/globals';
import { aMachine } from '../../world/builders/a-machine.ts';
import type { CloudInMemory, Registration } from '../cluster/cloud.ts';
import { leftBehind, notBehind } from './load-balancers.ts';

const MACHINE = aMachine({ name: 'm-1', metadata: { uid: 'uid-1' }, status: { phase: 'Running' } });
const BEHIND = ['old', 'group of ids', 'group of addresses'].map((behind) => registered({ behind }));

function registered(changes: Partial<Registration> = {}): Registration {
  return { behind: 'old', target: 'i-1', machineUid: 'uid-1', name: 'm-1', isLiving: true, ...changes };
}

function cloudWith(...registrations: readonly Registration[]): Pick<CloudInMemory, 'registrations' | 'living'> {
  const instance = {
    id: 'i-1',
    providerID: 'aws:///a/i-1',
    state: 'running' as const,
    zone: 'a',
    instanceType: 't',
    image: 'ami-1',
    addresses: [],
    joins: true,
    launchedAt: '',
    tags: {},
    machineUid: 'uid-1',
  };
  return { registrations: () => registrations, living: () => [instance] };
}

describe('the judge of load balancers', () => {
  it('asks of a Running Machine to be behind all of its own', () => {
    expect(notBehind([MACHINE], cloudWith(...BEHIND))).toEqual([]);
    expect(notBehind([MACHINE], cloudWith(...BEHIND.slice(1)))).toEqual([
      'Machine m-1 is behind 2 of 3 load balancers and target groups',
    ]);
    expect(notBehind([MACHINE], cloudWith())).toHaveLength(1);
  });

  it('asks nothing of others', () => {
    expect(notBehind([{ ...MACHINE, status: { phase: 'Provisioned' } }], cloudWith())).toEqual([]);
    expect(notBehind([MACHINE], { ...cloudWith(), registrations: () => undefined })).toEqual([]);
  });

  it('accuses what is behind one, and ended, unless nobody had to know', () => {
    const cloud = cloudWith(...BEHIND, registered({ target: '10.0.0.9', machineUid: 'uid-2', isLiving: false }));
    expect(leftBehind(cloud, () => false)).toEqual(['10.0.0.9 of Machine m-1 is still behind old']);
    expect(leftBehind(cloud, (uid) => uid === 'uid-2')).toEqual([]);
  });
});
