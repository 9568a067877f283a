import { expect, test } from '@jest/globals';
import type { OwnerReference } from '../object-meta.ts';
import { controllerOf, withController, withoutOwner } from './owner-reference.ts';

const SET = { apiVersion: 'a/v1', kind: 'Set', namespace: 'ns', name: 'set', uid: 'uid-of-set' };
const OURS = { apiVersion: 'a/v1', kind: 'Set', name: 'set', uid: 'uid-of-set' };
const OTHER: OwnerReference = { apiVersion: 'b/v1', kind: 'Backup', name: 'nightly', uid: 'uid-of-backup' };

test('an object that is controlled has one entry of its controller, which holds up its deletion', () => {
  const controller = { ...OURS, controller: true, blockOwnerDeletion: true };
  expect(withController([], SET)).toEqual([controller]);
  expect(withController([OURS, OTHER], SET)).toEqual([OTHER, controller]);
});

test('an object that is let go keeps the entries of others', () => {
  expect(withoutOwner([OURS, OTHER], SET)).toEqual([OTHER]);
});

test('of the owners the one that controls is told', () => {
  expect(controllerOf([OTHER, ...withController([], SET)])?.uid).toBe(SET.uid);
  expect([controllerOf([OTHER]), controllerOf([{ ...OURS, controller: false }]), controllerOf(undefined)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
