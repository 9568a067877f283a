import { expect, test } from '@jest/globals';
import { claimLease, holderIdentity, type Contender } from './lease-record.ts';

const now = Date.parse('2026-01-01T00:00:20.000Z');
const us: Contender = { identity: holderIdentity('here', 10, 'aa'), host: 'here', isAlive: (pid) => pid === 10 };
const heldBy = (identity: string, renewTime: string) => ({
  holderIdentity: identity,
  leaseDurationSeconds: 15,
  acquireTime: '2026-01-01T00:00:00.000000Z',
  renewTime,
  leaseTransitions: 2,
});
const fresh = '2026-01-01T00:00:10.000000Z';
const stale = '2026-01-01T00:00:01.000000Z';

test('a free Lease is taken', () => {
  expect(claimLease({}, us, 15, now)).toMatchObject({
    holderIdentity: 'here_10_aa',
    renewTime: '2026-01-01T00:00:20.000000Z',
    leaseTransitions: 0,
  });
});

test('our own Lease is renewed and keeps the time it was acquired', () => {
  expect(claimLease(heldBy(us.identity, stale), us, 15, now)).toMatchObject({
    acquireTime: '2026-01-01T00:00:00.000000Z',
    renewTime: '2026-01-01T00:00:20.000000Z',
    leaseTransitions: 2,
  });
});

test('the Lease of another host is left until it runs out', () => {
  expect(claimLease(heldBy('there_10_bb', fresh), us, 15, now)).toBeUndefined();
  expect(claimLease(heldBy('there_10_bb', stale), us, 15, now)).toMatchObject({ leaseTransitions: 3 });
});

test('the Lease of a process of this host that is gone is taken at once', () => {
  expect(claimLease(heldBy('here_11_bb', fresh), us, 15, now)).toBeDefined();
});

test('the Lease of a live process of this host is left', () => {
  const both: Contender = { ...us, isAlive: () => true };
  expect(claimLease(heldBy('here_11_bb', fresh), both, 15, now)).toBeUndefined();
});

test('the Lease of a process that had our pid before us is taken at once', () => {
  expect(claimLease(heldBy('here_10_bb', fresh), us, 15, now)).toBeDefined();
});

test('a Lease of no known form is left until it runs out', () => {
  expect(claimLease(heldBy('somebody', fresh), us, 15, now)).toBeUndefined();
});
