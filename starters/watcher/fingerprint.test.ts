import { expect, test } from '@jest/globals';
import { metaOf } from '../../k8s/dialects/kind.ts';
import { storedObject } from '../../test/world/builders/stored-object.ts';
import { fingerprintOf, foreignLabels } from './fingerprint.ts';

const kind = {
  own: { labels: new Set(['our/zone']), annotations: new Set(['our/state']) },
  finalizer: 'our/finalizer',
};
const PLAIN = { labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['e'] };
const print = (metadata: object, wanted: unknown = 1) =>
  fingerprintOf({ meta: metaOf(storedObject({ metadata: { ...PLAIN, ...metadata } })), wanted }, kind);
const plain = print({});

test('a fingerprint stays the same by what Millwright writes', () => {
  const written = {
    labels: { a: 'b', 'our/zone': 'r' },
    annotations: { c: 'd', 'our/state': 'running' },
    finalizers: ['e', 'our/finalizer'],
    resourceVersion: '7',
    generation: 3,
  };
  expect(print(written)).toBe(plain);
});

test('a fingerprint changes with what others write', () => {
  const others = [
    print({ labels: { a: 'x' } }),
    print({ annotations: { c: 'x' } }),
    print({ finalizers: [] }),
    print({ deletionTimestamp: 'now' }),
    print({}, 2),
  ];
  expect(new Set([plain, ...others]).size).toBe(6);
});

test('foreign labels are those that Millwright does not write', () => {
  expect(foreignLabels({ a: 'b', 'our/zone': 'r' }, kind)).toEqual({ a: 'b' });
});
