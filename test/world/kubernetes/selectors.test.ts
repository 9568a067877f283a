import { expect, test } from '@jest/globals';
import { formatSelector } from '../../../k8s/selector.ts';
import type { KubeObject } from './kube-object.ts';
import { fieldTest, labelTest } from './selectors.ts';

function labelled(labels: Record<string, string>): KubeObject {
  const metadata = { name: 'm', uid: 'u', resourceVersion: '1', creationTimestamp: '', labels };
  return { apiVersion: 'v1', kind: 'Event', metadata, involvedObject: { uid: 'u' } };
}

test.each<[string, Record<string, string>, boolean]>([
  ['', {}, true],
  ['a=b', { a: 'b' }, true],
  ['a=b', { a: 'c' }, false],
  ['a==b,c', { a: 'b', c: '' }, true],
  ['a==b,c', { a: 'b' }, false],
  ['a!=b', {}, true],
  ['!a', { a: '' }, false],
  ['a in (b,c),x.y/z', { a: 'c', 'x.y/z': '' }, true],
  ['a in (b,c)', {}, false],
  ['a notin (b,c)', {}, true],
  ['a notin (b, c)', { a: 'c' }, false],
])('the selector %p has of %p the answer %p', (selector, labels, expected) => {
  expect(labelTest(selector)(labelled(labels))).toBe(expected);
});

test('a selector is read as Millwright writes it', () => {
  const matches = labelTest(
    formatSelector({
      matchLabels: { set: 'workers' },
      matchExpressions: [
        { key: 'tier', operator: 'In', values: ['a', 'b'] },
        { key: 'old', operator: 'DoesNotExist' },
      ],
    }),
  );
  expect(matches(labelled({ set: 'workers', tier: 'b' }))).toBe(true);
  expect(matches(labelled({ set: 'workers', tier: 'b', old: '' }))).toBe(false);
});

test('fields are those that can be selected', () => {
  const event = labelled({});
  expect(fieldTest('involvedObject.uid=u,metadata.name=m', 'Event')(event)).toBe(true);
  expect(fieldTest('involvedObject.uid!=u', 'Event')(event)).toBe(false);
  expect(() => fieldTest('involvedObject.uid=u', 'Machine')).toThrow('field label not supported: involvedObject.uid');
});
