import { expect, test } from '@jest/globals';
import { FINALIZER, INSTANCE_STATE_ANNOTATION, REGION_LABEL } from '../../k8s/model/labels.ts';
import { fingerprintOf, foreignLabels } from './fingerprint.ts';

const spec = { replicas: 1 };
const plain = fingerprintOf({ labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['e'] }, spec);

test('a fingerprint stays the same by what Millwright writes', () => {
  const written = {
    labels: { a: 'b', [REGION_LABEL]: 'r' },
    annotations: { c: 'd', [INSTANCE_STATE_ANNOTATION]: 'running' },
    finalizers: ['e', FINALIZER],
    resourceVersion: '7',
    generation: 3,
  };
  expect(fingerprintOf(written, spec)).toBe(plain);
});

test('a fingerprint changes with what others write', () => {
  const others = [
    fingerprintOf({ labels: { a: 'x' }, annotations: { c: 'd' }, finalizers: ['e'] }, spec),
    fingerprintOf({ labels: { a: 'b' }, annotations: { c: 'x' }, finalizers: ['e'] }, spec),
    fingerprintOf({ labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: [] }, spec),
    fingerprintOf({ labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['e'], deletionTimestamp: 'now' }, spec),
    fingerprintOf({ labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['e'] }, { replicas: 2 }),
  ];
  expect(new Set([plain, ...others]).size).toBe(6);
});

test('foreign labels are those that Millwright does not write', () => {
  expect(foreignLabels({ a: 'b', [REGION_LABEL]: 'r' })).toEqual({ a: 'b' });
});
